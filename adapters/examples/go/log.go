package main

import (
	"strings"
	"sync"
)

// listening is the user of the system: its listeners write a log, and stand still at gates.
type listening struct {
	t *tracker

	mu      sync.Mutex
	events  []interface{}    // events, and calls of the listeners of queues
	ops     map[string]int64 // by token
	armed   map[gate]bool
	parked  map[gate][]*waiter
	keys    map[int64]string
	moved   chan struct{} // closed when something parks
	refuses map[string]map[string]bool

	answers  map[string][]string // of listeners of queues, by member and queue
	policies map[string]string   // of resolvers, by member and region
}

func newListening() *listening {
	return &listening{
		ops: map[string]int64{}, armed: map[gate]bool{}, parked: map[gate][]*waiter{}, keys: map[int64]string{},
		moved: make(chan struct{}), refuses: map[string]map[string]bool{}, policies: map[string]string{},
		answers: map[string][]string{},
	}
}

// know remembers a token, by which listeners recognise an operation.
func (l *listening) know(o operation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ops[o.token()] = o.OpID
	l.keys[o.OpID] = o.Key
	for _, one := range o.Entries {
		l.ops[one.Token] = one.OpID
	}
}

func (l *listening) told(at string, e event) {
	e.Member = at
	l.mu.Lock()
	l.events = append(l.events, e)
	l.mu.Unlock()
}

func (l *listening) vetoes(at, region, key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refuses[at+"\n"+region][key]
}

func (l *listening) stand(m waits, at, callback, token string) {
	l.mu.Lock()
	id, known := l.ops[strings.TrimRight(token, ".")]
	l.mu.Unlock()
	if known {
		l.standAt(m, at, callback, id)
	}
}

func (l *listening) standAt(m waits, at, callback string, id int64) {
	g := gate{at, id, callback}
	l.mu.Lock()
	if !l.armed[g] {
		l.mu.Unlock()
		return
	}
	w := newWaiter()
	l.parked[g] = append(l.parked[g], w)
	l.stir()
	l.mu.Unlock()
	m.wait(w)
}

// stir tells those who wait that something has come to stand, or has ended.
func (l *listening) stir() {
	close(l.moved)
	l.moved = make(chan struct{})
}

func (l *listening) arm(g gate) {
	l.mu.Lock()
	l.armed[g] = true
	l.mu.Unlock()
}

func (l *listening) release(g gate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.armed, g)
	for _, w := range l.parked[g] {
		l.t.wake(w)
	}
	delete(l.parked, g)
}

// forget opens the gates of a member that has died, for nobody stands there.
func (l *listening) forget(member string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for g := range l.parked {
		if g.Member == member {
			delete(l.parked, g)
		}
	}
}

// held are the pairs of member and key at which a listener stands, with the lock of the entry.
func (l *listening) held() [][2]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	pairs := [][2]string{}
	for g := range l.parked {
		if g.Callback == "queue" {
			continue
		}
		pairs = append(pairs, [2]string{g.Member, l.keys[g.OpID]})
	}
	return pairs
}

// takes is the listener of an asynchronous queue. Its call is in the log before it answers.
func (l *listening) takes(m *member, queue string, batch []*queued) bool {
	call := queueCall{Member: m.name, Queue: queue, Answer: "true"}
	for _, q := range batch {
		kind := "update"
		if q.Change.Kind == "destroy" {
			kind = "destroy"
		} else if q.Change.New {
			kind = "create"
		}
		call.Events = append(call.Events, queuedChange{q.Change.Region, q.Change.Key, kind, q.Change.shown()})
	}
	at := m.name + "\n" + queue
	l.mu.Lock()
	if told := l.answers[at]; len(told) > 0 {
		call.Answer, l.answers[at] = told[0], told[1:]
	}
	l.events = append(l.events, call)
	l.mu.Unlock()
	for _, q := range batch {
		l.stand(m, m.name, "queue", q.Change.Token)
	}
	return call.Answer == "true" || m.world.bug == "failed-call-is-done"
}
