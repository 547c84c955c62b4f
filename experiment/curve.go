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

// A curve takes the models of a trial that are to be scored, in their order. It scores many at a time, because that
// reads each row once for several models. It scores aside, on a goroutine of its own while steps go on, or on the goroutine
// of the steps. The scores are the same.
type curve struct {
	rate    func([]waypoint) // scores some, one call at a time, in order; they are borrowed
	room    int              // most points of one call
	pending []waypoint       // to be scored next, and buffers beyond
	since   time.Time        // when it was that some were, the first at once

	full, free chan []waypoint // aside: to be scored, and buffers, for which the goroutine of the steps waits; nil: not aside
	done       chan struct{}
}

// patience is how long a point waits for others to be scored with.
const patience = 200 * time.Millisecond

// mostWaiting is the largest number of parameters, over all models of a curve that are scored together.
const mostWaiting = 1 << 22

// ahead is the number of batches of models that can wait while another is scored.
const ahead = 2

// newCurve returns a curve for models with params parameters. The caller must close it.
func newCurve(params int, aside bool, rate func([]waypoint)) *curve {
	c := &curve{rate: rate, room: max(1, min(model.Together, mostWaiting/max(1, params)))}
	if !aside {
		return c
	}
	c.full, c.free, c.done = make(chan []waypoint, ahead+1), make(chan []waypoint, ahead+1), make(chan struct{})
	for range ahead {
		c.free <- nil
	}
	go c.work()
	return c
}

// work scores batches until the curve is closed.
func (c *curve) work() {
	defer close(c.done)
	for points := range c.full {
		c.rate(points)
		c.free <- points[:0]
	}
}

// add takes a point and copies its model.
func (c *curve) add(p waypoint) {
	n := len(c.pending)
	c.pending = slices.Grow(c.pending, 1)[:n+1]
	p.theta = append(c.pending[n].theta[:0], p.theta...)
	c.pending[n] = p
	if n+1 == c.room || time.Since(c.since) > patience {
		c.flush()
	}
}

// flush scores all pending points, or hands them over to be scored.
func (c *curve) flush() {
	if len(c.pending) == 0 {
		return
	}
	if c.full == nil {
		c.rate(c.pending)
		c.pending = c.pending[:0]
	} else {
		c.full <- c.pending
		c.pending = <-c.free
	}
	c.since = time.Now()
}

// close returns when all points have been scored.
func (c *curve) close() {
	c.flush()
	if c.full != nil {
		close(c.full)
		<-c.done
	}
}
