package main

import (
	"fmt"
	"strconv"
	"time"
)

// What the adapter does for gateway senders and resolvers.

// createQueue keeps the settings of a sender. Its members start it at the next reset.
func (s *session) createQueue(raw []byte) error {
	q := queueAttributes{Dispatchers: 1, BatchSize: 100, BatchIntervalMs: 10}
	if err := strictly(raw, &q); err != nil {
		return &rpcError{wrongParams, err.Error()}
	}
	switch {
	case q.Dispatchers > 1, q.Conflate, q.Persistent, q.MaximumMemoryMb != 0 && q.MaximumMemoryMb != 100:
		return unsupportedf("senders have one dispatcher here, and keep their queues in memory")
	}
	for _, one := range s.queues {
		if one.ID == q.ID {
			return nil
		}
	}
	s.queues = append(s.queues, q)
	return nil
}

func (s *session) queueAction(m *member, p params) error {
	id, err := named(p)
	if err != nil {
		return err
	}
	if id == "receiver" {
		m.setReceiver(p.Action == "start")
		return nil
	}
	m.mu.Lock()
	one := m.senders[id]
	m.mu.Unlock()
	if one == nil {
		return fmt.Errorf("%s does not run %s", m.name, id)
	}
	switch p.Action {
	case "start":
		s.world.start(m, id)
		s.world.t.rest(10*time.Second, nil)
	case "pause", "resume":
		m.mu.Lock()
		one.paused = p.Action == "pause"
		one.poke()
		m.mu.Unlock()
	default:
		return unsupportedf("senders do not %s here", p.Action)
	}
	return nil
}

// named is the name of a queue.
func named(p params) (string, error) {
	var id string
	if err := strictly(p.Queue, &id); err != nil {
		return "", &rpcError{wrongParams, err.Error()}
	}
	return id, nil
}

func (s *session) lookAtQueue(m *member, p params) (interface{}, error) {
	id, err := named(p)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.senders[id]; one != nil {
		return one.look(), nil
	}
	return fieldsOf{"depth": 0, "role": "none"}, nil
}

func (s *session) link(p params) error {
	if c := s.world.client(p.Source); c != nil && s.isMember(p.Target) && (p.State == "drop_acks" || p.State == "up") {
		s.world.silence(c, p.Target, p.State == "drop_acks")
		return nil
	}
	from, wrong := strconv.Atoi(p.Source)
	to, alsoWrong := strconv.Atoi(p.Target)
	if wrong != nil || alsoWrong != nil || p.State == "hold" {
		return unsupportedf("links are between sites here, and up, down or without answers")
	}
	s.world.setLink(from, to, p.State)
	return nil
}

// resolves is the conflict resolver: it answers by its policy, and what it was told is an event of the log.
func (l *listening) resolves(m *member, c change, e *entry, later bool) string {
	l.mu.Lock()
	policy := l.policies[m.name+"\n"+c.Region]
	l.mu.Unlock()
	if policy == "" {
		return ""
	}
	answer := policy
	if answer == "replace" && c.Kind != "put" {
		answer = "allow"
	}
	var site, within int64
	if n, _ := fmt.Sscanf(policy, "prefer %d within %d ms", &site, &within); n == 2 {
		apart := c.Stamp.Time - e.stamp.Time
		if apart < 0 {
			apart = -apart
		}
		wins := later
		if apart <= within && (int64(c.Stamp.Site) == site) != (int64(e.stamp.Site) == site) {
			wins = int64(c.Stamp.Site) == site
		}
		answer = "disallow"
		if wins {
			answer = "allow"
		}
	}
	told := conflict{
		Kind: "update", Site: c.Stamp.Site, StoredSite: e.stamp.Site, TimeMs: c.Stamp.Time,
		StoredTimeMs: e.stamp.Time, Answer: answer,
	}
	if c.Kind == "destroy" {
		told.Kind = "destroy"
	}
	if e.there && e.valid {
		told.Old = text(e.value)
	}
	l.told(m.name, event{
		Region: c.Region, Key: c.Key, Kind: "resolve", Token: c.shown(), Remote: true, Conflict: &told,
	})
	return answer
}

// look shows the queue.
func (s *sender) look() map[string]interface{} {
	tokens := []*string{}
	events := s.events
	if s.queue.Parallel {
		events = s.inBuckets(true)
	}
	for _, q := range events {
		tokens = append(tokens, q.Change.shown())
	}
	role := "secondary"
	if s.primary || s.queue.Parallel {
		role = "primary"
	}
	return map[string]interface{}{
		"depth": len(events), "role": role, "tokens": tokens, "unprocessed": len(s.early),
	}
}
