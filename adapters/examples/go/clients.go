package main

import (
	"fmt"
	"time"
)

// What the adapter does for clients.

type clientAttributes struct {
	Name              string   `json:"name"`
	Servers           []string `json:"servers"`
	Subscription      *bool    `json:"subscription"`
	Redundancy        int      `json:"redundancy"`
	DurableID         *string  `json:"durable_id"`
	DurableTimeoutS   int64    `json:"durable_timeout_s"`
	Checks            *bool    `json:"checks"`
	TrackingTimeoutMs *int64   `json:"tracking_timeout_ms"`
	Conflate          bool     `json:"conflate"`
}

// subscribes says whether servers send it events.
func (a clientAttributes) subscribes() bool { return a.Subscription == nil || *a.Subscription }

type interest struct {
	Client        string  `json:"client"`
	Region        string  `json:"region"`
	Kind          string  `json:"kind"`
	Specification string  `json:"specification"`
	Policy        *string `json:"policy"`
	Durable       bool    `json:"durable"`
	ReceiveValues *bool   `json:"receive_values"`
	Register      *bool   `json:"register"`
}

// registration is what the interest asks for.
func (i interest) registration() registration {
	g := registration{
		Region: i.Region, Kind: i.Kind, Specification: i.Specification, Policy: "keys_values", Values: true,
		Durable: i.Durable,
	}
	if g.Kind == "" {
		g.Kind = "all"
	}
	if i.Policy != nil {
		g.Policy = *i.Policy
	}
	if i.ReceiveValues != nil {
		g.Values = *i.ReceiveValues
	}
	return g
}

// registering is a registration that was begun.
type registering struct {
	w        *waiter
	held     bool // its answer stands on its way
	released bool
	status   string
}

// ofClients answers the methods about clients; it says whether the method is one of these.
func (s *session) ofClients(method string, p params) (interface{}, bool, error) {
	switch method {
	case "start_client":
		return nil, true, s.startClient(p)
	case "client_action":
		return nil, true, s.clientAction(p)
	case "interest":
		return nil, true, s.interest(p.Interest)
	case "begin_interest":
		return nil, true, s.beginInterest(p)
	case "await_answer", "finish_interest":
		answer, err := s.awaitRegistration(method, p)
		return answer, true, err
	case "release_answer":
		s.user.mu.Lock()
		defer s.user.mu.Unlock()
		if one := s.begun[p.Number]; one != nil {
			one.released = true
			s.world.t.wake(one.w)
		}
		return nil, true, nil
	case "contents", "statistic":
		c := s.world.client(p.Member)
		if c == nil {
			return nil, false, nil
		}
		if method == "statistic" {
			if p.Name != "tombstoneCount" {
				return nil, true, unsupportedf("clients do not count %s", p.Name)
			}
			return fieldsOf{"value": c.tombstones()}, true, nil
		}
		r := c.region(p.Region)
		if r == nil {
			return fieldsOf{"entries": nil}, true, nil
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return fieldsOf{"entries": r.contents()}, true, nil
	}
	return nil, false, nil
}

func (s *session) startClient(p params) error {
	asked := clientAttributes{DurableTimeoutS: 300}
	if err := strictly(p.Client, &asked); err != nil {
		return &rpcError{wrongParams, err.Error()}
	}
	if asked.Conflate {
		return unsupportedf("queues of clients keep all updates here")
	}
	regions := []regionAttributes{}
	for _, name := range s.names {
		regions = append(regions, s.regions[name])
	}
	c := newClient(s.world, asked, regions)
	s.world.mu.Lock()
	s.world.clients[asked.Name] = c
	s.world.mu.Unlock()
	connected := make(chan bool, 1)
	s.world.t.spawn(func() { connected <- c.connect() })
	s.world.t.rest(10*time.Second, nil)
	select {
	case found := <-connected:
		if found {
			return nil
		}
	default:
	}
	return fmt.Errorf("%s finds no server", asked.Name)
}

func (s *session) clientAction(p params) error {
	var name string
	if err := strictly(p.Client, &name); err != nil {
		return &rpcError{wrongParams, err.Error()}
	}
	c := s.world.client(name)
	if c == nil {
		return fmt.Errorf("%s does not run", name)
	}
	done := make(chan struct{})
	s.world.t.spawn(func() {
		switch p.Action {
		case "ready":
			c.declareReady()
		case "close":
			c.close(p.Keepalive)
		}
		close(done)
	})
	s.world.t.rest(10*time.Second, done)
	if p.Action != "ready" {
		s.world.mu.Lock()
		delete(s.world.clients, name)
		s.world.mu.Unlock()
		c.die()
		s.user.forget(name)
	}
	return nil
}

func (s *session) interest(i interest) error {
	c := s.world.client(i.Client)
	if c == nil {
		return fmt.Errorf("there is no client %s", i.Client)
	}
	ended := make(chan string, 1)
	s.world.t.spawn(func() {
		if i.Register != nil && !*i.Register {
			ended <- c.withdraw(i.registration())
		} else {
			ended <- c.register(i.registration(), func() {})
		}
	})
	s.world.t.rest(20*time.Second, nil)
	select {
	case status := <-ended:
		if status == "ok" {
			return nil
		}
		if status == "refused" {
			return &rpcError{refused, "the client cannot register for that"}
		}
		return fmt.Errorf("the registration has %s", status)
	default:
		return fmt.Errorf("the registration does not come back")
	}
}

func (s *session) beginInterest(p params) error {
	c := s.world.client(p.Interest.Client)
	if c == nil {
		return fmt.Errorf("there is no client %s", p.Interest.Client)
	}
	one := &registering{w: newWaiter(), released: !p.Held}
	s.begun[p.Number] = one
	hold := func() {
		s.user.mu.Lock()
		one.held = !one.released
		waits := one.held
		s.user.stir()
		s.user.mu.Unlock()
		if waits {
			c.wait(one.w)
		}
	}
	s.world.t.spawn(func() {
		status := c.register(p.Interest.registration(), hold)
		s.user.mu.Lock()
		one.status, one.held = status, false
		s.user.stir()
		s.user.mu.Unlock()
	})
	return nil
}

// awaitRegistration waits until an answer is held, or until its registration has ended.
func (s *session) awaitRegistration(method string, p params) (interface{}, error) {
	one := s.begun[p.Number]
	if one == nil {
		return nil, fmt.Errorf("registration %d was not begun", p.Number)
	}
	until := time.Now().Add(time.Duration(p.TimeoutMs) * time.Millisecond)
	for last := false; ; {
		s.user.mu.Lock()
		held, status, moved := one.held, one.status, s.user.moved
		s.user.mu.Unlock()
		switch {
		case method == "await_answer" && (held || status != "" || last):
			return fieldsOf{"held": held}, nil
		case method == "finish_interest" && status != "":
			return fieldsOf{"status": status}, nil
		case last:
			return fieldsOf{"status": nil}, nil
		}
		last = s.world.t.rest(time.Until(until), moved) || !time.Now().Before(until)
	}
}
