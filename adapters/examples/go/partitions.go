package main

import (
	"fmt"
	"time"
)

// What the adapter does for partitioned regions.

// offers says whether this system has regions of such a kind.
func (s *session) offers(r regionAttributes) error {
	for _, host := range r.Policies {
		if host.Policy == "local" && !s.isMember(host.Member) {
			continue
		}
		if host.Policy != "replicate" || r.Policy != "partition" {
			return unsupportedf("members keep replicates or buckets here")
		}
	}
	if r.Policy != "replicate" && r.Policy != "partition" {
		return unsupportedf("regions are replicates here, or partitioned")
	}
	parting := map[int]bool{}
	for _, one := range s.sites {
		for _, name := range one.Members {
			if r.policyOf(name) == "partition" {
				parting[one.Number] = true
			}
		}
	}
	if len(parting) > 1 {
		return unsupportedf("one site partitions a region here")
	}
	if r.Policy == "partition" && r.Checks != nil && !*r.Checks {
		return unsupportedf("partitioned regions check consistency here")
	}
	for _, q := range s.queues {
		for _, id := range append(append([]string{}, r.Senders...), r.Queues...) {
			if q.ID == id && q.Parallel != parting[q.Site] && (q.Parallel || r.Policy == "partition") {
				return unsupportedf("queues of partitioned regions are parallel here, all others serial")
			}
		}
	}
	return nil
}

// placement says where a key lies. A primary counts from the moment at which it carries out calls.
func (s *session) placement(region, key string) (interface{}, error) {
	if s.world.places[region] == nil {
		return nil, fmt.Errorf("%s is not partitioned", region)
	}
	holders, _ := s.world.holders(region, bucketOf(key))
	var primary *string
	redundant := []string{}
	for i, name := range holders {
		m := s.world.member(name)
		if m == nil {
			continue
		}
		if i > 0 {
			redundant = append(redundant, name)
			continue
		}
		m.mu.Lock()
		if m.regions[region].bucketOf(key).primary {
			primary = text(name)
		}
		m.mu.Unlock()
	}
	return fieldsOf{"primary": primary, "redundant": redundant}, nil
}

// movePrimary makes a member the primary of a key's bucket.
func (s *session) movePrimary(region, key, heir string) error {
	holders, _ := s.world.holders(region, bucketOf(key))
	if len(holders) == 0 {
		return fmt.Errorf("%s has no primary of %s", region, key)
	}
	m, to := s.world.member(holders[0]), s.world.member(heir)
	if m == nil || to == nil {
		return fmt.Errorf("the primary of %s or %s does not live", key, heir)
	}
	r := m.region(region)
	done := make(chan struct{})
	s.world.t.spawn(func() {
		defer close(done)
		m.moveBucket(r, r.bucketOf(key), heir)
	})
	s.world.t.rest(10*time.Second, done)
	return nil
}
