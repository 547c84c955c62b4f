package transport

import (
	"math/rand/v2"
	"time"
)

// backoff is the pause between attempts: doubled by each failure, shortened at
// random by up to half so that two nodes do not keep dialling each other at
// the same moment.
type backoff struct {
	l      *link
	next   time.Duration
	random *rand.Rand
}

func newBackoff(l *link) *backoff {
	seed := rand.NewPCG(uint64(l.t.config.Self), uint64(l.neighbour.ID))
	return &backoff{l: l, next: l.t.config.BackoffMin, random: rand.New(seed)}
}

// lasted makes pauses short again after a link that held for a while.
func (b *backoff) lasted(d time.Duration) {
	if c := &b.l.t.config; d > c.BackoffMax {
		b.next = c.BackoffMin
	}
}

// wait pauses and reports whether to try again.
func (b *backoff) wait() bool {
	timer := time.NewTimer(time.Duration(float64(b.next) * (1 - float64(b.random.Float64()/2))))
	defer timer.Stop()
	b.next = min(2*b.next, b.l.t.config.BackoffMax)
	select {
	case <-timer.C:
		return true
	case <-b.l.woken:
		return true
	case <-b.l.t.ctx.Done():
		return false
	}
}
