package main

import (
	"runtime"
	"strings"
	"sync"
)

// member is one cache server: its copies of regions, its connections to peers, its counters.
type member struct {
	world *world
	name  string
	id    string // another one each time it starts: what its threads call is told apart from earlier lives
	site  int
	rank  int
	done  chan struct{}
	post  *post

	mu       sync.Mutex
	dead     bool
	starting bool // it takes copies, and serves no client yet
	regions  map[string]*region
	threads  map[string]*lane
	wires    map[wireKey]*wire
	incoming []*wire
	counters map[string]int64
	sent     map[string]change // by token, for a message that is to come again
	events   map[string]int64  // by thread, the number of its last operation
	senders  map[string]*sender
	receiver receiver
	foreign  map[eventID]change // events of other sites that came here; without a version if they lost
	lines    []logLine

	subscriptions map[string]*subscription // by client
	attempts      map[string]*attempt      // the last call of each thread of clients
	carried       map[eventID]*change      // what clients have called, here or elsewhere
	lately        []change                 // the last changes that were applied here
}

type wireKey struct{ thread, to string }

func newMember(w *world, name string) *member {
	m := &member{
		world: w, name: name, site: w.sites[name], rank: w.rank(name), done: make(chan struct{}),
		regions: map[string]*region{}, threads: map[string]*lane{}, wires: map[wireKey]*wire{},
		counters: map[string]int64{}, sent: map[string]change{}, events: map[string]int64{},
		senders: map[string]*sender{}, foreign: map[eventID]change{},
		subscriptions: map[string]*subscription{}, attempts: map[string]*attempt{}, carried: map[eventID]*change{},
	}
	m.id = w.identity(name)
	m.post = newPost(w, m.handle)
	m.receiver = receiver{post: newPost(w, m.receiveBatch), running: true}
	for _, q := range w.queues {
		if q.Site == m.site && q.runs(name) {
			m.senders[q.ID] = newSender(m, q)
		}
	}
	return m
}

// wait lets a goroutine of this member wait; it ends when the member dies.
func (m *member) wait(w *waiter) { m.world.t.wait(w, m.done) }

// die ends the member without farewell.
func (m *member) die() {
	m.mu.Lock()
	if m.dead {
		m.mu.Unlock()
		return
	}
	m.dead = true
	ends := append([]*wire{}, m.incoming...)
	for _, wr := range m.wires {
		ends = append(ends, wr)
	}
	m.mu.Unlock()
	m.post.net.Close()
	m.receiver.post.net.Close()
	close(m.done)
	for _, wr := range ends {
		wr.end()
	}
}

// isOpen says whether clients may come.
func (m *member) isOpen() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.dead && !m.starting
}

// host creates an empty copy of a region.
func (m *member) host(attributes regionAttributes) *region {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := newRegion(attributes)
	if attributes.policyOf(m.name) == "partition" {
		r.buckets = newBuckets(attributes.Name)
	}
	m.regions[attributes.Name] = r
	return r
}

// leave gives up a copy.
func (m *member) leave(name string) {
	m.mu.Lock()
	delete(m.regions, name)
	m.mu.Unlock()
}

func (m *member) region(name string) *region {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.regions[name]
}

func (m *member) hosted() []*region {
	found := []*region{}
	for _, r := range m.regions {
		found = append(found, r)
	}
	return found
}

// thread is where the calls of a thread of the user run, one after the other.
func (m *member) thread(name string) *lane {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.threads[name]
	if l == nil {
		l = &lane{t: m.world.t}
		m.threads[name] = l
	}
	return l
}

// to is the connection of a thread to a peer.
func (m *member) to(thread string, peer *member) *wire {
	key := wireKey{thread, peer.name}
	m.mu.Lock()
	wr := m.wires[key]
	m.mu.Unlock()
	if wr != nil && !wr.broken() {
		return wr
	}
	wr = m.world.dial(peer.post)
	m.mu.Lock()
	m.wires[key] = wr
	dead := m.dead
	m.mu.Unlock()
	peer.mu.Lock()
	peer.incoming = append(peer.incoming, wr)
	dead = dead || peer.dead
	peer.mu.Unlock()
	if dead {
		wr.end()
	}
	return wr
}

// peers are the other members of the site that live.
func (m *member) peers() []*member {
	found := []*member{}
	for _, other := range m.world.living(m.site) {
		if other != m {
			found = append(found, other)
		}
	}
	return found
}

// askPeers sends a message to all peers over the connections of a thread.
func (m *member) askPeers(thread string, what message) []*reply {
	replies := []*reply{}
	for _, peer := range m.peers() {
		replies = append(replies, m.to(thread, peer).ask(what))
	}
	return replies
}

// hear waits for answers. A peer that has died needs not be waited for. Where this member itself has died, none has
// answered, perhaps. It ends here, so that it answers its own caller no more.
func (m *member) hear(replies []*reply) {
	for _, r := range replies {
		m.wait(r.w)
	}
	m.mu.Lock()
	dead := m.dead
	m.mu.Unlock()
	if dead {
		runtime.Goexit()
	}
}

// handle carries out what a peer asks for.
func (m *member) handle(wr *wire, asked *message) message {
	if strings.HasPrefix(asked.Kind, "bucket ") {
		return m.handleBucket(asked)
	}
	switch asked.Kind {
	case "update":
		for _, c := range asked.Changes {
			m.receive(c, asked.Flag)
		}
	case "lock":
		if r := m.region(asked.Region); r != nil {
			m.lockRegion(r, asked.Member)
		}
	case "unlock":
		if r := m.region(asked.Region); r != nil {
			m.unlockRegion(r, asked.Member)
		}
	case "whole":
		m.receiveWhole(*asked)
	case "image":
		return m.image(asked.Region)
	case "queued":
		m.copyQueued(asked)
	case "removed":
		m.dropQueued(asked)
	case "removed in buckets":
		m.dropRemoved(asked)
	case "queue sync":
		m.syncQueue(asked)
	case "queue image":
		m.mu.Lock()
		defer m.mu.Unlock()
		answer := message{}
		if s := m.senders[asked.Region]; s != nil && s.primary {
			answer.Flag = true
			s.image(&answer)
		}
		return answer
	case "collected":
		m.dropCollected(asked.Changes)
	case "client has":
		m.forgetReceived(asked)
	case "client queue":
		return m.clientQueue(asked)
	case "carried":
		m.mu.Lock()
		defer m.mu.Unlock()
		if c := m.carried[asked.Event]; c != nil {
			return message{Changes: []change{*c}}
		}
	default:
		return m.serve(wr, asked)
	}
	return message{}
}

// count moves a counter.
func (m *member) count(name string) {
	m.mu.Lock()
	m.counters[name]++
	m.mu.Unlock()
}

// log writes a line of this member's log.
func (m *member) log(level, text string) {
	m.mu.Lock()
	m.lines = append(m.lines, logLine{level, text})
	m.mu.Unlock()
}
