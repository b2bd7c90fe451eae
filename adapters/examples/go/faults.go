package main

import (
	"fmt"
	"time"
)

// What the adapter does to members: time, writers, crashes, messages that come again, copies.

// advance lets held time pass; members then look for tombstones that have expired.
func (s *session) advance(ms int64) {
	s.clock.advance(ms, s.world.t)
	for _, m := range s.world.living(0) {
		s.world.t.spawn(m.sweep)
		s.world.t.spawn(m.timeOut)
	}
	for _, c := range s.world.allClients() {
		s.world.t.spawn(c.sweep)
	}
}

func (s *session) script(member, region, callback string, answers []string) error {
	if callback == "resolver" {
		s.user.mu.Lock()
		s.user.policies[member+"\n"+region] = answers[0]
		s.user.mu.Unlock()
		return nil
	}
	if callback == "queue" {
		s.user.mu.Lock()
		s.user.answers[member+"\n"+region] = answers
		s.user.mu.Unlock()
		return nil
	}
	if callback != "writer" {
		return unsupportedf("this system has no %s to be scripted", callback)
	}
	refuses := map[string]bool{}
	for _, key := range answers {
		refuses[key] = true
	}
	s.user.mu.Lock()
	s.user.refuses[member+"\n"+region] = refuses
	s.user.mu.Unlock()
	s.world.changed()
	return nil
}

func (s *session) crash(name string) {
	s.world.crash(name)
	s.user.forget(name)
	for _, call := range s.calls {
		if call.operation.Member == name {
			s.ended(call, outcome{Status: "indefinite", Detail: "the member died during the call"})
		}
	}
}

func (s *session) restart(name string, fromDisk bool) error {
	if fromDisk {
		return unsupportedf("this system keeps nothing on disk")
	}
	regions := []regionAttributes{}
	for _, region := range s.names {
		regions = append(regions, s.regions[region])
	}
	s.world.restart(name, regions)
	s.world.t.rest(20*time.Second, nil)
	return nil
}

func (s *session) redeliver(id int64, to string) error {
	call, peer := s.calls[id], s.world.member(to)
	if call == nil || peer == nil {
		return fmt.Errorf("operation %d or member %s is not there", id, to)
	}
	for _, m := range s.world.living(0) {
		if m != peer {
			m.again(call.operation.token(), peer)
		}
	}
	return nil
}

// copied waits until a member has a copy of a region.
func (s *session) copied(m *member, region string) {
	done := make(chan struct{})
	s.world.t.spawn(func() {
		m.copyFromPeers(region)
		close(done)
	})
	<-done
}

// host has a member take a copy with a setting of its own; the setting in force may not be another one.
func (s *session) host(m *member, attributes regionAttributes, p params) error {
	if p.Persistent {
		return unsupportedf("this system keeps nothing on disk")
	}
	for _, peer := range m.peers() {
		if r := peer.region(p.Region); r != nil && r.checks != p.Checks {
			m.leave(p.Region)
			return &rpcError{refused, fmt.Sprintf("%s hosts %s with another setting of checks", peer.name, p.Region)}
		}
	}
	checks := p.Checks
	attributes.Checks = &checks
	m.host(attributes)
	s.copied(m, p.Region)
	return nil
}
