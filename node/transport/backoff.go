package transport

import (
	"math/rand/v2"
	"time"
)

// backoff computes the pause between attempts. Each failure doubles it. It is shortened at random by up to half,
// so that two nodes do not keep dialling each other at the same moment.
type backoff struct {
	l      *link
	next   time.Duration
	random *rand.Rand
}

func newBackoff(l *link) *backoff {
	seed := rand.NewPCG(uint64(l.t.config.Self), uint64(l.neighbour.ID))
	return &backoff{l: l, next: l.t.config.BackoffMin, random: rand.New(seed)}
}

// lasted resets the pause after a link that held longer than BackoffMax.
func (b *backoff) lasted(d time.Duration) {
	if c := &b.l.t.config; d > c.BackoffMax {
		b.next = c.BackoffMin
	}
}

// wait pauses and reports whether to try again. It returns false if the transport closes.
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
