package design

import (
	"fmt"
	"sync"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A kept price is that of a plan with noise that cancels, which takes long for many participants. Its energies are in proportion to
// the rounds, and do not depend on the turns of averaging.
type kept struct {
	lock   sync.Mutex
	priced map[string]*paid // of one round
}

// of returns the noise of a shape, if one of another length has been priced.
func (k *kept) of(s shape) (paid, bool) {
	if k == nil || s.family != cancelling {
		return paid{}, false
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	p, found := k.priced[k.key(s)]
	if !found {
		return paid{}, false
	}
	return paid{p.sigma * math.Sqrt(float64(s.rounds)), p.binding, p.own}, true
}

// keep keeps the noise of a shape.
func (k *kept) keep(s shape, p paid) {
	if k == nil || s.family != cancelling {
		return
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.priced == nil {
		k.priced = map[string]*paid{}
	}
	k.priced[k.key(s)] = &paid{p.sigma / math.Sqrt(float64(s.rounds)), p.binding, p.own}
}

func (k *kept) key(s shape) string {
	return fmt.Sprint(s.algorithm["secrets"], s.algorithm["weigh_rows"])
}

// prices hold the prices of shapes that were asked for. They depend on no limit.
type prices struct {
	lock   sync.Mutex
	opened map[string]*price
}

// of returns the price of a shape, which open opens once.
func (p *prices) of(s shape, open func() (*price, error)) (*price, error) {
	key := fmt.Sprint(s.accountant, s.algorithm)
	p.lock.Lock()
	q := p.opened[key]
	p.lock.Unlock()
	if q != nil {
		return q, nil
	}
	q, err := open()
	if err == nil {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.opened[key] = q
	}
	return q, err
}
