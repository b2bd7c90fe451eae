package main

// plan is what a call comes to, decided from the member's own copy.
type plan struct {
	status string
	value  *string
	kind   string // put, destroy or invalidate; empty where nothing changes
}

func text(s string) *string { return &s }

func truth(yes bool) *string {
	if yes {
		return text("true")
	}
	return text("false")
}

// decide says what a call does to an entry.
func decide(o operation, e *entry) plan {
	there := e != nil && e.there
	var value *string
	if there && e.valid {
		value = text(e.value)
	}
	holds := value != nil && o.Expected != nil && *value == *o.Expected
	switch o.Kind {
	case "put":
		return plan{"ok", nil, "put"}
	case "create":
		if there {
			return plan{"exists", nil, ""}
		}
		return plan{"ok", nil, "put"}
	case "put_if_absent":
		if value != nil {
			return plan{"ok", value, ""}
		}
		return plan{"ok", nil, "put"}
	case "replace":
		if !there {
			return plan{"ok", nil, ""}
		}
		return plan{"ok", value, "put"}
	case "replace_if_equal", "remove_if_equal":
		if !holds {
			return plan{"ok", text("false"), ""}
		}
		if o.Kind == "replace_if_equal" {
			return plan{"ok", text("true"), "put"}
		}
		return plan{"ok", text("true"), "destroy"}
	case "destroy":
		if !there {
			return plan{"absent", nil, ""}
		}
		return plan{"ok", nil, "destroy"}
	case "invalidate":
		if !there {
			return plan{"absent", nil, ""}
		}
		if !e.valid {
			return plan{"ok", nil, ""}
		}
		return plan{"ok", nil, "invalidate"}
	case "get":
		return plan{"ok", value, ""}
	case "contains_key":
		return plan{"ok", truth(there), ""}
	}
	return plan{"refused", nil, ""}
}

// call carries out an operation on the goroutine of its thread.
func (m *member) call(o operation) outcome {
	r := m.region(o.Region)
	if r == nil {
		return outcome{Status: "indefinite", Detail: "this member has no such region"}
	}
	switch o.Kind {
	case "put_all", "remove_all":
		return m.callMany(r, o)
	}
	if r.buckets != nil {
		if o.Key == "" {
			return outcome{Status: "refused", Detail: "the region is partitioned"}
		}
		return m.callInBucket(r, o)
	}
	switch o.Kind {
	case "clear":
		return m.clear(r, o)
	case "invalidate_region", "destroy_region":
		return m.callWhole(r, o, &message{})
	case "get", "contains_key":
		m.mu.Lock()
		p := decide(o, r.entries[o.Key])
		m.mu.Unlock()
		return outcome{Status: p.status, Value: p.value}
	}
	return m.change(r, o)
}

// callMany carries out each entry of an operation on many keys by itself.
func (m *member) callMany(r *region, o operation) outcome {
	for _, one := range o.Entries {
		single := o
		single.Key, single.Token, single.Entries = one.Key, text(one.Token), nil
		single.Kind = "put"
		if o.Kind == "remove_all" {
			single.Kind = "destroy"
		}
		if got := m.change(r, single); got.Status == "failed" {
			return outcome{Status: "indefinite", Detail: got.Detail}
		}
	}
	return outcome{Status: "ok"}
}

// change carries out an operation on one entry: here first, then on the peers.
func (m *member) change(r *region, o operation) outcome {
	if r.buckets != nil {
		return m.callInBucket(r, o)
	}
	result, _ := m.carryOut(r, o, change{Origin: m.name})
	return result
}

// carryOut carries out an operation on one entry, as the one who has called it says. It gives what was changed.
func (m *member) carryOut(r *region, o operation, c change) (outcome, *change) {
	m.share(r)
	m.lockEntry(r, o.Key)
	m.mu.Lock()
	p := decide(o, r.entries[o.Key])
	m.mu.Unlock()
	if p.kind == "" {
		m.unlockEntry(r, o.Key)
		m.unshare(r)
		return outcome{Status: p.status, Value: p.value}, nil
	}
	m.world.listener.stand(m, m.name, "writer", o.token())
	if m.world.listener.vetoes(m.name, o.Region, o.Key) {
		m.unlockEntry(r, o.Key)
		m.unshare(r)
		return outcome{Status: "failed", Detail: "refused as scripted"}, nil
	}
	c.Region, c.Key, c.Kind, c.Token = o.Region, o.Key, p.kind, o.token()
	if p.kind == "put" {
		c.Value = o.value()
	}
	now := m.world.clock.of(m.site)
	m.mu.Lock()
	if c.Client {
		c.Answer = p.value
	} else {
		m.events[o.Thread]++
		c.Event = eventID{m.id + "/" + o.Thread, m.events[o.Thread]}
	}
	if r.checks {
		c.Stamp = r.next(o.Key, m.rank, m.site, now, m.world.bug)
	} else {
		c.Stamp = stamp{Time: now, Site: m.site}
	}
	if c.Client {
		m.carried[c.Event] = &c
	}
	told := m.apply(r, c)
	m.sent[c.Token] = c
	m.mu.Unlock()
	m.shareQueued(o.Thread, told)
	m.waitForClients()
	m.world.listener.stand(m, m.name, "listener", c.Token)
	m.storeLate(r, c)
	m.unlockEntry(r, o.Key)
	replies := m.askPeers(m.lineOf(o.Thread, c), message{Kind: "update", Changes: []change{c}})
	if r.attributes.Scope == "distributed_no_ack" {
		m.world.t.spawn(func() { m.hear(replies); m.unshare(r) })
	} else {
		m.hear(replies)
		m.unshare(r)
	}
	return outcome{Status: p.status, Value: p.value}, &c
}

// lineOf is the name of the connections that carry the changes of a calling thread.
func (m *member) lineOf(thread string, c change) string {
	if c.Client {
		return "for " + c.Event.Thread
	}
	return thread
}

// apply stores a change, feeds the senders and tells the listener. It is called with the member's mutex and the
// entry's lock. It gives what the other members have to be told of queues.
func (m *member) apply(r *region, c change) []message {
	if m.world.bug == "listener-first" {
		m.tell(c, r.names(c))
		return nil
	}
	kind := r.store(c, m.world.clock.of(m.site), m.world.bug)
	if e := r.entries[c.Key]; e != nil && r.checks {
		c.Stamp.Time = e.stamp.Time // that of a loser, if it was later
	}
	c.New = kind == "create"
	told := m.feed(r, c)
	m.queueForClients(c, false)
	m.tell(c, kind)
	return told
}

// tell calls the listener.
func (m *member) tell(c change, kind string) {
	e := event{Region: c.Region, Key: c.Key, Kind: kind, Remote: c.Origin != m.name, Token: text(c.Token)}
	if c.Kind == "put" {
		e.Token = text(c.Value)
	}
	m.world.listener.told(m.name, e)
}

// storeLate is where the mistake "listener-first" stores what the listener has received already.
func (m *member) storeLate(r *region, c change) {
	if m.world.bug == "listener-first" {
		m.mu.Lock()
		r.store(c, m.world.clock.of(m.site), "")
		m.mu.Unlock()
	}
}

// receive takes a change from a peer: it is compared, stored and announced, and then answered.
func (m *member) receive(c change, again bool) {
	r := m.region(c.Region)
	if r == nil {
		return
	}
	if r.buckets != nil {
		m.receiveInBucket(r, r.bucketOf(c.Key), c, 0)
		return
	}
	m.lockEntry(r, c.Key)
	m.mu.Lock()
	var told []message
	if c.Stamp.Site != m.site {
		if _, known := m.foreign[c.Event]; known && again { // unchecked, nothing else would tell
			m.mu.Unlock()
			m.unlockEntry(r, c.Key)
			return
		}
		m.foreign[c.Event] = c
	}
	v := r.judge(c, m.expired, m.world.bug)
	if c.Client && m.carried[c.Event] != nil { // another server has carried it out, too: a second attempt
		if e := r.entries[c.Key]; e != nil && v == applies {
			e.stamp = c.Stamp
		}
		m.mu.Unlock()
		m.unlockEntry(r, c.Key)
		return
	}
	if c.Client {
		m.carried[c.Event] = &c
	}
	switch v {
	case applies:
		if m.world.bug == "version-from-arrival" && r.checks {
			c.Stamp = r.next(c.Key, m.rank, c.Stamp.Site, c.Stamp.Time, "")
		}
		told = m.apply(r, c)
	case discards:
		told = m.pass(r, c)
		m.queueForClients(c, true)
		if m.world.bug == "announces-discarded" {
			m.tell(c, "update")
		}
		e := r.entries[c.Key]
		if e.stamp.Time < c.Stamp.Time && e.stamp.Site == c.Stamp.Site {
			e.stamp.Time = c.Stamp.Time
		}
		if m.world.bug != "counts-nothing" && !again {
			m.counters["conflatedEvents"]++
		}
	}
	m.mu.Unlock()
	m.shareQueued("peer "+c.Event.Thread, told)
	m.waitForClients()
	if v == applies {
		m.world.listener.stand(m, m.name, "listener", c.Token)
		m.storeLate(r, c)
	}
	m.unlockEntry(r, c.Key)
}

// again sends the message of an operation once more to a peer.
func (m *member) again(token string, to *member) {
	m.mu.Lock()
	c, known := m.sent[token]
	m.mu.Unlock()
	if known {
		m.to("again", to).tell(message{Kind: "update", Changes: []change{c}})
	}
}
