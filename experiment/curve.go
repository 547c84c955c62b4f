package experiment

import (
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/model"
)

// A waypoint is a model of a trial that is to be scored.
type waypoint struct {
	step  int
	theta []float64
	apart float64
}

// A curve takes the models of a trial that are to be scored, in their order, and has them scored many at a time, which
// reads each row once for several models: aside, on a goroutine of its own while steps go on, or by whoever takes the
// steps. What comes out is the same.
type curve struct {
	rate func([]waypoint) // scores some, one call at a time, in order; they are borrowed
	room int              // most points of one call

	pending []waypoint // not aside: to be scored next, and buffers beyond
	since   time.Time  // when it was that some were, the first at once

	free chan []float64 // aside: buffers; who wants one waits for the scorer
	full chan waypoint
	done chan struct{}
}

// patience is how long a point waits for others to be scored with.
const patience = 200 * time.Millisecond

// mostWaiting is how many numbers the models of a curve hold that wait to be scored.
const mostWaiting = 1 << 22

// newCurve is the curve of models of so many parameters. It is to be closed.
func newCurve(params int, aside bool, rate func([]waypoint)) *curve {
	c := &curve{rate: rate, room: max(1, min(model.Together, mostWaiting/max(1, params)))}
	if !aside {
		return c
	}
	c.free, c.full, c.done = make(chan []float64, 2*c.room), make(chan waypoint, 2*c.room), make(chan struct{})
	for range 2 * c.room {
		c.free <- nil
	}
	go c.work()
	return c
}

// add takes a point, whose model is copied.
func (c *curve) add(p waypoint) {
	if c.full != nil {
		p.theta = append((<-c.free)[:0], p.theta...)
		c.full <- p
		return
	}
	n := len(c.pending)
	c.pending = slices.Grow(c.pending, 1)[:n+1]
	p.theta = append(c.pending[n].theta[:0], p.theta...)
	c.pending[n] = p
	if n+1 == c.room || time.Since(c.since) > patience {
		c.flush()
	}
}

func (c *curve) flush() {
	if len(c.pending) > 0 {
		c.rate(c.pending)
	}
	c.pending, c.since = c.pending[:0], time.Now()
}

// work scores what there is until the curve is closed.
func (c *curve) work() {
	defer close(c.done)
	batch := make([]waypoint, 0, c.room)
	for p := range c.full {
		batch = append(batch[:0], p)
		for more := true; more && len(batch) < c.room; {
			select {
			case p, more = <-c.full:
				if more {
					batch = append(batch, p)
				}
			default:
				more = false
			}
		}
		c.rate(batch)
		for _, p := range batch {
			c.free <- p.theta
		}
	}
}

// close returns when all points have been scored.
func (c *curve) close() {
	if c.full == nil {
		c.flush()
		return
	}
	close(c.full)
	<-c.done
}
