package main

import "hash/fnv"

// Where the buckets of partitioned regions lie, and who is the primary of each. The world knows it for all members,
// as a service of membership does. What a bucket holds, its members know alone.

// bucketCount is how many buckets a partitioned region has.
const bucketCount = 11

// place says where a bucket lies.
type place struct {
	hosts   []string // the members that may hold it
	holders []string // those that do, the primary first
	term    int64    // rises with each new primary
}

// bucketOf is the number of the bucket in which a key lies.
func bucketOf(key string) int {
	sum := fnv.New32a()
	sum.Write([]byte(key))
	return int(sum.Sum32() % bucketCount)
}

// policyOf is what a member keeps of a region.
func (a regionAttributes) policyOf(name string) string {
	for _, host := range a.Policies {
		if host.Member == name {
			return host.Policy
		}
	}
	return a.Policy
}

// lay spreads the buckets of a region over the members that partition it.
func (w *world) lay(a regionAttributes) {
	hosts := []string{}
	for _, name := range w.order {
		if a.policyOf(name) == "partition" {
			hosts = append(hosts, name)
		}
	}
	if len(hosts) == 0 {
		return
	}
	places := []*place{}
	for number := 0; number < bucketCount; number++ {
		p := &place{hosts: hosts, term: 1}
		for i := 0; i <= a.Redundancy && i < len(hosts); i++ {
			at := number + i
			if number/len(hosts)%2 == 1 {
				at = number + (len(hosts)-1)*i
			}
			p.holders = append(p.holders, hosts[at%len(hosts)])
		}
		places = append(places, p)
	}
	w.mu.Lock()
	w.places[a.Name] = places
	w.mu.Unlock()
}

// holders are the members that hold a bucket, its primary first, and the term of that one.
func (w *world) holders(region string, number int) ([]string, int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	places := w.places[region]
	if places == nil {
		return nil, 0
	}
	return append([]string{}, places[number].holders...), places[number].term
}

// promotion is a bucket that gets a new primary.
type promotion struct {
	region, heir string
	number       int
	term         int64
}

// reassign takes a member that has died off all buckets. The first copy becomes the primary. A bucket without copies
// is lost, and begins anew elsewhere.
func (w *world) reassign(dead string) {
	found := []promotion{}
	w.mu.Lock()
	for region, places := range w.places {
		for number, p := range places {
			lost := len(p.holders) > 0 && p.holders[0] == dead
			p.holders = others(p.holders, dead)
			if !lost {
				continue
			}
			p.term++
			if len(p.holders) == 0 {
				p.holders = w.newcomers(p, number)
			}
			for _, heir := range p.holders {
				found = append(found, promotion{region, heir, number, p.term})
				if w.bug != "each-copy-takes-over" {
					break
				}
			}
		}
	}
	w.mu.Unlock()
	w.changed()
	w.promote(found)
}

// adopt gives buckets without any holder to a member that starts again.
func (w *world) adopt() {
	found := []promotion{}
	w.mu.Lock()
	for region, places := range w.places {
		for number, p := range places {
			if len(p.holders) > 0 {
				continue
			}
			p.term++
			p.holders = w.newcomers(p, number)
			for _, heir := range p.holders {
				found = append(found, promotion{region, heir, number, p.term})
			}
		}
	}
	w.mu.Unlock()
	w.promote(found)
}

// newcomers is the member that lives and takes a bucket which has no holder any more. It is called with the mutex.
func (w *world) newcomers(p *place, number int) []string {
	alive := []string{}
	for _, name := range p.hosts {
		if w.members[name] != nil {
			alive = append(alive, name)
		}
	}
	if len(alive) == 0 {
		return nil
	}
	return alive[number%len(alive) : number%len(alive)+1]
}

// promote has each heir take its bucket over.
func (w *world) promote(found []promotion) {
	for _, one := range found {
		one := one
		if m := w.member(one.heir); m != nil {
			w.t.spawn(func() { m.takeBucket(one.region, one.number, one.term) })
		}
	}
}

// settleMove notes that a bucket has another primary, and gives its term. A heir without a copy takes the primary's place.
func (w *world) settleMove(region string, number int, heir string) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.places[region][number]
	rest := others(p.holders, heir)
	if len(rest) == len(p.holders) {
		rest = rest[1:]
	}
	p.holders = append([]string{heir}, rest...)
	p.term++
	return p.term
}

// others are the names without one.
func others(names []string, without string) []string {
	kept := []string{}
	for _, name := range names {
		if name != without {
			kept = append(kept, name)
		}
	}
	return kept
}
