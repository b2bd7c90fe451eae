package main

// What an application calls on a client: its writer is asked first, then the server does it, then the copy changes.

// call carries out an operation on the goroutine of its thread.
func (c *client) call(o operation) outcome {
	r := c.region(o.Region)
	if r == nil {
		return outcome{Status: "indefinite", Detail: "this client has no such region"}
	}
	switch o.Kind {
	case "get":
		return c.get(r, o)
	case "contains_key":
		c.mu.Lock()
		defer c.mu.Unlock()
		p := decide(o, r.entries[o.Key])
		return outcome{Status: p.status, Value: p.value}
	case "clear", "destroy_region", "invalidate_region":
		return c.callWhole(o)
	case "local_clear", "local_destroy_region", "local_invalidate_region":
		c.mu.Lock()
		c.changeWhole(o.Kind, o.Region, o.token(), false)
		c.mu.Unlock()
		c.world.listener.stand(c, c.name, "listener", o.token())
		return outcome{Status: "ok"}
	}
	lock(&c.mu, r.lockOf(&c.mu, o.Key), c)
	defer unlock(&c.mu, r.lockOf(&c.mu, o.Key), c.world.t)
	if o.Kind == "local_destroy" || o.Kind == "local_invalidate" || c.local[o.Region] {
		return c.changeAlone(r, o)
	}
	return c.change(r, o)
}

// next is the identity of the next call of a thread.
func (c *client) next(thread string) eventID {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers[thread]++
	return eventID{c.id + "/" + thread, c.numbers[thread]}
}

// change has the server carry out an operation on one entry, and then changes the copy as the server says.
func (c *client) change(r *region, o operation) outcome {
	c.world.listener.stand(c, c.name, "writer", o.token())
	if c.world.listener.vetoes(c.name, o.Region, o.Key) {
		return outcome{Status: "failed", Detail: "refused as scripted"}
	}
	if c.world.bug == "client-first" && o.Kind == "put" {
		c.mu.Lock()
		r.store(change{Key: o.Key, Kind: "put", Value: o.value(), Stamp: stamp{}}, 0, "")
		c.mu.Unlock()
	}
	answer, trouble := c.ask(o.Thread, message{Kind: "call", Member: c.name, Op: &o, Event: c.next(o.Thread)})
	if trouble != "" {
		return outcome{Status: trouble, Detail: "no server has answered"}
	}
	if len(answer.Changes) > 0 {
		ch := answer.Changes[0]
		c.mu.Lock()
		kind := c.store(r, ch, false)
		c.touch(o.Region, o.Key)
		c.tell(ch, kind)
		c.mu.Unlock()
		if kind != "" {
			c.world.listener.stand(c, c.name, "listener", ch.Token)
		}
	}
	return outcome{Status: answer.Status, Value: answer.Value, Detail: answer.Text}
}

// touch notes what the application has done to an entry while a registration is under way: true where it is
// there, false where it was destroyed.
func (c *client) touch(region, key string) {
	if r := c.regions[region]; r != nil && c.loading > 0 {
		e := r.entries[key]
		c.touched[[2]string{region, key}] = e != nil && e.there
	}
}

// changeAlone changes the copy alone: a local operation, or any operation of a region without a pool.
func (c *client) changeAlone(r *region, o operation) outcome {
	c.mu.Lock()
	e := r.entries[o.Key]
	asked := o
	switch o.Kind {
	case "local_destroy":
		asked.Kind = "destroy"
	case "local_invalidate":
		asked.Kind = "invalidate"
	}
	p := decide(asked, e)
	kind := ""
	if p.kind != "" {
		ch := change{Region: o.Region, Key: o.Key, Kind: p.kind, Token: o.token(), Origin: c.name, Value: o.value()}
		if e != nil {
			ch.Stamp = e.stamp
		}
		kind = r.store(ch, c.world.clock.of(c.site), c.world.bug)
		if p.kind == "destroy" {
			delete(r.entries, o.Key)
		}
		c.tell(ch, kind)
	}
	if p.kind != "" || asked.Kind == "destroy" { // also one that finds nothing: an answer brings nothing then
		c.touch(o.Region, o.Key)
	}
	c.mu.Unlock()
	if kind != "" {
		c.world.listener.stand(c, c.name, "listener", o.token())
	}
	return outcome{Status: p.status, Value: p.value}
}

// get reads the copy, or the server where the copy has no value. Events of the key wait for the answer.
func (c *client) get(r *region, o operation) outcome {
	if c.world.bug != "late-get-wins" {
		lock(&c.mu, r.lockOf(&c.mu, o.Key), c)
		defer unlock(&c.mu, r.lockOf(&c.mu, o.Key), c.world.t)
	}
	c.mu.Lock()
	e := r.entries[o.Key]
	if e != nil && e.there && e.valid {
		defer c.mu.Unlock()
		return outcome{Status: "ok", Value: text(e.value)}
	}
	c.mu.Unlock()
	if c.local[o.Region] {
		return outcome{Status: "ok"}
	}
	answer, trouble := c.ask(o.Thread, message{Kind: "get", Member: c.name, Region: o.Region, Text: o.Key})
	if trouble != "" {
		return outcome{Status: "failed", Detail: "no server has answered"}
	}
	c.world.listener.standAt(c, c.name, "answer", o.OpID)
	if answer.Flag {
		c.mu.Lock()
		c.keep(r, answer.Changes[0])
		c.touch(o.Region, o.Key)
		c.mu.Unlock()
	}
	return outcome{Status: answer.Status, Value: answer.Value, Detail: answer.Text}
}

// keep stores what a server has read, unless the copy knows something newer. No listener receives it.
func (c *client) keep(r *region, ch change) {
	e := r.entries[ch.Key]
	if e != nil && r.checks && ch.Stamp.Version > 0 && c.world.bug != "late-get-wins" && older(ch.Stamp, e.stamp, r, ch, c) {
		return
	}
	r.entries[ch.Key] = &entry{there: true, valid: ch.Valid, value: ch.Value, stamp: ch.Stamp}
}

// older says whether a value that was read is older than what the copy knows.
func older(new, mine stamp, r *region, ch change, c *client) bool {
	return new != mine && r.judge(ch, c.expired, "") == discards
}

// callWhole has the server change the whole region on all members. The copy changes at its place in the queue.
func (c *client) callWhole(o operation) outcome {
	c.world.listener.stand(c, c.name, "writer", o.token())
	if c.world.listener.vetoes(c.name, o.Region, "") {
		return outcome{Status: "failed", Detail: "refused as scripted"}
	}
	if c.local[o.Region] {
		c.mu.Lock()
		c.changeWhole(o.Kind, o.Region, o.token(), false)
		c.mu.Unlock()
		return outcome{Status: "ok"}
	}
	id, w := c.next("regions"), newWaiter()
	c.mu.Lock()
	c.ownWhole[id] = w
	queued := c.primary != "" && (c.asked.DurableID == nil || c.declared)
	c.mu.Unlock()
	answer, trouble := c.ask(o.Thread, message{Kind: "call", Member: c.name, Op: &o, Event: id})
	if trouble != "" {
		return outcome{Status: trouble, Detail: "no server has answered"}
	}
	switch {
	case answer.Status != "ok":
	case queued:
		c.wait(w)
	default:
		c.mu.Lock()
		c.changeWhole(o.Kind, o.Region, o.token(), false)
		c.mu.Unlock()
	}
	return outcome{Status: answer.Status, Detail: answer.Text}
}
