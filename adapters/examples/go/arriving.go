package main

import "strings"

// How a client processes what its servers send it.

// track is what a client remembers of a thread whose events it is sent.
type track struct {
	highest int64
	at      int64 // when it last saw something of the thread
	fetched int64 // what it has processed when it last started anew
}

// first says whether an event was not processed before, and remembers it. It is called with the client's mutex.
func (c *client) first(id eventID) bool {
	now := c.world.clock.common()
	if c.world.bug == "tracks-members" {
		id.Thread = strings.SplitN(id.Thread, "/", 2)[0]
	}
	t := c.tracked[id.Thread]
	if t != nil && c.asked.TrackingTimeoutMs != nil && now-t.at > *c.asked.TrackingTimeoutMs {
		t = nil
	}
	if t == nil {
		t = &track{at: now}
		c.tracked[id.Thread] = t
	}
	if c.world.bug != "forgets-while-busy" {
		t.at = now
	}
	if id.Number <= t.highest && c.world.bug != "takes-duplicates" {
		return false
	}
	t.highest = id.Number
	return true
}

// fetchedSince says whether an event was processed before the client started anew: its copy may lack it again.
func (c *client) fetchedSince(id eventID) bool {
	t := c.tracked[id.Thread]
	return t != nil && id.Number <= t.fetched
}

// arrive processes one message of a server, one after the other, and acknowledges it.
func (c *client) arrive(wr *wire, asked *message) message {
	if c.world.bug == "receives-in-parallel" && asked.Kind == "event" {
		c.world.t.spawn(func() { c.takeEvent(wr, asked.Changes[0], asked.Flag) })
		return message{}
	}
	lock(&c.mu, &c.turn, c)
	c.mu.Lock()
	stored := c.stored()
	c.mu.Unlock()
	switch {
	case asked.Kind == "event" && stored:
		c.takeStored(wr, asked.Changes[0], asked.Flag)
	case asked.Kind == "event":
		c.takeEvent(wr, asked.Changes[0], asked.Flag)
	case asked.Kind == "whole":
		c.takeWhole(wr, asked)
	case asked.Kind == "marker":
		c.takeMarker(wr, asked)
	default:
		c.mu.Lock()
		drop(c.regions, asked.Changes)
		c.mu.Unlock()
	}
	unlock(&c.mu, &c.turn, c.world.t)
	return message{}
}

// quiet waits until no registration is under way. It comes back with the client's mutex, and the lock of a key.
func (c *client) quiet(r *region, key string) {
	for {
		if r != nil {
			lock(&c.mu, r.lockOf(&c.mu, key), c)
		}
		c.mu.Lock()
		if c.loading == 0 {
			return
		}
		w := newWaiter()
		c.calm = append(c.calm, w)
		c.mu.Unlock()
		if r != nil {
			unlock(&c.mu, r.lockOf(&c.mu, key), c.world.t)
		}
		c.wait(w)
	}
}

// takeEvent processes the event of an entry. It is dropped if the server has been lost meanwhile.
func (c *client) takeEvent(wr *wire, ch change, bare bool) {
	r := c.region(ch.Region)
	if r == nil {
		return
	}
	c.quiet(r, ch.Key)
	defer func() { unlock(&c.mu, r.lockOf(&c.mu, ch.Key), c.world.t) }()
	kind := ""
	if !wr.broken() {
		first := c.first(ch.Event)
		if first || c.fetchedSince(ch.Event) {
			kind = c.store(r, ch, bare)
		}
		if !first {
			kind = ""
		}
		c.tell(ch, kind)
	}
	c.mu.Unlock()
	if kind != "" {
		c.world.listener.stand(c, c.name, "listener", ch.Token)
	}
}

// tell calls the listener, if there is something to be told.
func (c *client) tell(ch change, kind string) {
	if kind == "" {
		return
	}
	e := event{Region: ch.Region, Key: ch.Key, Kind: kind, Remote: ch.Origin != c.name, Token: text(ch.Token)}
	if kind == "create" || kind == "update" {
		e.Token = text(ch.Value)
	}
	c.world.listener.told(c.name, e)
}

// store applies a change to the client's copy. It says which event listeners receive; none if nothing changes
// that they could see. Bare changes bring no value: what the client holds becomes invalid.
func (c *client) store(r *region, ch change, bare bool) string {
	e := r.entries[ch.Key]
	if r.checks && ch.Stamp.Version > 0 && r.judge(ch, c.expired, c.world.bug) != applies {
		return ""
	}
	if bare {
		ch.Kind = "invalidate"
	}
	there := e != nil && e.there
	shown := there
	switch ch.Kind {
	case "put":
		shown = true
	case "invalidate":
		if !there {
			return ""
		}
		shown = e.valid
	}
	kind := r.store(ch, c.world.clock.of(c.site), c.world.bug)
	if !shown {
		return ""
	}
	return kind
}

// takeWhole processes a change of a whole region: what others have called, or what this client has called itself.
func (c *client) takeWhole(wr *wire, asked *message) {
	c.quiet(nil, "")
	own := c.ownWhole[asked.Event]
	switch {
	case wr.broken() || !c.first(asked.Event) || asked.Flag && own == nil:
	case c.stored() && own == nil:
		c.world.listener.told(c.name, event{
			Region: asked.Region, Kind: wholeKinds[asked.Status], Token: text(asked.Text), Remote: true,
		})
	default:
		c.changeWhole(asked.Status, asked.Region, asked.Text, own == nil)
	}
	if own != nil {
		delete(c.ownWhole, asked.Event)
		c.world.t.wake(own)
	}
	c.mu.Unlock()
	c.world.listener.stand(c, c.name, "listener", asked.Text)
}

// wholeKinds are the events of operations on whole regions.
var wholeKinds = map[string]string{
	"clear": "clear", "destroy_region": "region_destroy", "invalidate_region": "region_invalidate",
}

// changeWhole clears, destroys or invalidates the client's region.
func (c *client) changeWhole(kind, region, token string, remote bool) {
	r := c.regions[region]
	if r == nil {
		return
	}
	switch kind {
	case "clear", "local_clear":
		r.entries, kind = map[string]*entry{}, "clear"
	case "destroy_region", "local_destroy_region":
		delete(c.regions, region)
		kind = "region_destroy"
	default:
		for _, e := range r.entries {
			e.valid, e.value = false, ""
		}
		kind = "region_invalidate"
	}
	c.world.listener.told(c.name, event{Region: region, Kind: kind, Token: text(token), Remote: remote})
}
