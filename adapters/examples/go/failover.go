package main

// How a client finds its servers, and what it does when it loses one.

// connect attaches the client to its first servers. It begins without any interest.
func (c *client) connect() bool {
	if !c.asked.subscribes() {
		return len(c.servers()) > 0
	}
	if c.asked.DurableID != nil && c.comeBack() {
		c.restoreRedundancy()
		return true
	}
	for _, m := range c.servers() {
		if c.primary == "" {
			if c.begin(m) {
				c.primary = m.name
			}
		} else if len(c.secondaries) < c.asked.Redundancy && c.begin(m) {
			c.secondaries = append(c.secondaries, m.name)
		}
	}
	return c.primary != ""
}

// begin has a server begin a queue for this client: the first one as its primary.
func (c *client) begin(m *member) bool {
	_, heard := c.subscribe(m.name, message{Kind: "subscribe", Flag: c.primary == ""})
	return heard
}

// subscribe asks a server to have a queue for this client, and notices from then on when the server is lost.
func (c *client) subscribe(server string, what message) (message, bool) {
	what.Status = "checked"
	if c.asked.Checks != nil && !*c.asked.Checks {
		what.Status = "unchecked"
	}
	m := c.world.member(server)
	if m == nil {
		return message{}, false
	}
	what.Member, what.Text = c.name, c.id
	if c.asked.DurableID != nil {
		what.Numbers = []int64{c.asked.DurableTimeoutS * 1000}
		c.mu.Lock()
		what.Ready = c.declared
		c.mu.Unlock()
	}
	wr := c.to(controlling, m)
	asked := wr.ask(what)
	c.wait(asked.w)
	if asked.broken || !asked.answer.Flag {
		return message{}, false
	}
	c.mu.Lock()
	c.control[server] = wr
	c.mu.Unlock()
	wr.onEnd(func() { c.recovery.push(func() { c.lost(server, wr) }) })
	return asked.answer, true
}

// lost does what the loss of a server demands: a secondary takes over, or the client starts anew elsewhere.
func (c *client) lost(server string, wr *wire) {
	c.mu.Lock()
	if c.dead || c.control[server] != wr {
		c.mu.Unlock()
		return
	}
	delete(c.control, server)
	feed := c.feeds[server]
	delete(c.feeds, server)
	was := c.primary == server
	kept := []string{}
	for _, name := range c.secondaries {
		if name != server {
			kept = append(kept, name)
		}
	}
	c.secondaries = kept
	c.mu.Unlock()
	if feed != nil {
		feed.end() // what it has sent and is not processed yet comes from another one
	}
	if was && !c.promote() {
		c.startAnew()
	}
	c.restoreRedundancy()
}

// promote makes the longest-lived secondary that lives the primary.
func (c *client) promote() bool {
	for {
		c.mu.Lock()
		if len(c.secondaries) == 0 {
			c.primary = ""
			c.mu.Unlock()
			return false
		}
		at := 0
		if c.world.bug == "youngest-takes-over" {
			at = len(c.secondaries) - 1
		}
		next := c.secondaries[at]
		c.secondaries = append(append([]string{}, c.secondaries[:at]...), c.secondaries[at+1:]...)
		c.mu.Unlock()
		if answer, heard := c.inform(next, message{Kind: "promote"}); heard && answer.Flag {
			c.nowServedBy(next)
			c.readyAt(next)
			return true
		}
	}
}

// readyAt says to a new primary that events may come, if that was said meanwhile: it was no holder just then.
func (c *client) readyAt(server string) {
	c.mu.Lock()
	declared := c.declared && c.asked.DurableID != nil
	c.mu.Unlock()
	if declared {
		c.inform(server, message{Kind: "ready", Text: c.id})
	}
}

// nowServedBy notes the new primary, and wakes registrations that have lost their answers.
func (c *client) nowServedBy(server string) {
	c.mu.Lock()
	c.primary = server
	c.attached++
	c.mu.Unlock()
	c.world.changed()
}

// startAnew attaches the client to any server, as soon as there is one. It drops what it has registered for, and
// fetches it from there. No listener receives that, and what it has no interest in stays.
func (c *client) startAnew() {
	for {
		count := c.world.count()
		for _, m := range c.servers() {
			if c.attach(m.name) {
				return
			}
		}
		w := newWaiter()
		c.world.onChangeSince(count, w)
		c.wait(w)
	}
}

// attach starts anew at one server. Events wait until all is fetched.
func (c *client) attach(server string) bool {
	c.mu.Lock()
	c.loading++
	lists, before := append([]registration{}, c.lists...), c.listsCount
	c.mu.Unlock()
	answer, heard := c.subscribe(server, message{Kind: "subscribe", Flag: true, Interest: lists})
	c.mu.Lock()
	if heard {
		if c.world.bug != "keeps-copy-at-failover" {
			c.drop(lists, true)
		}
		c.take(answer.Changes)
		for _, t := range c.tracked {
			t.fetched = t.highest
		}
	}
	changed := c.listsCount != before
	c.loaded()
	c.mu.Unlock()
	if heard {
		c.nowServedBy(server)
		c.readyAt(server)
		if changed {
			c.sendLists(server)
		}
	}
	return heard
}

// sendLists has a server know all that the client has registered for, as that has changed meanwhile.
func (c *client) sendLists(server string) {
	c.mu.Lock()
	lists := append([]registration{}, c.lists...)
	c.mu.Unlock()
	c.inform(server, message{Kind: "register", Interest: lists})
}

// restoreRedundancy recruits servers until the client has as many secondaries as it wants.
func (c *client) restoreRedundancy() {
	for _, m := range c.servers() {
		c.mu.Lock()
		enough := c.primary == "" || len(c.secondaries) >= c.asked.Redundancy
		known := m.name == c.primary
		for _, name := range c.secondaries {
			known = known || name == m.name
		}
		primary, lists, before := c.primary, append([]registration{}, c.lists...), c.listsCount
		c.mu.Unlock()
		if enough {
			return
		}
		if known {
			continue
		}
		if c.world.bug == "recruits-without-interest" {
			lists = nil
		}
		if _, heard := c.subscribe(m.name, message{Kind: "recruit", Interest: lists, Origin: primary}); !heard {
			continue
		}
		c.mu.Lock()
		c.secondaries = append(c.secondaries, m.name)
		changed, declared := c.listsCount != before, c.declared && c.asked.DurableID != nil
		c.mu.Unlock()
		if declared {
			c.inform(m.name, message{Kind: "ready", Text: c.id})
		}
		if changed {
			c.sendLists(m.name)
		}
	}
}
