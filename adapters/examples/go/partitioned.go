package main

import "fmt"

// What members do with partitioned regions. The primary of a key carries out each call, under the lock of the entry,
// and keeps the lock until all copies have the change.

// bucket is what one member knows of a bucket. Its fields are guarded by the mutex of the member.
type bucket struct {
	region  string
	number  int
	holds   bool // it has a copy
	primary bool
	term    int64 // of the primary that it follows: what an earlier one has sent comes too late
	seq     int64 // of the last change
	lock    regionLock
	latest  map[string]change  // the last change of each key
	records map[eventID]change // what callers have changed, for second attempts
	heard   map[eventID]bool
	floor   int64 // changes up to this one are old, for a member that has started later
	shadows map[string]*shadow
}

func newBuckets(region string) []*bucket {
	found := []*bucket{}
	for number := 0; number < bucketCount; number++ {
		b := &bucket{region: region, number: number}
		b.empty()
		found = append(found, b)
	}
	return found
}

// empty forgets what the bucket holds.
func (b *bucket) empty() {
	b.holds, b.primary = false, false
	b.latest, b.records = map[string]change{}, map[eventID]change{}
	b.shadows = map[string]*shadow{}
	if b.heard == nil {
		b.heard = map[eventID]bool{}
	}
}

func (r *region) bucketOf(key string) *bucket { return r.buckets[bucketOf(key)] }

// settleIn gives a member the buckets that it has from the start.
func (m *member) settleIn(name string) {
	r := m.region(name)
	if r == nil || r.buckets == nil {
		return
	}
	for _, b := range r.buckets {
		holders, term := m.world.holders(name, b.number)
		m.mu.Lock()
		for i, holder := range holders {
			if holder == m.name {
				b.holds, b.primary, b.term = true, i == 0, term
			}
		}
		m.mu.Unlock()
	}
}

// callInBucket has the primary of a key carry out a call of this member.
func (m *member) callInBucket(r *region, o operation) outcome {
	switch o.Kind {
	case "get", "contains_key":
		answer := m.readInBucket(r, o)
		return outcome{Status: answer.Status, Value: answer.Value}
	}
	m.mu.Lock()
	m.events[o.Thread]++
	id := eventID{m.id + "/" + o.Thread, m.events[o.Thread]}
	m.mu.Unlock()
	answer := m.route(r, o.Key, message{Kind: "bucket call", Region: o.Region, Op: &o, Event: id, Origin: m.name})
	return outcome{Status: answer.Status, Value: answer.Value, Detail: answer.Text}
}

// readInBucket reads an entry from the copy that is here, or else at the primary.
func (m *member) readInBucket(r *region, o operation) message {
	b := r.bucketOf(o.Key)
	m.mu.Lock()
	if b.holds {
		defer m.mu.Unlock()
		return m.readHere(r, o)
	}
	m.mu.Unlock()
	return m.route(r, o.Key, message{Kind: "bucket call", Region: o.Region, Op: &o, Event: eventID{Thread: m.id + "/" + o.Thread}})
}

// readHere reads this member's copy. It is called with the mutex.
func (m *member) readHere(r *region, o operation) message {
	p := decide(o, r.entries[o.Key])
	answer := message{Ready: true, Status: p.status, Value: p.value}
	if e := r.entries[o.Key]; e != nil && e.there && e.valid {
		answer.Flag = true
		answer.Changes = []change{{
			Region: o.Region, Key: o.Key, Kind: "put", Value: e.value, Stamp: e.stamp, Valid: true,
		}}
	}
	return answer
}

// route has the primary of a key do something. Where it dies or is another one by now, the next one is asked.
func (m *member) route(r *region, key string, what message) message {
	number := bucketOf(key)
	for {
		count := m.world.count()
		holders, _ := m.world.holders(what.Region, number)
		answer := message{}
		own := m.carriesOut(r, number)
		switch {
		case len(holders) == 0 && !own:
		case own || holders[0] == m.name:
			answer = m.atPrimary(&what)
		default:
			if peer := m.world.member(holders[0]); peer != nil {
				asked := m.to("for "+what.Event.Thread, peer).ask(what)
				m.wait(asked.w)
				if !asked.broken {
					answer = asked.answer
				}
			}
		}
		if answer.Ready {
			return answer
		}
		w := newWaiter()
		m.world.onChangeSince(count, w)
		m.wait(w)
	}
}

// carriesOut is where mistakes have a member carry out calls itself, though another one is the primary.
func (m *member) carriesOut(r *region, number int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch b := r.buckets[number]; m.world.bug {
	case "copy-carries-out":
		return b.holds
	case "stays-primary-after-move", "each-copy-takes-over":
		return b.primary
	}
	return false
}

// atPrimary carries out a call, if this member is the primary of its key. It says so by `Ready`.
func (m *member) atPrimary(asked *message) message {
	r := m.region(asked.Region)
	if r == nil || r.buckets == nil {
		return message{}
	}
	o := *asked.Op
	b := r.bucketOf(o.Key)
	m.enter(&b.lock)
	defer m.exit(&b.lock)
	m.mu.Lock()
	if !b.primary && !(m.world.bug == "copy-carries-out" && b.holds) {
		m.mu.Unlock()
		return message{}
	}
	switch o.Kind {
	case "get", "contains_key":
		defer m.mu.Unlock()
		return m.readHere(r, o)
	}
	m.mu.Unlock()
	return m.changeInBucket(r, b, o, asked)
}

// changeInBucket carries out a call on one entry: here, then on the copies. A second attempt gives the first one's answer.
func (m *member) changeInBucket(r *region, b *bucket, o operation, asked *message) message {
	locked := o.Key
	switch m.world.bug {
	case "one-lock-for-all-keys":
		locked = ""
	case "primary-locks-nothing":
		locked = fmt.Sprint(asked.Event)
	}
	m.lockEntry(r, locked)
	m.mu.Lock()
	if before, again := b.records[asked.Event]; again && m.world.bug != "carries-out-again" {
		m.mu.Unlock()
		m.unlockEntry(r, locked)
		return message{Ready: true, Status: "ok", Value: before.Answer, Changes: []change{before}}
	}
	p := decide(o, r.entries[o.Key])
	m.mu.Unlock()
	answer := message{Ready: true, Status: p.status, Value: p.value}
	if p.kind == "" {
		m.unlockEntry(r, locked)
		return answer
	}
	m.world.listener.stand(m, m.name, "writer", o.token())
	if m.world.listener.vetoes(m.name, o.Region, o.Key) {
		m.unlockEntry(r, locked)
		return message{Ready: true, Status: "failed", Text: "refused as scripted"}
	}
	c := change{
		Region: o.Region, Key: o.Key, Kind: p.kind, Token: o.token(), Origin: asked.Origin, Event: asked.Event,
		Answer: p.value,
	}
	if p.kind == "put" {
		c.Value = o.value()
	}
	now := m.world.clock.of(m.site)
	m.mu.Lock()
	c.Stamp = r.next(o.Key, m.rank, m.site, now, m.world.bug)
	c.Seq = b.seq + 1
	c.New = r.names(c) == "create"
	m.keepInBucket(r, b, c)
	m.sent[c.Token] = c
	if m.world.bug == "queues-at-primary-first" {
		m.shadow(r, b, c)
	}
	m.mu.Unlock()
	m.waitForClients()
	m.world.listener.stand(m, m.name, "listener", c.Token)
	if m.world.bug == "does-not-wait-for-copies" {
		m.unlockEntry(r, locked)
		m.world.t.spawn(func() { m.distribute(b, c) })
	} else {
		m.distribute(b, c)
	}
	m.mu.Lock()
	m.shadow(r, b, c)
	m.mu.Unlock()
	if m.world.bug != "does-not-wait-for-copies" {
		m.unlockEntry(r, locked)
	}
	answer.Changes = []change{c}
	return answer
}

// distribute sends a change to the copies, and then to the members that hold none, for their clients.
// Buckets with even numbers send to all copies at once, others to one after the other, the last one first.
func (m *member) distribute(b *bucket, c change) {
	m.mu.Lock()
	term := b.term
	m.mu.Unlock()
	line := "for " + c.Event.Thread
	holders, _ := m.world.holders(b.region, b.number)
	update := message{Kind: "bucket update", Region: b.region, Changes: []change{c}, Numbers: []int64{int64(b.number), term}}
	replies := []*reply{}
	if m.world.bug == "skips-a-copy" && len(holders) > 2 {
		holders = holders[:len(holders)-1]
	}
	for i := len(holders) - 1; i >= 0; i-- {
		peer := m.world.member(holders[i])
		if peer == nil || peer == m {
			continue
		}
		one := m.to(line, peer).ask(update)
		if replies = append(replies, one); b.number%2 == 1 {
			m.wait(one.w)
		}
	}
	m.hear(replies)
	if m.world.bug == "tells-of-own-buckets" {
		return
	}
	heard := update
	heard.Kind = "bucket heard"
	replies = nil
	for _, peer := range m.peers() {
		if len(others(holders, peer.name)) == len(holders) {
			replies = append(replies, m.to(line, peer).ask(heard))
		}
	}
	m.hear(replies)
}

// keepInBucket applies a change to the copy that is here. It is called with the member's mutex.
func (m *member) keepInBucket(r *region, b *bucket, c change) {
	m.apply(r, c)
	b.latest[c.Key], b.records[c.Event], b.heard[c.Event] = c, c, true
	if c.Seq > b.seq {
		b.seq = c.Seq
	}
}

// handleBucket carries out what a peer asks of a bucket.
func (m *member) handleBucket(asked *message) message {
	if asked.Kind == "bucket call" {
		return m.atPrimary(asked)
	}
	r := m.region(asked.Region)
	if r == nil || r.buckets == nil {
		return message{}
	}
	b := r.buckets[asked.Numbers[0]]
	switch asked.Kind {
	case "bucket update":
		m.receiveInBucket(r, b, asked.Changes[0], asked.Numbers[1])
	case "bucket heard":
		m.mu.Lock()
		m.hearOf(b, asked.Changes[0])
		m.mu.Unlock()
	case "bucket sync":
		m.mu.Lock()
		defer m.mu.Unlock()
		b.follow(asked.Numbers[1])
		return m.bucketImage(r, b)
	case "bucket filled":
		m.fillBucket(r, b, asked)
	case "bucket given":
		m.takeGiven(r, b, asked)
	case "bucket seq":
		m.mu.Lock()
		defer m.mu.Unlock()
		return message{Numbers: []int64{b.seq}}
	case "bucket load":
		m.mu.Lock()
		defer m.mu.Unlock()
		return message{Flag: b.primary, Changes: m.loadBucket(r, b, asked.Interest)}
	}
	return message{}
}

// hearOf notes a change of a bucket that this member does not hold. Clients of this member receive it.
func (m *member) hearOf(b *bucket, c change) {
	if b.heard[c.Event] || c.Seq <= b.floor {
		return
	}
	b.heard[c.Event] = true
	if m.world.bug == "all-hold-queues" {
		m.shadow(m.regions[b.region], b, c)
	}
	m.queueForClients(c, false)
}

// follow notes the term of a new primary: what an earlier one has sent is refused from here on.
func (b *bucket) follow(term int64) {
	if term > b.term && b.holds {
		b.term = term
	}
}

// receiveInBucket takes a change from the primary, or once more from any member (term 0).
func (m *member) receiveInBucket(r *region, b *bucket, c change, term int64) {
	m.lockEntry(r, c.Key)
	m.mu.Lock()
	late := term != 0 && term < b.term
	v := r.judge(c, m.expired, m.world.bug)
	stays := b.holds && !late && v == applies
	if stays {
		m.keepInBucket(r, b, c)
		m.shadow(r, b, c)
	}
	m.mu.Unlock()
	m.waitForClients()
	if stays {
		m.world.listener.stand(m, m.name, "listener", c.Token)
	}
	m.unlockEntry(r, c.Key)
}

// loadBuckets is what a list of registrations brings from partitioned regions: all buckets, wherever they lie.
func (m *member) loadBuckets(list []registration) []change {
	names := map[string]bool{}
	for _, g := range list {
		names[g.Region] = true
	}
	found := []change{}
	for name := range names {
		r := m.region(name)
		if r == nil || r.buckets == nil {
			continue
		}
		for _, b := range r.buckets {
			found = append(found, m.loadOne(r, b, list)...)
		}
	}
	return found
}

// loadOne reads one bucket, here or at its primary.
func (m *member) loadOne(r *region, b *bucket, list []registration) []change {
	for {
		m.mu.Lock()
		if b.holds || m.world.bug == "loads-own-buckets" {
			defer m.mu.Unlock()
			return m.loadBucket(r, b, list)
		}
		m.mu.Unlock()
		count := m.world.count()
		holders, _ := m.world.holders(b.region, b.number)
		if len(holders) == 0 {
			return nil
		}
		if peer := m.world.member(holders[0]); peer != nil && peer != m {
			asked := m.to("loads", peer).ask(message{
				Kind: "bucket load", Region: b.region, Numbers: []int64{int64(b.number)}, Interest: list,
			})
			m.wait(asked.w)
			if !asked.broken && asked.answer.Flag {
				return asked.answer.Changes
			}
		}
		w := newWaiter()
		m.world.onChangeSince(count, w)
		m.wait(w)
	}
}

// loadBucket is what registrations bring from a copy that is here. It is called with the member's mutex.
func (m *member) loadBucket(r *region, b *bucket, list []registration) []change {
	found := []change{}
	for _, c := range m.loadRegion(b.region, r, list) {
		if bucketOf(c.Key) == b.number {
			found = append(found, c)
		}
	}
	return found
}
