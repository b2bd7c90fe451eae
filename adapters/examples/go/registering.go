package main

// How a client registers for keys, at all servers that have its queue, and what it makes of the answers.

// controlling names the connections on which a client speaks of its subscription. It learns by them that a
// server is lost.
const controlling = "subscription"

// register registers for keys. The answer waits where `hold` says so. It gives ok, refused or failed.
func (c *client) register(g registration, hold func()) string {
	if !c.asked.subscribes() {
		return "refused"
	}
	if g.Kind == "regex" {
		if _, err := expression(g.Specification); err != nil {
			return "refused"
		}
	}
	c.mu.Lock()
	if c.regions[g.Region] == nil {
		c.mu.Unlock()
		return "failed"
	}
	c.loading++
	c.drop([]registration{g}, false)
	c.lists = added(c.lists, g)
	c.listsCount++
	c.mu.Unlock()
	for {
		count := c.world.count()
		c.mu.Lock()
		attached, primary, others := c.attached, c.primary, append([]string{}, c.secondaries...)
		c.mu.Unlock()
		if c.world.bug != "registers-at-primary-alone" {
			for _, name := range others {
				c.inform(name, message{Kind: "register", Interest: []registration{g}})
			}
		}
		answer, heard := c.loadFrom(primary, g)
		if heard {
			hold()
			c.mu.Lock()
			if c.attached == attached {
				c.take(answer)
				break
			}
			c.mu.Unlock()
			continue // another server answers for the client now
		}
		w := newWaiter()
		c.world.onChangeSince(count, w)
		c.wait(w)
	}
	late := c.world.bug == "registers-behind-load"
	if !late {
		c.loaded()
	}
	primary := c.primary
	c.mu.Unlock()
	if late {
		c.inform(primary, message{Kind: "register", Interest: []registration{g}})
		c.mu.Lock()
		c.loaded()
		c.mu.Unlock()
	}
	return "ok"
}

// loadFrom puts a registration on the primary's list, and brings the load with which it begins.
func (c *client) loadFrom(primary string, g registration) ([]change, bool) {
	asked := message{Kind: "register", Interest: []registration{g}, Flag: true}
	if c.world.bug == "registers-behind-load" {
		asked.Status = "load alone"
	}
	answer, heard := c.inform(primary, asked)
	return answer.Changes, heard && answer.Flag
}

// inform tells one server about the subscription. It says whether there was an answer.
func (c *client) inform(server string, what message) (message, bool) {
	m := c.world.member(server)
	if m == nil {
		return message{}, false
	}
	what.Member = c.name
	asked := c.to(controlling, m).ask(what)
	c.wait(asked.w)
	return asked.answer, !asked.broken
}

// withdraw withdraws a registration from all servers.
func (c *client) withdraw(g registration) string {
	c.mu.Lock()
	c.lists = without(c.lists, g)
	c.listsCount++
	holders := append([]string{c.primary}, c.secondaries...)
	c.mu.Unlock()
	for _, name := range holders {
		c.inform(name, message{Kind: "withdraw", Interest: []registration{g}})
	}
	return "ok"
}

// drop drops the entries that registrations cover, in silence, and what is known of destroyed ones: a server that
// has died may have been alone with that. What the application has changed meanwhile stays, if that is asked for.
func (c *client) drop(list []registration, sparing bool) {
	for name, r := range c.regions {
		for key, e := range r.entries {
			at := [2]string{name, key}
			found, _ := covered(list, name, key)
			_, touched := c.touched[at]
			if !found || sparing && touched {
				continue
			}
			delete(r.entries, key)
			if e.there {
				delete(c.touched, at)
			}
		}
	}
}

// take applies an answer. What the application has done meanwhile comes first: a valid value stays, and what was
// destroyed stays so. An entry without a value takes that of the answer.
func (c *client) take(answer []change) {
	for _, ch := range answer {
		r := c.regions[ch.Region]
		if r == nil {
			continue
		}
		e := r.entries[ch.Key]
		there := e != nil && e.there
		kept, touched := c.touched[[2]string{ch.Region, ch.Key}]
		switch {
		case there && c.world.bug == "answer-overwrites":
			e.valid, e.value, e.stamp = ch.Valid, ch.Value, ch.Stamp
		case there && e.valid:
			c.late = append(c.late, ch)
		case there && !ch.Valid:
		case !there && touched && !kept && c.world.bug != "answer-revives":
		default:
			c.keep(r, ch)
		}
	}
}

// loaded ends a registration. Behind the last one events go on.
func (c *client) loaded() {
	c.loading--
	if c.loading > 0 {
		return
	}
	for _, ch := range c.late {
		if r := c.regions[ch.Region]; r != nil && r.checks && ch.Valid && r.entries[ch.Key] != nil {
			c.keep(r, ch)
		}
	}
	c.late, c.touched = nil, map[[2]string]bool{}
	for _, w := range c.calm {
		c.world.t.wake(w)
	}
	c.calm = nil
}
