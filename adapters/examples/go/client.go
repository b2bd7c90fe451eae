package main

import "sync"

// client is a cache outside the cluster: its copies, its connections to servers, and what it knows of them.
type client struct {
	world    *world
	name     string
	id       string
	asked    clientAttributes
	site     int
	done     chan struct{}
	post     *post // where servers send events to
	recovery *lane // what it does when it loses a server

	mu          sync.Mutex
	dead        bool
	regions     map[string]*region
	local       map[string]bool // regions without a pool
	threads     map[string]*lane
	wires       map[wireKey]*wire
	numbers     map[string]int64 // by thread, the number of its last operation
	lists       []registration
	listsCount  int // how often they have changed
	primary     string
	secondaries []string // the longest-lived first
	control     map[string]*wire
	feeds       map[string]*wire
	attached    int // how often the primary has changed
	calm        []*waiter
	loading     int                // registrations under way: events wait until there are none
	touched     map[[2]string]bool // what the application has changed meanwhile
	late        []change           // what answers have brought that is newer than a value that stays
	turn        fifoLock           // one thread receives
	tracked     map[string]*track
	declared    bool // it has said that it is ready
	live        bool // the marker has come: what arrives is applied
	ownWhole    map[eventID]*waiter
}

func newClient(w *world, asked clientAttributes, regions []regionAttributes) *client {
	c := &client{
		world: w, name: asked.Name, id: w.identity(asked.Name), asked: asked, done: make(chan struct{}), recovery: &lane{t: w.t},
		regions: map[string]*region{}, local: map[string]bool{}, threads: map[string]*lane{},
		wires: map[wireKey]*wire{}, numbers: map[string]int64{}, control: map[string]*wire{},
		feeds: map[string]*wire{}, touched: map[[2]string]bool{}, tracked: map[string]*track{},
		ownWhole: map[eventID]*waiter{},
	}
	c.site = w.sites[asked.Servers[0]]
	for _, attributes := range regions {
		r := newRegion(attributes)
		r.checks = r.checks && (asked.Checks == nil || *asked.Checks)
		for _, host := range attributes.Policies {
			if host.Member == c.name {
				c.local[attributes.Name] = true
				r.checks = false
			}
		}
		c.regions[attributes.Name] = r
	}
	c.post = newPost(w, c.arrive)
	return c
}

// wait lets a goroutine of this client wait; it ends when the client ends.
func (c *client) wait(w *waiter) { c.world.t.wait(w, c.done) }

// die ends the client without a word.
func (c *client) die() {
	c.mu.Lock()
	if c.dead {
		c.mu.Unlock()
		return
	}
	c.dead = true
	ends := []*wire{}
	for _, wr := range c.wires {
		ends = append(ends, wr)
	}
	for _, wr := range c.feeds {
		ends = append(ends, wr)
	}
	c.mu.Unlock()
	c.post.net.Close()
	close(c.done)
	for _, wr := range ends {
		wr.end()
	}
}

func (c *client) region(name string) *region {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.regions[name]
}

// thread is where the calls of a thread of the user run, one after the other.
func (c *client) thread(name string) *lane {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.threads[name]
	if l == nil {
		l = &lane{t: c.world.t}
		c.threads[name] = l
	}
	return l
}

// to is the connection of a thread to a server.
func (c *client) to(thread string, m *member) *wire {
	key := wireKey{thread, m.name}
	c.mu.Lock()
	wr := c.wires[key]
	c.mu.Unlock()
	if wr != nil && !wr.broken() {
		return wr
	}
	wr = c.world.dial(m.post)
	wr.hasty = true
	c.world.mu.Lock()
	silent := c.world.silent[[2]string{c.name, m.name}]
	c.world.mu.Unlock()
	wr.silence(silent)
	c.mu.Lock()
	c.wires[key] = wr
	dead := c.dead
	c.mu.Unlock()
	m.mu.Lock()
	m.incoming = append(m.incoming, wr)
	dead = dead || m.dead
	m.mu.Unlock()
	if dead {
		wr.end()
	}
	return wr
}

// listens notes the connection on which a server sends events. A server that is given up is not listened to.
func (c *client) listens(server string, wr *wire) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.feeds[server] = wr
	return !c.dead
}

// servers are the servers of the client that live, its primary first.
func (c *client) servers() []*member {
	c.mu.Lock()
	primary := c.primary
	c.mu.Unlock()
	found := []*member{}
	for _, name := range append([]string{primary}, c.asked.Servers...) {
		m := c.world.member(name)
		if m != nil && m.isOpen() && (name != primary || len(found) == 0) {
			found = append(found, m)
		}
	}
	return found
}

// ask has a server carry out a call. Where an answer is lost or a server dies, it tries another one, and says
// so. The status is `failed` where no server was reached, and `indefinite` where one may have done it.
func (c *client) ask(thread string, what message) (message, string) {
	for {
		count := c.world.count()
		lost := false
		for _, m := range c.servers() {
			asked := c.to(thread, m).ask(what)
			c.wait(asked.w)
			if !asked.broken && !asked.lost {
				return asked.answer, ""
			}
			lost = lost || asked.lost
			what.Flag = true
		}
		if !lost {
			status := "failed"
			if what.Flag {
				status = "indefinite"
			}
			return message{}, status
		}
		w := newWaiter()
		c.world.onChangeSince(count, w)
		c.wait(w)
	}
}

// silence has the answers of a server to a client's calls lost, or no longer.
func (w *world) silence(c *client, server string, on bool) {
	w.mu.Lock()
	w.silent[[2]string{c.name, server}] = on
	w.mu.Unlock()
	c.mu.Lock()
	calls := []*wire{}
	for key, wr := range c.wires {
		if key.to == server && key.thread != controlling {
			calls = append(calls, wr)
		}
	}
	c.mu.Unlock()
	for _, wr := range calls {
		if on {
			wr.silence(true)
		} else {
			wr.end()
		}
	}
	w.changed()
}

// sweep drops the tombstones that have expired.
func (c *client) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.regions {
		for key, e := range r.entries {
			if c.expired(e) {
				delete(r.entries, key)
			}
		}
	}
}

// expired says whether a tombstone of a client is past its age.
func (c *client) expired(e *entry) bool {
	limit := int64(480_000)
	if c.world.tombs.OtherTimeoutMs != nil {
		limit = *c.world.tombs.OtherTimeoutMs
	}
	return !e.there && c.world.clock.of(c.site) >= e.since+limit
}

// tombstones counts them.
func (c *client) tombstones() (count int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.regions {
		for _, e := range r.entries {
			if !e.there {
				count++
			}
		}
	}
	return count
}
