package main

import "sync"

// fifoLock is the lock of one entry. Its fields are guarded by the mutex of its member or client.
type fifoLock struct {
	held  bool
	queue []*waiter
}

// lockEntry takes the lock of an entry of this member's copy, behind those who asked before.
func (m *member) lockEntry(r *region, key string) { lock(&m.mu, r.lockOf(&m.mu, key), m) }

// unlockEntry hands the lock to the next one.
func (m *member) unlockEntry(r *region, key string) { unlock(&m.mu, r.lockOf(&m.mu, key), m.world.t) }

// lockOf is the lock of an entry.
func (r *region) lockOf(mu *sync.Mutex, key string) *fifoLock {
	mu.Lock()
	defer mu.Unlock()
	l := r.locks[key]
	if l == nil {
		l = &fifoLock{}
		r.locks[key] = l
	}
	return l
}

// lock takes a lock whose fields a mutex guards.
func lock(mu *sync.Mutex, l *fifoLock, who waits) {
	mu.Lock()
	if !l.held {
		l.held = true
		mu.Unlock()
		return
	}
	w := newWaiter()
	l.queue = append(l.queue, w)
	mu.Unlock()
	who.wait(w)
}

// unlock hands a lock to the next one.
func unlock(mu *sync.Mutex, l *fifoLock, t *tracker) {
	mu.Lock()
	defer mu.Unlock()
	if len(l.queue) == 0 {
		l.held = false
		return
	}
	w := l.queue[0]
	l.queue = l.queue[1:]
	t.wake(w)
}

// regionLock is a lock of one member's copy: updates called here share it, a clear has it alone.
// Its fields are guarded by the mutex of its member.
type regionLock struct {
	readers int
	writer  string
	queue   []*lockRequest
}

type lockRequest struct {
	w      *waiter
	writer string // empty for an update
}

// share waits until no clear has the lock or asked for it before.
func (m *member) share(r *region) { m.enter(&r.lock) }

// enter takes a share of a lock.
func (m *member) enter(l *regionLock) {
	m.mu.Lock()
	if l.writer == "" && len(l.queue) == 0 {
		l.readers++
		m.mu.Unlock()
		return
	}
	m.queueFor(l, "")
}

// queueFor waits for the lock. It is called with the member's mutex, and gives it back.
func (m *member) queueFor(l *regionLock, writer string) {
	request := &lockRequest{newWaiter(), writer}
	l.queue = append(l.queue, request)
	m.mu.Unlock()
	m.wait(request.w)
}

// unshare gives the share back.
func (m *member) unshare(r *region) { m.exit(&r.lock) }

// exit gives a share back.
func (m *member) exit(l *regionLock) {
	m.mu.Lock()
	l.readers--
	m.admit(l)
	m.mu.Unlock()
}

// lockAlone has a lock of this member for itself, behind those who share it.
func (m *member) lockAlone(l *regionLock) {
	m.mu.Lock()
	if l.writer == "" && l.readers == 0 && len(l.queue) == 0 {
		l.writer = m.name
		m.mu.Unlock()
		return
	}
	m.queueFor(l, m.name)
}

// unlockAlone gives it back.
func (m *member) unlockAlone(l *regionLock) {
	m.mu.Lock()
	l.writer = ""
	m.admit(l)
	m.mu.Unlock()
}

// lockRegion waits until the updates under way have ended, and keeps others out, for a member that clears.
func (m *member) lockRegion(r *region, writer string) {
	m.mu.Lock()
	l := &r.lock
	if l.writer == "" && l.readers == 0 && len(l.queue) == 0 {
		l.writer = writer
		m.mu.Unlock()
	} else {
		m.queueFor(l, writer)
	}
	if !m.world.lives(writer) { // it died while this member waited in its name
		m.unlockRegion(r, writer)
	}
}

// unlockRegion lets updates go on, if the lock is held by that writer.
func (m *member) unlockRegion(r *region, writer string) {
	m.mu.Lock()
	if r.lock.writer == writer {
		r.lock.writer = ""
		m.admit(&r.lock)
	}
	m.mu.Unlock()
}

// admit lets those in who may come in now, in the order in which they asked.
func (m *member) admit(l *regionLock) {
	for len(l.queue) > 0 && l.writer == "" {
		next := l.queue[0]
		if next.writer != "" {
			if l.readers > 0 {
				return
			}
			l.writer = next.writer
		} else {
			l.readers++
		}
		l.queue = l.queue[1:]
		m.world.t.wake(next.w)
	}
}
