package main

import (
	"fmt"
	"sort"
)

// queued is an event in the queue of a sender.
type queued struct {
	Key      int64 // its place: the primary gives it
	Change   change
	Repeated bool // it may have been sent before
	from     string
	at       int64 // when it became available, by the common clock
}

// sender is a serial gateway sender on one member. One member of the site is its primary and dispatches; the
// others hold copies of the queue, and remember what the primary has not queued yet.
// Its fields are guarded by the mutex of its member.
type sender struct {
	m       *member
	queue   queueAttributes
	primary bool
	started bool
	paused  bool
	events  []*queued
	last    int64            // highest key given or seen
	removed int64            // highest key that was dispatched and removed
	early   []change         // unprocessed: applied here, not queued by the primary as far as is known
	settled map[eventID]bool // what the primary has queued, or left out, as far as is known here
	idle    *waiter          // what the dispatcher waits for
	wire    *wire
}

func newSender(m *member, q queueAttributes) *sender {
	return &sender{m: m, queue: q, settled: map[eventID]bool{}}
}

// crosses says whether a change is one that is distributed between sites.
func crosses(c change) bool { return c.Kind == "put" || c.Kind == "destroy" }

// fed are the senders and asynchronous queues that a change goes to. What came from another site is not sent on.
func (m *member) fed(r *region, c change) []string {
	switch {
	case !crosses(c):
		return nil
	case c.Stamp.Site != m.site:
		return r.attributes.Queues
	}
	return append(append([]string{}, r.attributes.Senders...), r.attributes.Queues...)
}

// feed gives a change that was applied here to the queues of its region. It is called with the member's mutex.
// It says what the other members have to be told of that, by queue.
func (m *member) feed(r *region, c change) []message {
	told := []message{}
	for _, id := range m.fed(r, c) {
		s := m.senders[id]
		switch {
		case s == nil || s.queue.Parallel:
		case s.settled[c.Event]:
		case s.primary:
			told = append(told, s.enqueue(c))
		default:
			s.remember(c)
		}
	}
	return told
}

// pass tells the other members that the primary here leaves a change out, since its member has discarded it.
func (m *member) pass(r *region, c change) []message {
	told := []message{}
	for _, id := range m.fed(r, c) {
		if s := m.senders[id]; s != nil && s.primary && !s.queue.Parallel {
			told = append(told, message{Kind: "queued", Member: m.name, Region: id, Changes: []change{c}, Numbers: []int64{0}})
		}
	}
	return told
}

// enqueue appends a change to the primary's queue.
func (s *sender) enqueue(c change) message {
	s.last++
	s.events = append(s.events, &queued{Key: s.last, Change: c, at: s.m.world.clock.common()})
	s.settled[c.Event] = true
	s.poke()
	return message{Kind: "queued", Member: s.m.name, Region: s.queue.ID, Changes: []change{c}, Numbers: []int64{s.last}}
}

// remember records a change on a secondary until the primary tells of it.
func (s *sender) remember(c change) {
	if s.m.world.bug != "secondary-forgets" {
		s.early = append(s.early, c)
	}
}

// share sends copies of what was queued to the other members, and waits until they have them.
func (m *member) shareQueued(thread string, told []message) {
	for _, one := range told {
		m.hear(m.askPeers("queue of "+thread, one))
	}
}

// copyQueued takes a queue entry of the primary.
func (m *member) copyQueued(what *message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.senders[what.Region]
	if s == nil || s.primary || !m.world.lives(what.Member) {
		return // a copy that comes behind the death of its primary is none: the event stays a record
	}
	for i, c := range what.Changes {
		s.known(c.Event)
		if key := what.Numbers[i]; key > s.removed {
			s.insert(&queued{Key: key, Change: c, from: what.Member, at: m.world.clock.common()})
		}
	}
}

// known notes that the primary has queued an event, or left it out. No record of it is needed any more.
func (s *sender) known(id eventID) {
	if s.m.world.bug != "queues-twice-at-takeover" {
		s.settled[id] = true
	}
	for i, c := range s.early {
		if c.Event == id {
			s.early = append(append([]change{}, s.early[:i]...), s.early[i+1:]...)
			return
		}
	}
}

// insert puts a copy at the place of its key.
func (s *sender) insert(q *queued) {
	at := sort.Search(len(s.events), func(i int) bool { return s.events[i].Key >= q.Key })
	if at < len(s.events) && s.events[at].Key == q.Key {
		return
	}
	s.events = append(s.events, nil)
	copy(s.events[at+1:], s.events[at:])
	s.events[at] = q
	if q.Key > s.last {
		s.last = q.Key
	}
}

// drop removes all events up to a key.
func (s *sender) drop(upTo int64) {
	for len(s.events) > 0 && s.events[0].Key <= upTo {
		s.events = s.events[1:]
	}
	if upTo > s.removed {
		s.removed = upTo
	}
}

// dropQueued removes what the primary has dispatched, as it tells.
func (m *member) dropQueued(what *message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.senders[what.Region]; s != nil && !s.primary {
		s.drop(what.Numbers[0])
		for _, c := range what.Changes {
			s.known(c.Event)
		}
	}
}

// poke has the dispatcher look at its queue again.
func (s *sender) poke() {
	if s.idle != nil {
		s.m.world.t.wake(s.idle)
		s.idle = nil
	}
}

// takeOver makes this sender the primary: its copy of the queue first, then what it has remembered.
func (s *sender) takeOver() {
	m := s.m
	m.mu.Lock()
	inQueue := map[eventID]bool{}
	for _, q := range s.events {
		q.Repeated = true
		inQueue[q.Change.Event] = m.world.bug != "queues-twice-at-takeover"
	}
	fresh := message{Kind: "queue sync", Member: m.name, Region: s.queue.ID}
	for _, c := range s.early {
		if !inQueue[c.Event] && m.world.bug != "takeover-drops-records" {
			s.last++
			s.events = append(s.events, &queued{Key: s.last, Change: c, Repeated: true, at: m.world.clock.common()})
		}
	}
	if m.world.bug == "takeover-drops-queue" {
		s.events = nil
	}
	for _, q := range s.events {
		s.settled[q.Change.Event] = true
	}
	s.early = nil
	s.primary = true
	s.image(&fresh)
	m.mu.Unlock()
	m.hear(m.askPeers("takeover of "+s.queue.ID, fresh))
	s.dispatch()
}

// image writes the queue into a message.
func (s *sender) image(into *message) {
	into.Numbers = []int64{s.last, s.removed}
	for _, q := range s.events {
		into.Changes = append(into.Changes, q.Change)
		into.Numbers = append(into.Numbers, q.Key)
	}
}

// syncQueue takes over the queue of a new primary, or of the primary when this member starts.
// What the primary lacks becomes a record again.
func (m *member) syncQueue(what *message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.senders[what.Region]
	if s == nil || s.primary || len(what.Numbers) < 2 {
		return
	}
	there := map[eventID]bool{}
	mine := s.events
	s.events, s.last, s.removed = nil, what.Numbers[0], what.Numbers[1]
	for i, c := range what.Changes {
		there[c.Event] = true
		s.known(c.Event)
		s.insert(&queued{Key: what.Numbers[i+2], Change: c, from: what.Member, at: m.world.clock.common()})
	}
	lacking := []change{}
	for _, q := range mine {
		if q.from == what.Member { // the new primary has queued it since it wrote this down
			s.insert(q)
		} else if !there[q.Change.Event] && q.Key > s.removed {
			lacking = append(lacking, q.Change)
			delete(s.settled, q.Change.Event)
		}
	}
	s.early = append(lacking, s.early...)
}

// ready is the next batch: the oldest events, if they are as many as a batch takes or have waited long enough.
// Else it is how long to wait, or less than zero if nothing is to be sent.
func (s *sender) ready() ([]*queued, int64) {
	events := s.events
	if s.queue.Parallel {
		events = s.inBuckets(false)
	}
	if !s.started || s.paused || len(events) == 0 {
		return nil, -1
	}
	if len(events) >= s.queue.BatchSize {
		return append([]*queued{}, events[:s.queue.BatchSize]...), 0
	}
	if left := events[0].at + s.queue.BatchIntervalMs - s.m.world.clock.common(); left > 0 {
		return nil, left
	}
	return append([]*queued{}, events...), 0
}

// dispatch sends batches as long as this member lives: read, send, wait for the answer, remove.
func (s *sender) dispatch() {
	m := s.m
	for {
		m.mu.Lock()
		batch, wait := s.ready()
		if batch == nil {
			w := newWaiter()
			s.idle = w
			if wait > 0 {
				m.world.clock.wakeAt(wait, w, m.world.t)
			}
			m.mu.Unlock()
			m.wait(w)
			continue
		}
		m.mu.Unlock()
		switch m.world.bug {
		case "removes-before-answer":
			s.remove(batch)
		case "trims-secondaries-early":
			s.tellRemoved(batch)
		case "copies-drop-when-sent":
			if s.queue.Parallel {
				s.tellRemoved(batch)
			}
		}
		answer, batch := s.deliver(batch)
		if len(batch) == 0 {
			continue
		}
		for i, key := range answer.Keys {
			m.log("warn", fmt.Sprintf("event for key %s failed at the other site: %s", key, answer.Reasons[i]))
		}
		s.remove(batch)
	}
}

// deliver sends a batch, again and again until it is answered. It gives what was sent at last: of a parallel queue,
// what has another primary by now is left out.
func (s *sender) deliver(batch []*queued) (message, []*queued) {
	m := s.m
	if s.queue.RemoteSite == nil {
		for len(batch) > 0 && !m.world.listener.takes(m, s.queue.ID, batch) {
			s.resumed()
			batch = s.stillHere(batch)
		}
		return message{}, batch
	}
	for {
		s.resumed()
		if batch = s.stillHere(batch); len(batch) == 0 {
			return message{}, nil
		}
		wr, wait := s.connection()
		if wr == nil {
			w := newWaiter()
			if wait > 0 {
				m.world.clock.wakeAt(wait, w, m.world.t)
			} else {
				m.world.onChange(w)
			}
			m.wait(w)
			continue
		}
		sent := message{Kind: "batch", Region: s.queue.ID, Flag: s.queue.keepsFailed()}
		if s.queue.Parallel {
			sent.Region += " of " + m.name
		}
		for _, q := range batch {
			sent.Changes = append(sent.Changes, s.crossing(q.Change))
		}
		if m.world.bug == "resends-backwards" && batch[0].Repeated {
			for i, j := 0, len(batch)-1; i < j; i, j = i+1, j-1 {
				sent.Changes[i], sent.Changes[j] = sent.Changes[j], sent.Changes[i]
			}
		}
		asked := wr.ask(sent)
		m.wait(asked.w)
		if !asked.broken {
			return asked.answer, batch
		}
		if m.world.bug == "unanswered-is-done" {
			return message{}, batch
		}
		m.mu.Lock()
		for _, q := range batch {
			q.Repeated = true
		}
		m.mu.Unlock()
	}
}

// resumed waits as long as the queue is paused: nothing is sent again meanwhile either.
func (s *sender) resumed() {
	for {
		s.m.mu.Lock()
		if !s.paused {
			s.m.mu.Unlock()
			return
		}
		w := newWaiter()
		s.idle = w
		s.m.mu.Unlock()
		s.m.wait(w)
	}
}

// remove takes a batch out of the queue here, and then tells the other members.
func (s *sender) remove(batch []*queued) {
	s.m.mu.Lock()
	if s.queue.Parallel {
		s.removeFromBuckets(batch)
	} else {
		s.drop(batch[len(batch)-1].Key)
	}
	s.m.mu.Unlock()
	if s.m.world.bug != "tells-no-removals" {
		s.tellRemoved(batch)
	}
}

// tellRemoved tells the other members that a batch has been dispatched.
func (s *sender) tellRemoved(batch []*queued) {
	if s.queue.Parallel {
		if s.m.world.bug != "tells-no-bucket-removals" {
			s.tellRemovedFromBuckets(batch)
		}
		return
	}
	told := message{Kind: "removed", Region: s.queue.ID, Numbers: []int64{batch[len(batch)-1].Key}}
	for _, q := range batch {
		told.Changes = append(told.Changes, change{Event: q.Change.Event})
	}
	for _, peer := range s.m.peers() {
		s.m.to("removals of "+s.queue.ID, peer).tell(told)
	}
}

// connection is the one to a receiver of the other site. It stays until it breaks.
// Where there is none it says how long to wait; zero: until something changes.
func (s *sender) connection() (*wire, int64) {
	m := s.m
	if s.wire != nil && !s.wire.broken() {
		return s.wire, 0
	}
	state := m.world.link(m.site, s.queue.remote())
	if state == "down" {
		return nil, 0
	}
	for _, receiver := range m.world.living(s.queue.remote()) {
		if wr := m.toReceiver(receiver); wr != nil {
			s.wire = wr
			return wr, 0
		}
	}
	if m.world.clock.isHeld() {
		return nil, 5000
	}
	return nil, 0
}
