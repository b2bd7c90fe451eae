package main

// waiting is a message in the queue of a client.
type waiting struct {
	what message
	sent bool
}

// event is the identity of the event that waits; none where it is another message.
func (q *waiting) event() eventID {
	if q.what.Kind != "event" {
		return q.what.Event
	}
	return q.what.Changes[0].Event
}

// subscription is the queue that a server keeps for a client. One server is its primary and sends; secondaries
// fill queues of their own from the same events. Its fields are guarded by the mutex of its member.
type subscription struct {
	m       *member
	client  string
	checks  bool // whether the client's copies check what they are sent
	primary bool
	ready   bool // whether messages may be sent: a durable client has to say so
	closed  bool
	*absence
	lists    []registration
	events   []*waiting
	had      map[eventID]bool // what has been here, or needs not come: it is not queued again
	received []eventID        // acknowledged by the client, and not yet told to the other servers
	telling  bool
	wire     *wire   // to the client, while this server is the primary
	idle     *waiter // what the dispatcher waits for
	emptied  []*waiter
}

// syncMs is how long a primary gathers what it tells the secondaries of acknowledgements.
const syncMs = 1500

// queueForClients queues a change for all clients that want it. It is called with the member's mutex, where the
// change is made, so that each queue has the order of the changes of an entry. What was discarded here is sent
// to those alone that do not check.
func (m *member) queueForClients(c change, discarded bool) {
	for _, s := range m.subscriptions {
		if !discarded || !s.checks {
			m.queueOne(s, c)
		}
	}
	m.lately = append(m.lately, c)
	if len(m.lately) > 500 {
		m.lately = m.lately[1:]
	}
}

// queueOne queues a change for a client if it wants it, and has neither called it nor been queued it before.
func (m *member) queueOne(s *subscription, c change) {
	found, values := covered(s.lists, c.Region, c.Key)
	if c.Origin == s.client && m.world.bug != "sends-back" || s.had[c.Event] || !found {
		return
	}
	s.had[c.Event] = true
	told := message{Kind: "event", Changes: []change{c}}
	if !values && c.Kind == "put" {
		told.Flag, told.Changes[0].Value = true, ""
	}
	s.append(told)
}

// queueWhole queues a change of a whole region. The client that has called it waits for its place in the queue.
func (m *member) queueWhole(kind string, what message) {
	for _, s := range m.subscriptions {
		own := what.Origin != "" && what.Origin == s.client
		touched := own
		for _, g := range s.lists {
			touched = touched || g.Region == what.Region
		}
		if s.had[what.Event] {
			continue
		}
		if touched && (own || kind != "invalidate_region") {
			s.had[what.Event] = true
			s.append(message{
				Kind: "whole", Status: kind, Region: what.Region, Text: what.Text, Event: what.Event, Flag: own,
			})
		}
	}
}

// append puts a message behind all others.
func (s *subscription) append(what message) {
	s.events = append(s.events, &waiting{what: what})
	s.poke()
}

func (s *subscription) poke() {
	if s.idle != nil {
		s.m.world.t.wake(s.idle)
		s.idle = nil
	}
}

// begin makes this server the primary: it sends all that is in its queue, from the oldest message on.
func (s *subscription) begin() {
	c := s.m.world.client(s.client)
	if c == nil {
		return
	}
	s.primary = true
	if s.m.world.bug == "promoted-begins-empty" {
		s.events = nil
	}
	for _, q := range s.events {
		q.sent = false
	}
	s.m.world.t.spawn(func() {
		wr := s.m.toClient(c)
		s.m.mu.Lock()
		s.wire = wr
		s.m.mu.Unlock()
		s.dispatch(wr)
	})
}

// toClient is a new connection on which this member sends a client its queue.
func (m *member) toClient(c *client) *wire {
	wr := m.world.dial(c.post)
	m.mu.Lock()
	m.incoming = append(m.incoming, wr)
	gone := m.dead
	m.mu.Unlock()
	if !c.listens(m.name, wr) || gone {
		wr.end()
	}
	return wr
}

// dispatch sends messages in their order, without waiting for their acknowledgements.
func (s *subscription) dispatch(wr *wire) {
	m := s.m
	for !wr.broken() {
		m.mu.Lock()
		if s.closed {
			m.mu.Unlock()
			wr.end()
			return
		}
		var next *waiting
		for _, q := range s.events {
			if !q.sent && s.ready {
				next = q
				break
			}
		}
		if next == nil {
			w := newWaiter()
			s.idle = w
			m.mu.Unlock()
			wr.onEnd(func() { m.world.t.wake(w) })
			m.wait(w)
			continue
		}
		next.sent = true
		told := next.what
		m.mu.Unlock()
		asked := wr.ask(told)
		m.world.t.spawn(func() {
			m.wait(asked.w)
			if !asked.broken {
				s.acknowledge(next)
			}
		})
	}
}

// acknowledge takes a message out of the queue that the client has processed. The others learn of it a bit later.
func (s *subscription) acknowledge(done *waiting) {
	m := s.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.world.bug == "keeps-acknowledged" && s.absence != nil {
		return
	}
	s.remove(done.event(), done)
	if done.event() == (eventID{}) {
		return
	}
	s.received = append(s.received, done.event())
	if s.telling {
		return
	}
	s.telling = true
	w := newWaiter()
	m.world.clock.wakeLater(syncMs, w, m.world.t)
	m.world.t.spawn(func() { m.wait(w); s.tellReceived() })
}

// waitForClients is the mistake "waits-for-clients": a change waits until all queues are empty.
func (m *member) waitForClients() {
	if m.world.bug != "waits-for-clients" {
		return
	}
	for _, c := range m.world.allClients() {
		m.mu.Lock()
		s := m.subscriptions[c.name]
		w := newWaiter()
		waits := s != nil && s.primary && len(s.events) > 0
		if waits {
			s.emptied = append(s.emptied, w)
		}
		m.mu.Unlock()
		if waits {
			m.wait(w)
		}
	}
}

// remove takes an event out of the queue, or one message.
func (s *subscription) remove(id eventID, one *waiting) {
	kept := []*waiting{}
	for _, q := range s.events {
		if q != one && (id == (eventID{}) || q.event() != id) {
			kept = append(kept, q)
		}
	}
	s.events = kept
	if len(kept) == 0 {
		for _, w := range s.emptied {
			s.m.world.t.wake(w)
		}
		s.emptied = nil
	}
}

// tellReceived tells the other servers what the client has acknowledged, so that their queues need not keep it.
func (s *subscription) tellReceived() {
	m := s.m
	m.mu.Lock()
	told := message{Kind: "client has", Member: s.client, Events: s.received}
	s.received, s.telling = nil, false
	dead := m.dead
	m.mu.Unlock()
	if dead || len(told.Events) == 0 || m.world.bug == "tells-no-acknowledgements" {
		return
	}
	for _, peer := range m.peers() {
		m.to("queue of client "+s.client, peer).tell(told)
	}
}

// forgetReceived drops what a client has acknowledged at its primary. It may not have been queued here yet.
func (m *member) forgetReceived(what *message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.subscriptions[what.Member]; s != nil {
		for _, id := range what.Events {
			s.had[id] = true
			s.remove(id, nil)
		}
	}
}

// tellCollected has the clients of this member drop tombstones, too.
func (m *member) tellCollected(found []change) {
	for _, s := range m.subscriptions {
		if s.primary {
			s.append(message{Kind: "collected", Changes: found})
		}
	}
}
