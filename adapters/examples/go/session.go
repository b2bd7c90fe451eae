package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"time"
)

// session is one conversation with the suite: a topology, and a world for each example.
type session struct {
	bug     string
	sites   []site
	tombs   tombstoneSettings
	queues  []queueAttributes
	world   *world
	clock   *clock
	user    *listening
	regions map[string]regionAttributes
	names   []string
	calls   map[int64]*running
	begun   map[int64]*registering
}

// running is an operation that was begun.
type running struct {
	operation operation
	done      chan struct{}
	outcome   outcome
	ended     bool
}

func newSession(bug string) *session {
	return &session{bug: bug, clock: newClock(), user: newListening()}
}

var capabilities = []string{
	"replicated_regions", "checks_setting", "bulk_operations", "conditional_operations", "region_views",
	"queries", "clear", "tombstones", "listener_gates", "message_control", "callback_scripts",
	"member_faults", "statistics", "held_clocks", "configuration", "gateways", "queue_inspection", "link_faults",
	"site_clocks", "virtual_time", "retry_time", "failure_counts", "log_lines", "async_queues",
	"clients", "durable_clients", "concurrent_lives", "local_operations", "held_registrations", "held_gets", "partitioned_regions",
	"bucket_moves", "parallel_queues", "parallel_senders",
}

type fieldsOf map[string]interface{}

// carryOut answers one method.
func (s *session) carryOut(method string, raw json.RawMessage) (interface{}, error) {
	if _, known := fields[method]; !known {
		return nil, &rpcError{noMethod, "no such method: " + method}
	}
	p, err := read(method, raw)
	if err != nil {
		return nil, err
	}
	switch method {
	case "hello":
		return fieldsOf{
			"protocol": 1, "name": "grid in Go", "version": "1", "dialect": "geode",
			"capabilities": capabilities, "order_strength": "total", "settle_limit_ms": 5000,
			"clock_error_ms": 0,
		}, nil
	case "deploy":
		return s.deploy(p.Topology.Sites)
	case "close":
		s.close()
		return nil, nil
	case "keep_tombstones":
		s.tombs = p.Settings
		s.tombs.own = map[string]int{}
		for _, pair := range p.Settings.Thresholds {
			s.tombs.own[fmt.Sprint(pair[0])] = int(pair[1].(float64))
		}
		return nil, nil
	case "create_queue":
		return nil, s.createQueue(p.Queue)
	case "reset":
		return nil, s.reset(p.Regions)
	}
	if s.world == nil {
		return nil, fmt.Errorf("%s comes before reset", method)
	}
	switch method {
	case "begin":
		return nil, s.begin(p.Operation)
	case "finish":
		return s.finish(p.OpID, p.TimeoutMs)
	case "observe":
		return s.observe(p.Since), nil
	case "settle":
		settled := s.world.t.rest(time.Duration(p.TimeoutMs)*time.Millisecond, nil)
		return fieldsOf{"settled": settled, "held": s.user.held()}, nil
	case "arm":
		s.user.arm(whole(p.Gate))
		return nil, nil
	case "await_parked":
		return s.awaitParked(whole(p.Gate), p.TimeoutMs), nil
	case "release":
		s.user.release(whole(p.Gate))
		return nil, nil
	case "advance":
		s.advance(p.Milliseconds)
		return nil, nil
	case "clock":
		s.clock.set(p.Site, p.OffsetMs, p.Frozen, s.world.t)
		return nil, nil
	case "script":
		return nil, s.script(p.Member, p.Region, p.Callback, p.Answers)
	case "link":
		return nil, s.link(p)
	case "crash":
		s.crash(p.Member)
		return nil, nil
	case "restart":
		return nil, s.restart(p.Member, p.FromDisk)
	case "redeliver":
		return nil, s.redeliver(p.OpID, p.Member)
	case "placement":
		return s.placement(p.Region, p.Key)
	case "move_primary":
		return nil, s.movePrimary(p.Region, p.Key, p.Member)
	}
	if answer, done, err := s.ofClients(method, p); done {
		return answer, err
	}
	m := s.world.member(p.Member)
	if m == nil {
		return nil, fmt.Errorf("%s does not live", p.Member)
	}
	switch method {
	case "queue_action":
		return nil, s.queueAction(m, p)
	case "look_at_queue":
		return s.lookAtQueue(m, p)
	case "server_log":
		m.mu.Lock()
		defer m.mu.Unlock()
		return fieldsOf{"lines": append([]logLine{}, m.lines...)}, nil
	}
	if method == "statistic" {
		return fieldsOf{"value": m.gauge(p.Name)}, nil
	}
	return s.ofRegion(method, m, p)
}

func whole(g gate) gate {
	if g.Callback == "" {
		g.Callback = "listener"
	}
	return g
}

// ofRegion answers the methods about one member's copy of a region.
func (s *session) ofRegion(method string, m *member, p params) (interface{}, error) {
	attributes, known := s.regions[p.Region]
	if !known {
		return nil, fmt.Errorf("there is no region %s", p.Region)
	}
	switch method {
	case "leave":
		m.leave(p.Region)
		return nil, nil
	case "join":
		m.host(attributes)
		s.copied(m, p.Region)
		return nil, nil
	case "host":
		return nil, s.host(m, attributes, p)
	}
	r := m.region(p.Region)
	if method == "attributes" {
		if r == nil {
			return nil, fmt.Errorf("%s has no region %s", m.name, p.Region)
		}
		shown := r.attributes
		shown.Checks = &r.checks
		return fieldsOf{"attributes": shown}, nil
	}
	if r == nil && method == "contents" {
		return fieldsOf{"entries": nil}, nil
	}
	entries := []content{}
	if r != nil {
		m.mu.Lock()
		entries = r.contents()
		m.mu.Unlock()
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Key < entries[j].Key })
	if method == "contents" {
		return fieldsOf{"entries": entries}, nil
	}
	keys, values := []string{}, []*string{}
	for _, e := range entries {
		keys, values = append(keys, e.Key), append(values, e.Token)
	}
	return fieldsOf{"size": len(entries), "keys": keys, "values": values, "entries": entries}, nil
}

func (s *session) deploy(sites []site) (interface{}, error) {
	s.end()
	s.sites, s.tombs, s.queues = sites, tombstoneSettings{}, nil
	order := []string{}
	for _, one := range sites {
		order = append(order, one.Members...)
	}
	return fieldsOf{"member_order": order}, nil
}

func (s *session) reset(regions []regionAttributes) error {
	for i := range regions {
		r := &regions[i]
		if r.Policy == "" {
			r.Policy = "replicate"
		}
		if r.Scope == "" {
			r.Scope = "distributed_ack"
		}
		if r.Policies == nil {
			r.Policies = []hostPolicy{}
		}
		if r.Senders == nil {
			r.Senders = []string{}
		}
		if r.Queues == nil {
			r.Queues = []string{}
		}
		if err := s.offers(*r); err != nil {
			return err
		}
	}
	s.end()
	s.clock, s.user = newClock(), newListening()
	s.world = newWorld(s.bug, s.clock, s.user, s.sites, s.tombs, s.queues)
	s.user.t = s.world.t
	s.tombs = tombstoneSettings{}
	s.regions, s.calls, s.names = map[string]regionAttributes{}, map[int64]*running{}, nil
	s.begun = map[int64]*registering{}
	for _, attributes := range regions {
		s.regions[attributes.Name] = attributes
		s.names = append(s.names, attributes.Name)
		s.world.lay(attributes)
		for _, m := range s.world.living(0) {
			m.host(attributes)
			m.settleIn(attributes.Name)
		}
	}
	for _, q := range s.queues {
		for _, m := range s.world.living(q.Site) {
			if q.runs(m.name) && !q.ManualStart {
				s.world.start(m, q.ID)
			}
		}
	}
	s.world.t.rest(10*time.Second, nil)
	return nil
}

func (s *session) isMember(name string) bool {
	for _, one := range s.sites {
		for _, member := range one.Members {
			if member == name {
				return true
			}
		}
	}
	return false
}

// end leaves the last example to itself.
func (s *session) end() {
	if s.world != nil {
		s.world.end()
		s.world = nil
	}
}

func (s *session) close() { s.end() }

var kinds = map[string]bool{
	"put": true, "create": true, "put_if_absent": true, "replace": true, "replace_if_equal": true,
	"remove_if_equal": true, "destroy": true, "invalidate": true, "get": true, "contains_key": true,
	"put_all": true, "remove_all": true, "clear": true, "invalidate_region": true, "destroy_region": true,
	"local_destroy": true, "local_invalidate": true, "local_clear": true, "local_destroy_region": true,
	"local_invalidate_region": true,
}

func (s *session) begin(o operation) error {
	if !kinds[o.Kind] {
		return unsupportedf("this system has no %s", o.Kind)
	}
	s.user.know(o)
	call := &running{operation: o, done: make(chan struct{})}
	s.calls[o.OpID] = call
	if c := s.world.client(o.Member); c != nil {
		c.thread(o.Thread).push(func() { s.ended(call, c.call(o)) })
		return nil
	}
	m := s.world.member(o.Member)
	if m == nil {
		s.ended(call, outcome{Status: "failed", Detail: "the member was dead before the call"})
		return nil
	}
	m.thread(o.Thread).push(func() {
		result := m.call(o)
		m.mu.Lock()
		if m.dead { // its connections broke, so no answer tells whether its peers have it
			result = outcome{Status: "indefinite", Detail: "the member died during the call"}
		}
		m.mu.Unlock()
		s.ended(call, result)
	})
	return nil
}

// ended notes how a call has ended, unless its member has died meanwhile.
func (s *session) ended(call *running, result outcome) {
	s.user.mu.Lock()
	defer s.user.mu.Unlock()
	if !call.ended {
		call.ended, call.outcome = true, result
		close(call.done)
	}
}

func (s *session) finish(id, limit int64) (interface{}, error) {
	call := s.calls[id]
	if call == nil {
		return nil, fmt.Errorf("operation %d was not begun", id)
	}
	s.world.t.rest(time.Duration(limit)*time.Millisecond, call.done)
	select {
	case <-call.done:
		return fieldsOf{"outcome": call.outcome}, nil
	default:
		return fieldsOf{"outcome": nil}, nil
	}
}

func (s *session) observe(since int) interface{} {
	s.user.mu.Lock()
	defer s.user.mu.Unlock()
	events, calls := []event{}, []queueCall{}
	for _, one := range s.user.events[since:] {
		switch one := one.(type) {
		case event:
			events = append(events, one)
		case queueCall:
			calls = append(calls, one)
		}
	}
	return fieldsOf{"events": events, "position": len(s.user.events), "calls": calls}
}

func (s *session) awaitParked(g gate, limit int64) interface{} {
	until := time.Now().Add(time.Duration(limit) * time.Millisecond)
	for {
		s.user.mu.Lock()
		stands, moved := s.user.parked[g] != nil, s.user.moved
		s.user.mu.Unlock()
		if stands {
			return fieldsOf{"parked": true}
		}
		if s.world.t.rest(time.Until(until), moved) || !time.Now().Before(until) {
			s.user.mu.Lock()
			stands = s.user.parked[g] != nil
			s.user.mu.Unlock()
			return fieldsOf{"parked": stands}
		}
	}
}
