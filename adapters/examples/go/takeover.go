package main

// How a bucket gets another primary: when the one before has died, and when it moves.

// bucketImage is what a member has of a bucket. It is called with the mutex.
func (m *member) bucketImage(r *region, b *bucket) message {
	answer := message{Region: b.region, Numbers: []int64{int64(b.number), b.term, b.seq}, Flag: b.holds}
	records := message{Kind: "records"}
	for _, c := range b.latest {
		answer.Changes = append(answer.Changes, c)
	}
	for _, c := range b.records {
		records.Changes = append(records.Changes, c)
	}
	entries := message{Kind: "entries"}
	for key, e := range r.entries {
		if bucketOf(key) == b.number {
			entries.Changes = append(entries.Changes, imageOf(b.region, key, e))
			entries.Numbers = append(entries.Numbers, e.since)
		}
	}
	answer.Queue = []message{records, entries}
	for id, s := range b.shadows {
		copied := message{Kind: "queue", Region: id}
		for _, q := range s.events {
			copied.Changes = append(copied.Changes, q.Change)
		}
		for event := range s.gone {
			copied.Events = append(copied.Events, event)
		}
		answer.Queue = append(answer.Queue, copied)
	}
	return answer
}

// takeBucket makes this member the primary of a bucket whose primary has died. It first finds out what the other
// copies have, takes over what it lacks, and has them take over what they lack.
func (m *member) takeBucket(region string, number int, term int64) {
	r := m.region(region)
	if r == nil {
		return
	}
	b := r.buckets[number]
	m.lockAlone(&b.lock)
	m.mu.Lock()
	b.holds, b.term = true, term
	if m.world.bug == "promoted-forgets-queue" {
		b.shadows = map[string]*shadow{}
	}
	m.mu.Unlock()
	line := "takeover of buckets"
	if m.world.bug != "survivors-do-not-agree" {
		holders, _ := m.world.holders(region, number)
		asked := []*reply{}
		sync := message{Kind: "bucket sync", Region: region, Numbers: []int64{int64(number), term}}
		for _, name := range holders {
			if peer := m.world.member(name); peer != nil && peer != m {
				asked = append(asked, m.to(line, peer).ask(sync))
			}
		}
		m.hear(asked)
		for _, one := range asked {
			if !one.broken && one.answer.Flag {
				m.merge(r, b, &one.answer)
			}
		}
		m.mu.Lock()
		filled := m.bucketImage(r, b)
		m.mu.Unlock()
		filled.Kind = "bucket filled"
		m.hear(m.askPeers(line, filled))
	}
	m.mu.Lock()
	b.primary = true
	m.pokeQueues()
	m.mu.Unlock()
	m.unlockAlone(&b.lock)
	m.world.changed()
}

// fillBucket takes over what a new primary has and this member lacks.
func (m *member) fillBucket(r *region, b *bucket, asked *message) {
	m.mu.Lock()
	late := asked.Numbers[1] < b.term
	holds := b.holds
	if !holds {
		for _, c := range asked.Changes {
			m.hearOf(b, c)
		}
	}
	b.follow(asked.Numbers[1])
	m.mu.Unlock()
	if holds && !late {
		m.merge(r, b, asked)
	}
}

// merge takes over what another copy has and this one lacks. The listener receives each change that comes so.
func (m *member) merge(r *region, b *bucket, image *message) {
	for _, c := range image.Changes {
		m.mu.Lock()
		lacks := c.Seq > b.latest[c.Key].Seq
		m.mu.Unlock()
		if !lacks {
			continue
		}
		m.lockEntry(r, c.Key)
		m.mu.Lock()
		lacks = c.Seq > b.latest[c.Key].Seq
		if lacks {
			m.keepInBucket(r, b, c)
		}
		m.mu.Unlock()
		if lacks {
			m.world.listener.stand(m, m.name, "listener", c.Token)
		}
		m.unlockEntry(r, c.Key)
	}
	m.mu.Lock()
	m.adopt(r, b, image)
	m.mu.Unlock()
}

// adopt takes over records and queues. It is called with the mutex.
func (m *member) adopt(r *region, b *bucket, image *message) {
	if seq := image.Numbers[2]; seq > b.seq {
		b.seq = seq
	}
	for _, part := range image.Queue {
		switch part.Kind {
		case "records":
			for _, c := range part.Changes {
				if _, known := b.records[c.Event]; !known {
					b.records[c.Event] = c
				}
				b.heard[c.Event] = true
			}
		case "queue":
			if m.world.bug == "queue-stays-at-move" && image.Kind == "bucket given" {
				continue
			}
			s := b.shadow(part.Region)
			for _, event := range part.Events {
				s.drop(event)
			}
			for _, c := range part.Changes {
				m.shadowOne(b, part.Region, c)
			}
		}
	}
}

// moveBucket makes another member the primary of a bucket. Calls wait meanwhile.
func (m *member) moveBucket(r *region, b *bucket, heir string) {
	m.lockAlone(&b.lock)
	defer m.world.changed()
	defer m.unlockAlone(&b.lock)
	m.mu.Lock()
	primary := b.primary
	given := m.bucketImage(r, b)
	m.mu.Unlock()
	peer := m.world.member(heir)
	if !primary || peer == nil || peer == m {
		return
	}
	term := m.world.settleMove(b.region, b.number, heir)
	given.Kind, given.Numbers[1] = "bucket given", term
	m.hear([]*reply{m.to("moves of buckets", peer).ask(given)})
	holders, _ := m.world.holders(b.region, b.number)
	m.mu.Lock()
	b.primary = m.world.bug == "stays-primary-after-move"
	b.follow(term)
	if len(others(holders, m.name)) == len(holders) && !b.primary {
		m.giveUp(r, b)
	}
	m.mu.Unlock()
	asked := []*reply{}
	for _, name := range holders[1:] {
		if other := m.world.member(name); other != nil && other != m {
			asked = append(asked, m.to("moves of buckets", other).ask(message{
				Kind: "bucket sync", Region: b.region, Numbers: []int64{int64(b.number), term},
			}))
		}
	}
	m.hear(asked)
}

// giveUp drops the copy of a bucket. It is called with the mutex.
func (m *member) giveUp(r *region, b *bucket) {
	for key := range r.entries {
		if bucketOf(key) == b.number {
			delete(r.entries, key)
		}
	}
	b.empty()
}

// takeGiven takes over a bucket that its primary gives to this member.
func (m *member) takeGiven(r *region, b *bucket, given *message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !b.holds && m.world.bug != "moves-without-entries" {
		for _, c := range given.Changes {
			b.latest[c.Key] = c
		}
		for _, part := range given.Queue {
			if part.Kind != "entries" {
				continue
			}
			for i, c := range part.Changes {
				r.entries[c.Key] = entryOf(c, part.Numbers[i])
			}
		}
	}
	b.holds, b.primary, b.term = true, true, given.Numbers[1]
	m.adopt(r, b, given)
	m.pokeQueues()
}

// hearOfBuckets tells a member that starts how far the changes of each bucket have come.
func (m *member) hearOfBuckets(name string) {
	r := m.region(name)
	for _, b := range r.buckets {
		holders, _ := m.world.holders(name, b.number)
		if len(holders) == 0 {
			continue
		}
		peer := m.world.member(holders[0])
		if peer == nil || peer == m {
			continue
		}
		asked := m.to("starts", peer).ask(message{Kind: "bucket seq", Region: name, Numbers: []int64{int64(b.number)}})
		m.wait(asked.w)
		if !asked.broken && len(asked.answer.Numbers) > 0 {
			m.mu.Lock()
			b.floor = asked.answer.Numbers[0]
			m.mu.Unlock()
		}
	}
}
