package main

import (
	"encoding/gob"
	"net"
	"sync"
)

// message is a frame between two parties: members, senders and receivers of sites, clients and servers.
type message struct {
	ID      int64
	Reply   bool
	Kind    string
	Wire    int64
	Changes []change
	Status  string
	Value   *string
	Text    string
	Region  string
	Member  string
	Numbers []int64
	Keys    []string
	Reasons []string
	Flag    bool

	Op       *operation     // of a client's call
	Event    eventID        // of a client's call
	Interest []registration // of a client
	Events   []eventID      // that a client has acknowledged
	Origin   string         // the client that has called it, if one has; of a recruit: the primary
	Queue    []message      // of a client
	Ready    bool           // the client has said that it is ready
}

// wire is a TCP connection of one calling thread to another party. What one thread sends arrives in its order.
type wire struct {
	id      int64
	t       *tracker
	mu      sync.Mutex
	flying  int // frames written and not read yet
	dead    bool
	near    net.Conn
	far     net.Conn
	toFar   *outlet
	toNear  *outlet
	next    int64
	pending map[int64]*reply
	mute    bool // answers are lost on their way
	hasty   bool // who asks gives an answer up that is lost
	closed  []func()
}

// outlet is one direction of a wire.
type outlet struct {
	mu sync.Mutex
	to *gob.Encoder
}

func newOutlet(conn net.Conn) *outlet { return &outlet{to: gob.NewEncoder(conn)} }

// send writes a frame. A connection that breaks is noticed by its reader.
func (o *outlet) send(what message) {
	o.mu.Lock()
	_ = o.to.Encode(what)
	o.mu.Unlock()
}

// reply is an answer that somebody waits for.
type reply struct {
	w      *waiter
	answer message
	broken bool
	lost   bool
}

// post is where a party listens for connections.
type post struct {
	world  *world
	net    net.Listener
	handle func(*wire, *message) message
}

// newPost listens on a free port of this machine.
func newPost(w *world, handle func(*wire, *message) message) *post {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	p := &post{w, listener, handle}
	go p.accept()
	return p
}

func (p *post) accept() {
	for {
		conn, err := p.net.Accept()
		if err != nil {
			return
		}
		go p.serve(conn)
	}
}

// serve reads what comes over one connection, and has it handled in order.
func (p *post) serve(conn net.Conn) {
	from := gob.NewDecoder(conn)
	var first message
	if from.Decode(&first) != nil {
		conn.Close()
		return
	}
	wr := p.world.wire(first.Wire)
	if wr == nil || !wr.arrived(conn) {
		conn.Close()
		return
	}
	work := &lane{t: p.world.t}
	for {
		var asked message
		if from.Decode(&asked) != nil {
			wr.end()
			return
		}
		work.push(func() {
			answer := p.handle(wr, &asked)
			if asked.ID != 0 {
				answer.ID, answer.Reply = asked.ID, true
				wr.answer(answer)
			}
		})
		wr.landed()
	}
}

// dial opens a connection to a post.
func (w *world) dial(p *post) *wire {
	wr := &wire{t: w.t, pending: map[int64]*reply{}}
	w.mu.Lock()
	w.wires = append(w.wires, wr)
	wr.id = int64(len(w.wires))
	w.mu.Unlock()
	conn, err := net.Dial("tcp", p.net.Addr().String())
	if err != nil {
		wr.end()
		return wr
	}
	wr.mu.Lock()
	wr.near, wr.toFar = conn, newOutlet(conn)
	wr.mu.Unlock()
	wr.toFar.send(message{Wire: wr.id})
	go wr.listen(conn)
	return wr
}

func (w *world) wire(id int64) *wire {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id < 1 || id > int64(len(w.wires)) {
		return nil
	}
	return w.wires[id-1]
}

// arrived notes the far end of the connection.
func (wr *wire) arrived(conn net.Conn) bool {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	wr.far, wr.toNear = conn, newOutlet(conn)
	return !wr.dead
}

// landed notes that a frame was read.
func (wr *wire) landed() {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	if !wr.dead {
		wr.flying--
		wr.t.add(-1)
	}
}

// depart notes that a frame is written.
func (wr *wire) depart() {
	wr.flying++
	wr.t.add(1)
}

// tell sends a message without waiting for an answer.
func (wr *wire) tell(what message) {
	wr.mu.Lock()
	if wr.dead {
		wr.mu.Unlock()
		return
	}
	wr.depart()
	wr.mu.Unlock()
	wr.toFar.send(what)
}

// ask sends a message whose answer somebody will wait for.
func (wr *wire) ask(what message) *reply {
	r := &reply{w: newWaiter()}
	wr.mu.Lock()
	if wr.dead {
		wr.mu.Unlock()
		r.broken = true
		wr.t.wake(r.w)
		return r
	}
	wr.next++
	what.ID = wr.next
	wr.pending[what.ID] = r
	wr.depart()
	wr.mu.Unlock()
	wr.toFar.send(what)
	return r
}

func (wr *wire) answer(what message) {
	wr.mu.Lock()
	if wr.dead || wr.mute {
		if r := wr.pending[what.ID]; r != nil && wr.hasty {
			delete(wr.pending, what.ID)
			r.lost = true
			wr.t.wake(r.w)
		}
		wr.mu.Unlock()
		return
	}
	wr.depart()
	wr.mu.Unlock()
	wr.toNear.send(what)
}

// listen reads the answers.
func (wr *wire) listen(conn net.Conn) {
	from := gob.NewDecoder(conn)
	for {
		var answer message
		if from.Decode(&answer) != nil {
			wr.end()
			return
		}
		wr.mu.Lock()
		r := wr.pending[answer.ID]
		delete(wr.pending, answer.ID)
		wr.mu.Unlock()
		if r != nil {
			r.answer = answer
			wr.t.wake(r.w)
		}
		wr.landed()
	}
}

// silence has the answers lost from here on, or no longer.
func (wr *wire) silence(on bool) {
	wr.mu.Lock()
	wr.mute = on
	wr.mu.Unlock()
}

// end breaks the connection. What was on its way is lost, and nobody waits for an answer any more.
func (wr *wire) end() {
	wr.mu.Lock()
	if wr.dead {
		wr.mu.Unlock()
		return
	}
	wr.dead = true
	waiting, closed := wr.pending, wr.closed
	wr.pending = nil
	for _, r := range waiting {
		r.broken = true
		wr.t.wake(r.w)
	}
	wr.t.add(-wr.flying)
	wr.flying = 0
	for _, conn := range []net.Conn{wr.near, wr.far} {
		if conn != nil {
			conn.Close()
		}
	}
	wr.mu.Unlock()
	for _, run := range closed {
		run()
	}
}

func (wr *wire) broken() bool {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	return wr.dead
}

// onEnd runs something when the connection breaks, or at once if it has.
func (wr *wire) onEnd(run func()) {
	wr.mu.Lock()
	dead := wr.dead
	wr.closed = append(wr.closed, run)
	wr.mu.Unlock()
	if dead {
		run()
	}
}
