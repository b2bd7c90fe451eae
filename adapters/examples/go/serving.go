package main

// What a server does for clients: their subscriptions, and what they call.

// serve carries out what a client asks for.
func (m *member) serve(wr *wire, asked *message) message {
	switch asked.Kind {
	case "subscribe", "recruit", "return":
		answer := message{}
		switch asked.Kind {
		case "subscribe":
			answer = m.subscribe(asked)
			answer.Changes = append(answer.Changes, m.loadBuckets(asked.Interest)...)
		case "recruit":
			answer = m.recruit(asked)
		default:
			answer = m.comesBack(asked)
		}
		wr.onEnd(func() { m.lostClient(asked.Member, asked.Text) })
		return answer
	case "holds", "ready":
		m.mu.Lock()
		defer m.mu.Unlock()
		s := m.subscriptions[asked.Member]
		if s == nil || s.absence == nil {
			return message{}
		}
		if asked.Kind == "ready" {
			s.readyFor(asked.Text)
		}
		answer := message{Flag: true}
		if s.primary {
			answer.Status = "primary"
		}
		return answer
	case "leave":
		m.leaves(asked.Member, asked.Flag, false)
		return message{}
	case "register", "withdraw":
		answer := m.register(asked)
		if answer.Flag && asked.Flag {
			answer.Changes = append(answer.Changes, m.loadBuckets(asked.Interest)...)
		}
		return answer
	case "promote":
		m.mu.Lock()
		defer m.mu.Unlock()
		s := m.subscriptions[asked.Member]
		if s != nil {
			s.begin()
		}
		return message{Flag: s != nil}
	case "get":
		return m.answerGet(asked)
	}
	return m.once(asked)
}

// lostClient does what the death of a client demands, if that life is not over already.
func (m *member) lostClient(client, life string) {
	m.mu.Lock()
	s := m.subscriptions[client]
	lost := s != nil && !m.dead && s.absence != nil && s.life == life && !s.away
	m.mu.Unlock()
	if lost {
		m.leaves(client, m.world.bug != "crash-is-a-close", true)
	}
}

// subscribe begins a queue for a client, with all that it has registered for, and answers with the bulk load.
// The list and the load belong together: what changes behind the load is queued.
func (m *member) subscribe(asked *message) message {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &subscription{
		m: m, client: asked.Member, checks: asked.Status != "unchecked", lists: asked.Interest, had: map[eventID]bool{},
	}
	if old := m.subscriptions[asked.Member]; old != nil {
		old.closed = true
		old.poke()
	}
	m.subscriptions[asked.Member] = s
	s.ready = len(asked.Numbers) == 0 || m.world.bug == "sends-before-ready"
	if len(asked.Numbers) > 0 {
		s.absence = &absence{life: asked.Text, timeout: asked.Numbers[0]}
	}
	if m.world.bug == "interest-stays-behind" {
		s.lists = nil
	}
	for i := range s.lists {
		s.lists[i].Durable = s.lists[i].Durable && m.world.bug != "durable-interest-stays-behind"
	}
	if asked.Ready {
		s.readyFor(asked.Text)
	}
	if asked.Flag {
		s.begin()
	}
	return message{Flag: true, Changes: m.load(asked.Interest)}
}

// register adds a registration to a client's list, or withdraws it. It answers with the load if that is asked for.
func (m *member) register(asked *message) message {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.subscriptions[asked.Member]
	if s == nil {
		return message{}
	}
	answer := message{Flag: true}
	for _, g := range asked.Interest {
		if asked.Kind == "withdraw" {
			s.lists = without(s.lists, g)
		} else if asked.Status != "load alone" {
			s.lists = added(s.lists, g)
		}
	}
	if asked.Flag {
		answer.Changes = m.load(asked.Interest)
	}
	return answer
}

// recruit makes this server a further secondary. It queues from here on, and then takes over what waits at the
// primary. What it has applied before, and the primary does not know yet, it queues in between.
func (m *member) recruit(asked *message) message {
	m.subscribe(asked)
	primary := m.world.member(asked.Origin)
	if primary == nil {
		return message{}
	}
	image := m.to("queue of client "+asked.Member, primary).ask(message{Kind: "client queue", Member: asked.Member})
	m.wait(image.w)
	if image.broken || !image.answer.Flag {
		return message{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.subscriptions[asked.Member]
	if s == nil {
		return message{}
	}
	if s.absence != nil {
		s.marked, s.ready = image.answer.Text, s.ready || image.answer.Text == asked.Text
	}
	s.merge(image.answer.Queue, image.answer.Events)
	return message{Flag: true}
}

// clientQueue is the queue of a client as its primary has it, and all events that this member knows.
func (m *member) clientQueue(asked *message) message {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.subscriptions[asked.Member]
	if s == nil {
		return message{}
	}
	answer := message{Flag: true}
	if s.absence != nil {
		answer.Text = s.marked
	}
	for _, q := range s.events {
		answer.Queue = append(answer.Queue, q.what)
	}
	for id := range s.had {
		answer.Events = append(answer.Events, id)
	}
	for _, c := range m.lately {
		answer.Events = append(answer.Events, c.Event)
	}
	return answer
}

// merge puts the primary's queue in front of what has come here, and leaves out what the primary knows already.
func (s *subscription) merge(queue []message, known []eventID) {
	if s.m.world.bug == "recruits-without-queue" {
		return
	}
	knows := map[eventID]bool{}
	for _, id := range known {
		knows[id] = true
	}
	own := s.events
	s.events = nil
	for _, what := range queue {
		q := &waiting{what: what}
		dropped := s.had[q.event()] && !holds(own, q.event())
		if q.event() == (eventID{}) || !dropped {
			s.events = append(s.events, q)
		}
	}
	for _, c := range s.m.lately {
		if !knows[c.Event] && !s.had[c.Event] {
			s.m.queueOne(s, c)
		}
	}
	for _, q := range own {
		if q.event() == (eventID{}) || !knows[q.event()] {
			s.events = append(s.events, q)
		}
	}
	for id := range knows {
		s.had[id] = true
	}
}

// holds says whether a queue has an event.
func holds(queue []*waiting, id eventID) bool {
	for _, q := range queue {
		if q.event() == id {
			return true
		}
	}
	return false
}

// answerGet reads an entry for a client.
func (m *member) answerGet(asked *message) message {
	r := m.region(asked.Region)
	if r == nil {
		return message{Status: "indefinite", Text: "the server has no such region"}
	}
	if r.buckets != nil {
		return m.readInBucket(r, operation{Kind: "get", Region: asked.Region, Key: asked.Text, Thread: "of clients"})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	answer := message{Status: "ok"}
	if e := r.entries[asked.Text]; e != nil && e.there && e.valid {
		answer.Flag, answer.Value = true, text(e.value)
		answer.Changes = []change{{
			Region: asked.Region, Key: asked.Text, Kind: "put", Value: e.value, Stamp: e.stamp, Valid: true,
		}}
	}
	return answer
}

// attempt is a call of a client that this server has begun. Its fields are guarded by the mutex of the member.
type attempt struct {
	number int64
	done   bool
	answer message
	others []*waiter
}

// once carries out a call of a client, unless it has done so already: then it gives the same answer again.
func (m *member) once(asked *message) message {
	id := asked.Event
	m.mu.Lock()
	before := m.attempts[id.Thread]
	if before != nil && before.number >= id.Number && m.world.bug != "runs-again" {
		if !before.done {
			w := newWaiter()
			before.others = append(before.others, w)
			m.mu.Unlock()
			m.wait(w)
			m.mu.Lock()
		}
		defer m.mu.Unlock()
		return before.answer
	}
	now := &attempt{number: id.Number}
	m.attempts[id.Thread] = now
	m.mu.Unlock()
	answer := m.callOfClient(asked)
	m.mu.Lock()
	defer m.mu.Unlock()
	now.done, now.answer = true, answer
	for _, w := range now.others {
		m.world.t.wake(w)
	}
	return answer
}

// callOfClient carries out a call. If it is a second attempt, another server may have carried it out.
func (m *member) callOfClient(asked *message) message {
	o := *asked.Op
	r := m.region(o.Region)
	if r == nil {
		return message{Status: "indefinite", Text: "the server has no such region"}
	}
	if r.buckets != nil {
		if o.Key == "" {
			return message{Status: "refused", Text: "the region is partitioned"}
		}
		answer := m.route(r, o.Key, message{
			Kind: "bucket call", Region: o.Region, Op: &o, Event: asked.Event, Origin: asked.Member,
		})
		return message{Status: answer.Status, Value: answer.Value, Text: answer.Text, Changes: answer.Changes}
	}
	switch o.Kind {
	case "clear", "destroy_region", "invalidate_region":
		result := m.wholeOf(r, o, asked)
		return message{Status: result.Status, Text: result.Detail}
	}
	if asked.Flag && m.world.bug != "runs-again" {
		if c := m.carriedOut(asked.Event); c != nil {
			line := "for " + asked.Event.Thread
			m.receive(*c, true)
			m.hear(m.askPeers(line, message{Kind: "update", Changes: []change{*c}, Flag: true}))
			return message{Status: "ok", Value: c.Answer, Changes: []change{*c}}
		}
	}
	result, c := m.carryOut(r, o, change{Origin: asked.Member, Client: true, Event: asked.Event})
	answer := message{Status: result.Status, Value: result.Value, Text: result.Detail}
	if c != nil {
		answer.Changes = []change{*c}
	}
	return answer
}

// wholeOf carries out what a client has called on a whole region.
func (m *member) wholeOf(r *region, o operation, asked *message) outcome {
	if o.Kind == "clear" {
		return m.clearFor(r, o, asked)
	}
	return m.callWhole(r, o, asked)
}

// carriedOut is what a call has changed, as this member or a peer knows; nil if none does.
func (m *member) carriedOut(id eventID) *change {
	m.mu.Lock()
	c := m.carried[id]
	m.mu.Unlock()
	if c != nil {
		return c
	}
	asked := m.askPeers("second attempts", message{Kind: "carried", Event: id})
	m.hear(asked)
	for _, one := range asked {
		if !one.broken && len(one.answer.Changes) > 0 {
			return &one.answer.Changes[0]
		}
	}
	return nil
}
