package main

// image is this member's copy of a region, with versions and tombstones.
func (m *member) image(name string) message {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer := message{}
	r := m.regions[name]
	if r == nil {
		return answer
	}
	answer.Flag = true
	for key, e := range r.entries {
		c := imageOf(name, key, e)
		if m.world.bug == "bare-image" {
			c.Stamp.Version, c.Stamp.Owner = 1, 0
		}
		answer.Changes = append(answer.Changes, c)
		answer.Numbers = append(answer.Numbers, e.since)
	}
	return answer
}

// imageOf is an entry as a copy travels.
func imageOf(region, key string, e *entry) change {
	c := change{Region: region, Key: key, Kind: "put", Value: e.value, Stamp: e.stamp, Image: true, Valid: e.valid}
	if !e.there {
		c.Kind = "destroy"
	}
	return c
}

// entryOf is the entry again.
func entryOf(c change, since int64) *entry {
	return &entry{there: c.Kind == "put", valid: c.Valid, value: c.Value, stamp: c.Stamp, since: since}
}

// copyFromPeers fills a new copy from the first peer that has one. No listener receives it.
func (m *member) copyFromPeers(name string) {
	for _, peer := range m.peers() {
		asked := m.to("image of "+name, peer).ask(message{Kind: "image", Region: name})
		m.wait(asked.w)
		if asked.broken || !asked.answer.Flag {
			continue
		}
		m.mu.Lock()
		if r := m.regions[name]; r != nil {
			for i, c := range asked.answer.Changes {
				if _, known := r.entries[c.Key]; !known {
					r.entries[c.Key] = entryOf(c, asked.answer.Numbers[i])
				}
			}
		}
		m.mu.Unlock()
		return
	}
}
