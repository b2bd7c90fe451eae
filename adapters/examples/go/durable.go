package main

import "time"

// Durable clients: what servers keep of them while they are away, and how they come back.

// absence is what a server knows of the lives of a durable client. A client that is not durable has none.
type absence struct {
	life    string // the identity of the client's latest life
	timeout int64  // how long the queue is kept, in milliseconds
	away    bool
	until   int64  // when the time is over, by the common clock
	marked  string // the life for which a marker was placed
}

// mark is the identity of the marker of a life.
func mark(life string) eventID { return eventID{"marker of " + life, 1} }

// readyFor places a marker behind all stored events, and lets them go.
func (s *subscription) readyFor(life string) {
	if s.absence != nil && s.marked != life {
		s.marked = life
		if !s.had[mark(life)] {
			s.placeMarker(life)
		}
	}
	s.ready = true
	s.poke()
}

// placeMarker puts the marker into the queue, with the regions that live here.
func (s *subscription) placeMarker(life string) {
	if s.m.world.bug == "marker-at-primary-alone" && !s.primary {
		return
	}
	s.had[mark(life)] = true
	told := message{Kind: "marker", Event: mark(life)}
	for name := range s.m.regions {
		told.Keys = append(told.Keys, name)
	}
	s.append(told)
	if last := len(s.events) - 1; s.m.world.bug == "marker-first" {
		s.events = append([]*waiting{s.events[last]}, s.events[:last]...)
	}
}

// leaves ends a life of a client. Its queue stays if that is asked for, and if anything is durable: events go on
// to be queued for durable interest.
func (m *member) leaves(client string, keep, crashed bool) {
	m.mu.Lock()
	s := m.subscriptions[client]
	if s == nil {
		m.mu.Unlock()
		return
	}
	durable := []registration{}
	for _, g := range s.lists {
		if g.Durable || m.world.bug == "keeps-all-interest" {
			durable = append(durable, g)
		}
	}
	wr := s.wire
	s.wire = nil
	if s.absence == nil || !keep || len(durable) == 0 && !crashed {
		delete(m.subscriptions, client)
		s.closed = true
	} else {
		s.lists, s.away, s.ready = durable, true, false
		s.until = m.world.clock.common() + s.timeout
		if m.world.bug == "drops-queue-at-close" {
			s.events = nil
		}
		if m.world.bug == "sent-is-delivered" {
			s.events = unsent(s.events)
		}
		s.forgetMarkers()
		time.AfterFunc(time.Duration(s.timeout)*time.Millisecond, m.timeOut)
	}
	s.poke()
	m.mu.Unlock()
	if wr != nil {
		wr.end()
	}
	s.tellReceived()
}

// unsent is what waits and was not sent yet.
func unsent(events []*waiting) []*waiting {
	left := []*waiting{}
	for _, q := range events {
		if !q.sent {
			left = append(left, q)
		}
	}
	return left
}

// forgetMarkers takes out all that is no event: it was meant for a life that is over.
func (s *subscription) forgetMarkers() {
	kept := []*waiting{}
	for _, q := range s.events {
		if q.what.Kind != "marker" && q.what.Kind != "collected" {
			q.sent = false
			kept = append(kept, q)
		}
	}
	s.events = kept
}

// timeOut gives up the queues of clients that have stayed away for too long.
func (m *member) timeOut() {
	now := m.world.clock.common()
	m.mu.Lock()
	gone := []string{}
	for name, s := range m.subscriptions {
		late := s.absence != nil && now >= s.until && s.until > 0
		if late && (s.away || m.world.bug == "time-runs-on") && !m.dead && m.world.bug != "never-times-out" {
			delete(m.subscriptions, name)
			s.closed = true
			s.poke()
			gone = append(gone, name)
		}
	}
	m.mu.Unlock()
	for _, name := range gone {
		if m.world.bug != "logs-no-time-out" {
			m.log("warn", "durable client "+name+" has timed out: its queue and its interest are given up")
		}
	}
}

// comesBack begins the next life of a client whose queue is kept here. It answers with the interest that is kept.
func (m *member) comesBack(asked *message) message {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.subscriptions[asked.Member]
	if s == nil || s.absence == nil {
		return message{}
	}
	s.checks = asked.Status != "unchecked"
	s.life, s.away, s.ready = asked.Text, false, m.world.bug == "sends-before-ready"
	if m.world.bug != "first-time-out-counts" {
		s.timeout = asked.Numbers[0]
	}
	s.forgetMarkers()
	s.primary = false
	if asked.Flag {
		s.begin()
	}
	return message{Flag: true, Interest: append([]registration{}, s.lists...)}
}

// comeBack attaches the client to the servers that have kept its queue. It says whether there are any.
func (c *client) comeBack() bool {
	holders := []string{}
	for _, m := range c.servers() {
		answer, heard := c.inform(m.name, message{Kind: "holds"})
		switch {
		case !heard || !answer.Flag:
			if c.world.bug == "returns-to-first-server" && len(holders) == 0 {
				return false
			}
		case answer.Status == "primary":
			holders = append([]string{m.name}, holders...)
		default:
			holders = append(holders, m.name)
		}
	}
	for _, name := range holders {
		switch {
		case c.primary == "":
			if c.returnTo(name, true) {
				c.primary = name
			}
		case len(c.secondaries) < c.asked.Redundancy:
			if c.returnTo(name, false) {
				c.secondaries = append(c.secondaries, name)
			}
		default:
			c.inform(name, message{Kind: "leave"})
		}
	}
	return c.primary != ""
}

// returnTo begins a life at one server, and learns which interest it has kept.
func (c *client) returnTo(server string, primary bool) bool {
	answer, heard := c.subscribe(server, message{Kind: "return", Flag: primary})
	if !heard {
		return false
	}
	c.mu.Lock()
	for _, g := range answer.Interest {
		c.lists = added(c.lists, g)
	}
	c.mu.Unlock()
	return true
}

// declareReady says to all servers with the queue that events may come.
func (c *client) declareReady() {
	c.mu.Lock()
	if c.asked.DurableID == nil || c.declared {
		c.mu.Unlock()
		return
	}
	c.declared = true
	holders := append(append([]string{}, c.secondaries...), c.primary)
	c.mu.Unlock()
	for _, name := range holders {
		c.inform(name, message{Kind: "ready", Text: c.id})
	}
}

// close ends a life in order.
func (c *client) close(keep bool) {
	c.mu.Lock()
	holders := append(append([]string{}, c.secondaries...), c.primary)
	c.mu.Unlock()
	for i, name := range holders {
		if c.world.bug != "leaves-primary-alone" || i == len(holders)-1 {
			c.inform(name, message{Kind: "leave", Flag: keep})
		}
	}
}

// stored says whether what arrives is an old event, that listeners receive and that changes nothing.
func (c *client) stored() bool {
	return c.asked.DurableID != nil && !c.live && c.world.bug != "applies-stored"
}

// kindOf is what listeners are told of a stored event: what it did at its server.
func kindOf(ch change, bare bool) string {
	switch {
	case bare:
		return "invalidate"
	case ch.Kind == "put" && ch.New:
		return "create"
	case ch.Kind == "put":
		return "update"
	}
	return ch.Kind
}

// takeStored tells listeners of a stored event. The copy does not change, so nobody has to wait for it.
func (c *client) takeStored(wr *wire, ch change, bare bool) {
	c.mu.Lock()
	told := !wr.broken() && c.first(ch.Event) && c.regions[ch.Region] != nil
	if told && c.world.bug != "stored-events-are-silent" {
		c.tell(ch, kindOf(ch, bare))
	}
	c.mu.Unlock()
	if told {
		c.world.listener.stand(c, c.name, "listener", ch.Token)
	}
}

// takeMarker ends the replay: each region is live once.
func (c *client) takeMarker(wr *wire, asked *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if wr.broken() || c.live && c.world.bug != "live-at-each-marker" {
		return
	}
	for _, name := range asked.Keys {
		if c.regions[name] != nil && !c.local[name] {
			c.world.listener.told(c.name, event{Region: name, Kind: "live"})
		}
	}
	c.live = true
}
