package main

// stamp says which change an entry was left by.
type stamp struct {
	Version int
	Owner   int   // rank of the member that made the change
	Time    int64 // when it was made, in milliseconds
	Site    int   // distributed system id of the site in which it was made
}

// change is what one operation does to one entry. It travels.
type change struct {
	Region, Key, Kind string // Kind: put, destroy or invalidate
	Value             string
	Token             string
	Stamp             stamp
	Origin            string // the member on which it was called
	Event             eventID
	Creates           bool    // whether the entry was not there where the change was made
	New               bool    // whether its entry was created where it was queued
	Image             bool    // part of a copy, not of an operation
	Valid             bool    // of an entry of a copy: whether it has a value
	Allowed           bool    // a conflict resolver has let it pass, whatever its timestamp
	Client            bool    // a client has called it, and may call it again
	Answer            *string // what its caller got back
	Seq               int64   // its number in its bucket
}

// shown is the token that a queue shows.
func (c change) shown() *string {
	if c.Kind == "put" {
		return text(c.Value)
	}
	return text(c.Token)
}

// eventID tells operations apart: the calling thread, and a number that rises with its operations.
type eventID struct {
	Thread string
	Number int64
}

// entry is what a copy holds for one key; a tombstone where it is not there.
type entry struct {
	there bool
	valid bool
	value string
	stamp stamp
	since int64 // of a tombstone: when its age began
}

// region is one member's copy.
type region struct {
	attributes regionAttributes
	checks     bool
	entries    map[string]*entry
	locks      map[string]*fifoLock
	lock       regionLock
	buckets    []*bucket // of a partitioned region
}

func newRegion(attributes regionAttributes) *region {
	return &region{
		attributes: attributes,
		checks:     attributes.Checks == nil || *attributes.Checks,
		entries:    map[string]*entry{},
		locks:      map[string]*fifoLock{},
	}
}

// verdict is what a copy makes of a change that arrives.
type verdict int

const (
	applies verdict = iota
	discards
	repeats
)

// judge compares the stamp of a change of this site with what is stored.
func (r *region) judge(c change, expired func(*entry) bool, bug string) verdict {
	e := r.entries[c.Key]
	if !r.checks || e == nil || bug == "no-version-check" {
		return applies
	}
	if !e.there && expired(e) {
		return applies
	}
	mine, new := e.stamp, c.Stamp
	switch {
	case new.Site != mine.Site && bug != "peers-compare-versions-alone":
		if c.Allowed || laterThan(new, mine, bug) {
			return applies
		}
		return discards
	case new.Version > mine.Version:
		return applies
	case new.Version < mine.Version:
		return discards
	case new.Owner == mine.Owner:
		if bug == "applies-twice" {
			return applies
		}
		return repeats
	case (new.Owner > mine.Owner) != (bug == "lower-id-wins"):
		return applies
	}
	return discards
}

// names says which event a change is for this copy.
func (r *region) names(c change) string {
	if c.Kind != "put" {
		return c.Kind
	}
	if e := r.entries[c.Key]; e != nil && e.there {
		return "update"
	}
	return "create"
}

// store does what a change says. It says which event listeners receive.
func (r *region) store(c change, now int64, bug string) string {
	kind := r.names(c)
	e := r.entries[c.Key]
	if e == nil {
		e = &entry{}
		r.entries[c.Key] = e
	}
	switch c.Kind {
	case "put":
		e.there, e.valid, e.value = true, true, c.Value
	case "invalidate":
		e.there, e.valid, e.value = true, false, ""
	case "destroy":
		e.there, e.valid, e.value = false, false, ""
		e.since = c.Stamp.Time
		if e.since > now {
			e.since = now
		}
	}
	if r.checks {
		last := e.stamp
		e.stamp = c.Stamp
		if e.stamp.Time < last.Time && last.Site == c.Stamp.Site {
			e.stamp.Time = last.Time
		}
	}
	if !e.there && (!r.checks || bug == "forgets-tombstones") {
		delete(r.entries, c.Key)
	}
	return kind
}

// next is the stamp of a change that is made here.
func (r *region) next(key string, rank, site int, now int64, bug string) stamp {
	s := stamp{Version: 1, Owner: rank, Time: now, Site: site}
	if e := r.entries[key]; e != nil {
		if e.there || bug != "creates-from-one" {
			s.Version = e.stamp.Version + 1
		}
		if s.Time <= e.stamp.Time && e.stamp.Site != site {
			s.Time = e.stamp.Time + 1
		} else if s.Time < e.stamp.Time {
			s.Time = e.stamp.Time
		}
	}
	return s
}

// contents are the entries that readers see.
func (r *region) contents() []content {
	found := []content{}
	for key, e := range r.entries {
		if !e.there {
			continue
		}
		one := content{Key: key}
		if e.valid {
			value := e.value
			one.Token = &value
		}
		found = append(found, one)
	}
	return found
}
