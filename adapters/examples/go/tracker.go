package main

import (
	"runtime"
	"sync"
	"time"
)

// tracker counts what can go on by itself: goroutines that are not waiting, and frames on their way.
// When the count is zero, nothing more happens until something is called from outside.
type tracker struct {
	mu   sync.Mutex
	busy int
	calm chan struct{} // closed at the next moment at which the count is zero
}

// add changes the count.
func (t *tracker) add(n int) {
	t.mu.Lock()
	t.addLocked(n)
	t.mu.Unlock()
}

func (t *tracker) addLocked(n int) {
	t.busy += n
	if t.busy == 0 && t.calm != nil {
		close(t.calm)
		t.calm = nil
	}
}

// rest waits until nothing goes on, or until `also` is closed, at most for the time given.
// It says whether nothing went on.
func (t *tracker) rest(limit time.Duration, also <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		t.mu.Lock()
		if t.busy == 0 {
			t.mu.Unlock()
			return true
		}
		if t.calm == nil {
			t.calm = make(chan struct{})
		}
		calm := t.calm
		t.mu.Unlock()
		select {
		case <-calm:
		case <-also:
			return false
		case <-timer.C:
			return false
		}
	}
}

// spawn runs a function in a goroutine that counts as busy until it ends or waits.
func (t *tracker) spawn(run func()) {
	t.add(1)
	go func() {
		defer t.add(-1)
		run()
	}()
}

// waiter is what one goroutine waits for.
type waiter struct {
	ch      chan struct{}
	woken   bool
	waiting bool
}

func newWaiter() *waiter { return &waiter{ch: make(chan struct{})} }

// wake lets the goroutine go on. It counts as busy from here on, before it runs.
func (t *tracker) wake(w *waiter) {
	t.mu.Lock()
	if !w.woken {
		w.woken = true
		if w.waiting {
			t.addLocked(1)
		}
		close(w.ch)
	}
	t.mu.Unlock()
}

// wait lets a counted goroutine wait. When `done` is closed first, the goroutine ends here: its member is dead.
func (t *tracker) wait(w *waiter, done <-chan struct{}) {
	t.mu.Lock()
	if w.woken {
		t.mu.Unlock()
		return
	}
	w.waiting = true
	t.addLocked(-1)
	t.mu.Unlock()
	select {
	case <-w.ch:
	case <-done:
		t.mu.Lock()
		if !w.woken {
			t.addLocked(1) // it is taken back when the goroutine ends
		}
		w.waiting = false
		t.mu.Unlock()
		runtime.Goexit()
	}
}

// lane carries out tasks one after the other, in a goroutine that exists only while there are some.
type lane struct {
	t       *tracker
	mu      sync.Mutex
	tasks   []func()
	running bool
	dead    bool
}

// push gives the lane a task behind those that it has.
func (l *lane) push(task func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return
	}
	l.tasks = append(l.tasks, task)
	if !l.running {
		l.running = true
		l.t.spawn(l.run)
	}
}

func (l *lane) run() {
	ended := false
	defer func() {
		if !ended { // a task ended the goroutine: what is behind it never comes
			l.mu.Lock()
			l.dead, l.tasks = true, nil
			l.mu.Unlock()
		}
	}()
	for {
		l.mu.Lock()
		if len(l.tasks) == 0 {
			l.running = false
			ended = true
			l.mu.Unlock()
			return
		}
		task := l.tasks[0]
		l.tasks = l.tasks[1:]
		l.mu.Unlock()
		task()
	}
}
