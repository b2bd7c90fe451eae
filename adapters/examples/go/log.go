package main

import (
	"strings"
	"sync"
)

// listening is the user of the system: its listeners write a log, and stand still at gates.
type listening struct {
	t *tracker

	mu      sync.Mutex
	events  []event
	ops     map[string]int64 // by token
	armed   map[gate]bool
	parked  map[gate]*waiter
	keys    map[int64]string
	moved   chan struct{} // closed when something parks
	refuses map[string]map[string]bool

	policies map[string]string // of resolvers, by member and region
}

func newListening() *listening {
	return &listening{
		ops: map[string]int64{}, armed: map[gate]bool{}, parked: map[gate]*waiter{}, keys: map[int64]string{},
		moved: make(chan struct{}), refuses: map[string]map[string]bool{}, policies: map[string]string{},
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
	g := gate{at, id, callback}
	if !known || !l.armed[g] {
		l.mu.Unlock()
		return
	}
	w := newWaiter()
	l.parked[g] = w
	close(l.moved)
	l.moved = make(chan struct{})
	l.mu.Unlock()
	m.wait(w)
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
	if w := l.parked[g]; w != nil {
		l.t.wake(w)
		delete(l.parked, g)
	}
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
		pairs = append(pairs, [2]string{g.Member, l.keys[g.OpID]})
	}
	return pairs
}
