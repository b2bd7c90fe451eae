package main

import (
	"fmt"
	"sort"
)

// Parallel gateway senders and asynchronous queues: each member dispatches what it is the primary of. The queue of a
// bucket lies where the bucket lies.

// shadow is what a bucket has of one parallel queue.
type shadow struct {
	events []*queued
	gone   map[eventID]bool // removed: it does not come in again
}

func (b *bucket) shadow(queue string) *shadow {
	s := b.shadows[queue]
	if s == nil {
		s = &shadow{gone: map[eventID]bool{}}
		b.shadows[queue] = s
	}
	return s
}

// drop takes an event out, for good.
func (s *shadow) drop(id eventID) {
	s.gone[id] = true
	kept := []*queued{}
	for _, q := range s.events {
		if q.Change.Event != id {
			kept = append(kept, q)
		}
	}
	s.events = kept
}

// shadow puts a change into the parallel queues of its region. It is called with the member's mutex.
func (m *member) shadow(r *region, b *bucket, c change) {
	for _, id := range m.fed(r, c) {
		m.shadowOne(b, id, c)
	}
	m.pokeQueues()
}

func (m *member) shadowOne(b *bucket, queue string, c change) {
	sends := m.senders[queue]
	if sends == nil || !sends.queue.Parallel {
		return
	}
	s := b.shadow(queue)
	if s.gone[c.Event] {
		return
	}
	for _, q := range s.events {
		if q.Change.Event == c.Event {
			return
		}
	}
	sends.last++
	s.events = append(s.events, &queued{Key: sends.last, Change: c, at: m.world.clock.common()})
}

// pokeQueues has the dispatchers of parallel queues look again. It is called with the mutex.
func (m *member) pokeQueues() {
	for _, s := range m.senders {
		if s.queue.Parallel {
			s.poke()
		}
	}
}

// inBuckets are the events of a parallel queue on this member, the oldest first: all, or those of its primaries.
func (s *sender) inBuckets(all bool) []*queued {
	found := []*queued{}
	for _, r := range s.m.regions {
		for _, b := range r.buckets {
			if all || b.primary || s.m.world.bug == "copies-dispatch-too" {
				if of := b.shadows[s.queue.ID]; of != nil {
					found = append(found, of.events...)
				}
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Key < found[j].Key })
	return found
}

// stillHere are those events of a batch that are this member's to dispatch.
func (s *sender) stillHere(batch []*queued) []*queued {
	if !s.queue.Parallel {
		return batch
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	here := map[*queued]bool{}
	for _, q := range s.inBuckets(false) {
		here[q] = true
	}
	kept := []*queued{}
	for _, q := range batch {
		if here[q] {
			kept = append(kept, q)
		}
	}
	return kept
}

// crossing is a change as it is sent to another site. What a thread does in several buckets overtakes itself on several
// ways, so each bucket counts as a thread of its own there. Else a client takes what comes late for a repetition.
func (s *sender) crossing(c change) change {
	if s.queue.Parallel {
		c.Event.Thread = fmt.Sprintf("%s/%s/%d", c.Event.Thread, c.Region, bucketOf(c.Key))
	}
	return c
}

// removeFromBuckets takes a batch out of the buckets here.
func (s *sender) removeFromBuckets(batch []*queued) {
	for _, q := range batch {
		if r := s.m.regions[q.Change.Region]; r != nil && r.buckets != nil {
			r.bucketOf(q.Change.Key).shadow(s.queue.ID).drop(q.Change.Event)
		}
	}
}

// tellRemovedFromBuckets tells the other members which events have been dispatched, behind the dispatch.
func (s *sender) tellRemovedFromBuckets(batch []*queued) {
	told := message{Kind: "removed in buckets", Region: s.queue.ID}
	for _, q := range batch {
		told.Changes = append(told.Changes, change{Region: q.Change.Region, Key: q.Change.Key, Event: q.Change.Event})
	}
	for _, peer := range s.m.peers() {
		s.m.to("removals of "+s.queue.ID, peer).tell(told)
	}
}

// dropRemoved removes from the copies here what a primary has dispatched.
func (m *member) dropRemoved(told *message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range told.Changes {
		r := m.regions[c.Region]
		if r == nil || r.buckets == nil {
			continue
		}
		s := r.bucketOf(c.Key).shadow(told.Region)
		s.drop(c.Event)
		if m.world.bug == "removal-empties-bucket" {
			s.events = nil
		}
	}
}
