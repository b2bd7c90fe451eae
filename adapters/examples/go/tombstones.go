package main

// timeout is for how long this member keeps a tombstone, in milliseconds.
func (m *member) timeout() int64 {
	if m.world.tombs.TimeoutMs != nil {
		return *m.world.tombs.TimeoutMs
	}
	return 600_000
}

// threshold is how many expired tombstones set off a collection.
func (m *member) threshold() int {
	if n, ok := m.world.tombs.own[m.name]; ok {
		return n
	}
	if m.world.tombs.Threshold != nil {
		return *m.world.tombs.Threshold
	}
	return 100_000
}

// expired says whether a tombstone is past its age.
func (m *member) expired(e *entry) bool {
	return !e.there && m.world.clock.of(m.site) >= e.since+m.timeout()
}

// sweep collects the expired tombstones of all regions, if there are enough, and tells the peers.
func (m *member) sweep() {
	m.mu.Lock()
	found := []change{}
	for name, r := range m.regions {
		for key, e := range r.entries {
			if m.expired(e) {
				found = append(found, change{Region: name, Key: key, Stamp: e.stamp})
			}
		}
	}
	if len(found) == 0 || len(found) < m.threshold() {
		m.mu.Unlock()
		return
	}
	for _, c := range found {
		delete(m.regions[c.Region].entries, c.Key)
	}
	m.counters["tombstoneGCCount"]++
	m.tellCollected(found)
	m.mu.Unlock()
	if m.world.bug != "collects-alone" {
		m.hear(m.askPeers("collection", message{Kind: "collected", Changes: found}))
	}
}

// dropCollected drops the tombstones that a peer has collected, and nothing that is newer.
func (m *member) dropCollected(collected []change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	drop(m.regions, collected)
	m.tellCollected(collected)
}

// drop takes tombstones out of copies.
func drop(regions map[string]*region, collected []change) {
	for _, c := range collected {
		r := regions[c.Region]
		if r == nil {
			continue
		}
		if e := r.entries[c.Key]; e != nil && !e.there && e.stamp.Version <= c.Stamp.Version {
			delete(r.entries, c.Key)
		}
	}
}

// gauge reads a counter or gauge.
func (m *member) gauge(name string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var tombstones, size int64
	for _, r := range m.regions {
		for key, e := range r.entries {
			if !e.there {
				tombstones++
				size += int64(len(key)) + 13
			}
		}
	}
	switch name {
	case "tombstoneCount":
		return tombstones
	case "replicatedTombstonesSize":
		return size
	case "nonReplicatedTombstonesSize":
		return 0
	}
	return m.counters[name]
}
