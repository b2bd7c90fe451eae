package main

import (
	"fmt"
	"sync"
)

// world is the system for one example: members of one or more sites, in one process, that speak to each other
// over TCP. Nothing of it is used again in the next example.
type world struct {
	bug      string
	t        *tracker
	clock    *clock
	listener listener
	tombs    tombstoneSettings
	done     chan struct{}

	mu      sync.Mutex
	order   []string // all members, from the lowest to the highest id
	sites   map[string]int
	members map[string]*member // those that live
	wires   []*wire
	queues  []queueAttributes
	turns   map[string][]string // by queue: the members that run it, the primary first
	links   map[[2]int]string
	ways    map[[2]int][]*wire
	places  map[string][]*place // by partitioned region
	changes []*waiter
	births  map[string]int // how often each member and client has started
	version int            // how often something has changed that somebody may wait for

	clients map[string]*client
	silent  map[[2]string]bool // pairs of client and server whose answers are lost
}

// listener receives what the system tells its user, on the goroutine that carries out the change.
type listener interface {
	// told is called while the entry is locked, at the moment at which the change is made.
	told(at string, e event)
	// stand is called next, without the member's mutex: the user may take its time.
	stand(m waits, at, callback, token string)
	// vetoes says whether the cache writer refuses a change.
	vetoes(at, region, key string) bool
	// standAt is the same at a gate of an operation that has no token.
	standAt(m waits, at, callback string, id int64)
	// takes gives a batch to the listener of an asynchronous queue. It says whether the listener has succeeded.
	takes(m *member, queue string, batch []*queued) bool
	// resolves is asked about an event of another site than changed the entry last; "" if no resolver is there.
	resolves(m *member, c change, e *entry, later bool) string
}

// waits is who can wait at a gate.
type waits interface{ wait(w *waiter) }

func newWorld(bug string, clock *clock, l listener, sites []site, tombs tombstoneSettings,
	queues []queueAttributes) *world {
	w := &world{
		bug: bug, t: &tracker{}, clock: clock, listener: l, tombs: tombs, done: make(chan struct{}),
		sites: map[string]int{}, members: map[string]*member{}, queues: queues,
		turns: map[string][]string{}, links: map[[2]int]string{}, ways: map[[2]int][]*wire{},
		births: map[string]int{}, places: map[string][]*place{},
		clients: map[string]*client{}, silent: map[[2]string]bool{},
	}
	for _, s := range sites {
		for _, name := range s.Members {
			w.order = append(w.order, name)
			w.sites[name] = s.Number
		}
	}
	for _, name := range w.order {
		w.members[name] = newMember(w, name)
	}
	return w
}

func (w *world) rank(name string) int {
	for i, other := range w.order {
		if other == name {
			return i + 1
		}
	}
	return 0
}

// member is a member that lives, or nil.
func (w *world) member(name string) *member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.members[name]
}

func (w *world) lives(name string) bool { return w.member(name) != nil }

// living are the members of a site that live, from the lowest to the highest id. Site 0: of all sites.
func (w *world) living(site int) []*member {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := []*member{}
	for _, name := range w.order {
		if m := w.members[name]; m != nil && (site == 0 || m.site == site) {
			found = append(found, m)
		}
	}
	return found
}

// end leaves the world to itself: all connections break, and all that waits ends.
func (w *world) end() {
	close(w.done)
	for _, m := range w.living(0) {
		m.die()
	}
	for _, c := range w.allClients() {
		c.die()
	}
	w.mu.Lock()
	wires := append([]*wire{}, w.wires...)
	w.mu.Unlock()
	for _, wr := range wires {
		wr.end()
	}
}

// identity is a new identity of a member or client that starts.
func (w *world) identity(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.births[name]++
	return fmt.Sprintf("%s.%d", name, w.births[name])
}

// crash kills a member. The others notice it by the connections that break, and forget it.
func (w *world) crash(name string) {
	m := w.member(name)
	if m == nil {
		return
	}
	w.mu.Lock()
	delete(w.members, name)
	w.mu.Unlock()
	m.die()
	w.release(name)
	w.reassign(name)
	for _, other := range w.living(m.site) {
		other.mu.Lock()
		regions := other.hosted()
		other.mu.Unlock()
		for _, r := range regions {
			other.unlockRegion(r, name)
		}
	}
}

// restart starts a member again, without memory, and has it take copies of the regions.
func (w *world) restart(name string, regions []regionAttributes) {
	m := newMember(w, name)
	m.starting = true
	w.mu.Lock()
	w.members[name] = m
	w.mu.Unlock()
	for _, attributes := range regions {
		m.host(attributes)
	}
	w.adopt()
	w.t.spawn(func() {
		for _, attributes := range regions {
			if m.region(attributes.Name).buckets != nil {
				m.hearOfBuckets(attributes.Name)
			} else {
				m.copyFromPeers(attributes.Name)
			}
		}
		for id, s := range m.senders {
			if !s.queue.Parallel {
				m.copyQueue(id)
			}
			w.start(m, id)
		}
		m.mu.Lock()
		m.starting = false
		m.mu.Unlock()
		w.changed()
	})
}

// client is a client that runs, or nil.
func (w *world) client(name string) *client {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clients[name]
}

// allClients are the clients that run.
func (w *world) allClients() []*client {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := []*client{}
	for _, c := range w.clients {
		found = append(found, c)
	}
	return found
}
