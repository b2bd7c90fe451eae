package main

// receiver takes batches of other sites on one member.
type receiver struct {
	post    *post
	running bool
	wires   []*wire
}

// toReceiver is a new connection to the receiver of a member of another site, or nil if it does not run.
func (m *member) toReceiver(other *member) *wire {
	other.mu.Lock()
	running := other.receiver.running && !other.dead
	other.mu.Unlock()
	if !running {
		return nil
	}
	wr := m.world.dial(other.receiver.post)
	m.world.between(m.site, other.site, wr)
	other.mu.Lock()
	other.receiver.wires = append(other.receiver.wires, wr)
	other.incoming = append(other.incoming, wr)
	gone := other.dead || !other.receiver.running
	other.mu.Unlock()
	m.mu.Lock()
	m.incoming = append(m.incoming, wr)
	gone = gone || m.dead
	m.mu.Unlock()
	if gone {
		wr.end()
	}
	return wr
}

// setReceiver starts or stops the receiver. Stopped, it ends without an answer to what it has begun.
func (m *member) setReceiver(on bool) {
	m.mu.Lock()
	m.receiver.running = on
	wires := m.receiver.wires
	m.receiver.wires = nil
	m.mu.Unlock()
	if on {
		m.world.changed()
		return
	}
	for _, wr := range wires {
		wr.end()
	}
}

// receiveBatch applies the events of a batch in their order, and answers which of them failed.
func (m *member) receiveBatch(wr *wire, asked *message) message {
	answer := message{}
	for _, c := range asked.Changes {
		for {
			if wr.broken() {
				return answer // nobody hears it
			}
			trouble := m.receiveRemote(asked.Region, c)
			if trouble == "" {
				break
			}
			if !asked.Flag {
				m.count("exceptionsOccurred") // what is tried again is not reported
				answer.Keys = append(answer.Keys, c.Key)
				answer.Reasons = append(answer.Reasons, trouble)
				break
			}
			w := newWaiter()
			m.world.onChange(w) // it tries again when its writer has changed its mind
			wr.onEnd(func() { m.world.t.wake(w) })
			m.wait(w)
		}
	}
	return answer
}

// receiveRemote applies one event of another site, if it wins, and distributes it to the peers.
func (m *member) receiveRemote(queue string, c change) string {
	r := m.region(c.Region)
	if r == nil {
		return "there is no region " + c.Region
	}
	m.share(r)
	defer m.unshare(r)
	m.lockEntry(r, c.Key)
	m.mu.Lock()
	if before, again := m.foreign[c.Event]; again {
		m.mu.Unlock()
		m.unlockEntry(r, c.Key)
		if before.Stamp.Version > 0 { // peers may lack it, if the receiver before has died
			m.hear(m.askPeers("from "+queue, message{Kind: "update", Changes: []change{before}, Flag: true}))
		}
		return ""
	}
	m.mu.Unlock()
	if m.world.listener.vetoes(m.name, c.Region, c.Key) {
		m.unlockEntry(r, c.Key)
		return "refused as scripted"
	}
	m.mu.Lock()
	c, passes := m.weigh(r, c)
	if !passes {
		m.foreign[c.Event] = change{}
		m.mu.Unlock()
		m.unlockEntry(r, c.Key)
		return ""
	}
	c.Stamp.Version, c.Stamp.Owner = 1, m.rank
	if e := r.entries[c.Key]; e != nil {
		c.Stamp.Version = e.stamp.Version + 1
	}
	m.foreign[c.Event] = c
	told := m.apply(r, c)
	m.mu.Unlock()
	m.shareQueued("from "+queue, told)
	m.world.listener.stand(m, m.name, "listener", c.Token)
	m.storeLate(r, c)
	m.unlockEntry(r, c.Key)
	if m.world.bug != "receiver-keeps-it" {
		m.hear(m.askPeers("from "+queue, message{Kind: "update", Changes: []change{c}}))
	}
	return ""
}

// weigh decides whether an event of another site is applied: by site and timestamp, or as the resolver says.
func (m *member) weigh(r *region, c change) (change, bool) {
	e := r.entries[c.Key]
	if !r.checks || e == nil || e.stamp.Site == c.Stamp.Site {
		return c, true
	}
	later := laterThan(c.Stamp, e.stamp, m.world.bug)
	switch answer := m.world.listener.resolves(m, c, e, later); answer {
	case "allow":
		c.Allowed = true
		return c, true
	case "replace":
		c.Allowed = true
		if c.Kind == "put" {
			c.Value += "~"
		}
		return c, true
	case "disallow":
		return c, false
	}
	return c, later
}

// laterThan compares changes of two sites: by timestamp, and by distributed system id where they are equal.
func laterThan(new, old stamp, bug string) bool {
	if bug == "earlier-stamp-wins" {
		return new.Time < old.Time
	}
	if new.Time != old.Time {
		return new.Time > old.Time
	}
	return (new.Site > old.Site) != (bug == "lower-site-wins")
}
