package main

import (
	"sync"
	"time"
)

// clock is the time of all sites. It runs, or is held and moves by `advance` alone.
type clock struct {
	mu      sync.Mutex
	held    bool
	now     int64 // while it is held
	ahead   int64 // of the machine's clock, after time was held and has leapt
	offsets map[int]int64
	alarms  []*alarm
}

type alarm struct {
	at int64
	w  *waiter
}

func newClock() *clock { return &clock{offsets: map[int]int64{}} }

// common is the time in milliseconds, without the offset of a site.
func (c *clock) common() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commonLocked()
}

func (c *clock) commonLocked() int64 {
	if c.held {
		return c.now
	}
	return time.Now().UnixNano()/int64(time.Millisecond) + c.ahead
}

// of is what the clocks of a site show, in milliseconds.
func (c *clock) of(site int) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commonLocked() + c.offsets[site]
}

// set gives the clocks of a site an offset, and holds all clocks or lets them run.
func (c *clock) set(site int, offset int64, hold bool, t *tracker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.commonLocked()
	c.now, c.held = now, hold
	c.offsets[site] = offset
	if !hold { // it goes on from where it stood
		c.ahead += now - c.commonLocked()
		c.ring(1<<62, t)
	}
}

// advance lets time pass for clocks that are held.
func (c *clock) advance(ms int64, t *tracker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += ms
	c.ring(c.now, t)
}

// ring wakes those whose time has come.
func (c *clock) ring(until int64, t *tracker) {
	kept := c.alarms[:0]
	for _, a := range c.alarms {
		if a.at <= until {
			t.wake(a.w)
		} else {
			kept = append(kept, a)
		}
	}
	c.alarms = kept
}

// wakeAt wakes somebody when so many milliseconds have passed. Where time runs, the pause counts as busy.
// Waking twice does no harm: the waiter may be woken by something else as well.
func (c *clock) wakeAt(ms int64, w *waiter, t *tracker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held {
		c.alarms = append(c.alarms, &alarm{c.now + ms, w})
		return
	}
	t.spawn(func() {
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-w.ch:
		}
		t.wake(w)
	})
}

// wakeLater does the same, but where time runs the pause does not count as busy: nobody can see what is due then.
func (c *clock) wakeLater(ms int64, w *waiter, t *tracker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held {
		c.alarms = append(c.alarms, &alarm{c.now + ms, w})
		return
	}
	time.AfterFunc(time.Duration(ms)*time.Millisecond, func() { t.wake(w) })
}

func (c *clock) isHeld() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}
