package main

// The ways between sites, and who is the primary of a queue.

// link is the state of the way from one site to another.
func (w *world) link(from, to int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.links[[2]int{from, to}]
}

// between notes a connection from one site to another.
func (w *world) between(from, to int, wr *wire) {
	w.mu.Lock()
	way := [2]int{from, to}
	w.ways[way] = append(w.ways[way], wr)
	state := w.links[way]
	w.mu.Unlock()
	wr.silence(state == "drop_acks")
	if state == "down" { // it was cut while the connection was made
		wr.end()
	}
}

// setLink changes the state of a way. Connections break when it is cut, and when it is mended.
func (w *world) setLink(from, to int, state string) {
	way := [2]int{from, to}
	w.mu.Lock()
	w.links[way] = state
	wires := append([]*wire{}, w.ways[way]...)
	if state != "drop_acks" {
		delete(w.ways, way)
	}
	w.mu.Unlock()
	for _, wr := range wires {
		if state == "drop_acks" {
			wr.silence(true)
		} else {
			wr.end()
		}
	}
	w.changed()
}

// onChange wakes somebody when a way, a receiver or a writer has changed.
func (w *world) onChange(one *waiter) {
	w.mu.Lock()
	w.changes = append(w.changes, one)
	w.mu.Unlock()
}

// onChangeSince does the same, and at once if something has changed since that count.
func (w *world) onChangeSince(count int, one *waiter) {
	w.mu.Lock()
	late := w.version != count
	if !late {
		w.changes = append(w.changes, one)
	}
	w.mu.Unlock()
	if late {
		w.t.wake(one)
	}
}

// count is how often something has changed.
func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version
}

func (w *world) changed() {
	w.mu.Lock()
	w.version++
	waiting := w.changes
	w.changes = nil
	w.mu.Unlock()
	for _, one := range waiting {
		w.t.wake(one)
	}
}

// start has the sender of a member wait for the lock that makes it the primary. The first one has it.
func (w *world) start(m *member, id string) {
	m.mu.Lock()
	s := m.senders[id]
	if s == nil || s.started {
		m.mu.Unlock()
		return
	}
	s.started = true
	m.mu.Unlock()
	if s.queue.Parallel { // each member dispatches for itself
		w.t.spawn(s.dispatch)
		return
	}
	w.mu.Lock()
	w.turns[id] = append(w.turns[id], m.name)
	first := w.turns[id][0] == m.name
	w.mu.Unlock()
	if first {
		w.t.spawn(s.takeOver)
	}
}

// release gives up the turns of a member that has died, and hands its queues to the next in line.
func (w *world) release(dead string) {
	w.mu.Lock()
	next := map[string]string{}
	for id, turn := range w.turns {
		kept := []string{}
		for _, name := range turn {
			if name != dead {
				kept = append(kept, name)
			}
		}
		w.turns[id] = kept
		if len(turn) > 0 && turn[0] == dead && len(kept) > 0 {
			next[id] = kept[0]
		}
	}
	w.mu.Unlock()
	for id, name := range next {
		if m := w.member(name); m != nil {
			w.t.spawn(m.senders[id].takeOver)
		}
	}
}

// runs says whether a member of a queue's site runs it.
func (q queueAttributes) runs(name string) bool {
	if len(q.Members) == 0 {
		return true
	}
	for _, one := range q.Members {
		if one == name {
			return true
		}
	}
	return false
}

func (q queueAttributes) remote() int { return *q.RemoteSite }

func (q queueAttributes) keepsFailed() bool {
	return q.RemoveOnException != nil && !*q.RemoveOnException
}

// copyQueue fills the queue of a member that starts again, from the primary.
func (m *member) copyQueue(id string) {
	for _, peer := range m.peers() {
		asked := m.to("queue image of "+id, peer).ask(message{Kind: "queue image", Region: id})
		m.wait(asked.w)
		if !asked.broken && asked.answer.Flag {
			asked.answer.Region, asked.answer.Member = id, peer.name
			m.syncQueue(&asked.answer)
			return
		}
	}
}
