package main

// clear empties a region on all members, under a lock of the region that keeps updates out everywhere.
func (m *member) clear(r *region, o operation) outcome { return m.clearFor(r, o, &message{}) }

// clearFor does so for a client, if one has asked for it.
func (m *member) clearFor(r *region, o operation, asked *message) outcome {
	thread := "clear " + asked.Member + o.Thread
	hosts := m.world.living(m.site)
	locked := message{Kind: "lock", Region: o.Region, Member: m.name}
	free := message{Kind: "unlock", Region: o.Region, Member: m.name}
	if m.world.bug != "clear-without-lock" {
		for _, host := range hosts { // in the order of ids, so that two clears do not wait for each other
			if host == m {
				m.lockRegion(r, m.name)
			} else {
				m.hear([]*reply{m.to(thread, host).ask(locked)})
			}
		}
	}
	m.world.listener.stand(m, m.name, "writer", o.token())
	done := outcome{Status: "ok"}
	if m.world.listener.vetoes(m.name, o.Region, "") {
		done = outcome{Status: "failed", Detail: "refused as scripted"}
	} else {
		whole := m.whole(o, asked)
		m.receiveWhole(whole)
		m.hear(m.askPeers(thread, whole))
	}
	if m.world.bug != "clear-without-lock" {
		m.unlockRegion(r, m.name)
		m.hear(m.askPeers(thread, free))
	}
	return done
}

// whole is what members tell each other of an operation on a whole region.
func (m *member) whole(o operation, asked *message) message {
	id := asked.Event
	if asked.Member == "" {
		m.mu.Lock()
		m.events["regions"]++
		id = eventID{m.id + "/regions", m.events["regions"]}
		m.mu.Unlock()
	}
	return message{
		Kind: "whole", Status: o.Kind, Region: o.Region, Text: o.token(), Member: m.name,
		Origin: asked.Member, Event: id,
	}
}

// callWhole invalidates or destroys a region on all members.
func (m *member) callWhole(r *region, o operation, asked *message) outcome {
	whole := m.whole(o, asked)
	m.receiveWhole(whole)
	m.hear(m.askPeers(o.Thread, whole))
	return outcome{Status: "ok"}
}

// receiveWhole does to this member's copy what an operation on the whole region says.
func (m *member) receiveWhole(what message) {
	m.mu.Lock()
	r := m.regions[what.Region]
	if r == nil {
		m.mu.Unlock()
		return
	}
	kind := what.Status
	switch what.Status {
	case "clear":
		r.entries = map[string]*entry{}
	case "destroy_region":
		delete(m.regions, what.Region)
		kind = "region_destroy"
	case "invalidate_region":
		for _, e := range r.entries {
			if e.there {
				e.valid, e.value = false, ""
			}
		}
		kind = "region_invalidate"
	}
	token := what.Text
	m.world.listener.told(m.name, event{
		Region: what.Region, Kind: kind, Token: &token, Remote: what.Member != m.name || what.Origin != "",
	})
	m.queueWhole(what.Status, what)
	m.mu.Unlock()
	m.world.listener.stand(m, m.name, "listener", token)
}
