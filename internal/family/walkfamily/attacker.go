package walkfamily

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// An attacker watches one run with the view of one observer: the token when it sends and when it receives it, and the path,
// which may be revealed. Between two sights it computes the token without noise and without the attacked node's data, from all
// other nodes' data. The difference, along the direction of the two worlds, is the sum of m steps of the attacked node and of
// the noise of l turns. With constant steps gamma the log-likelihood ratio of all sights is then, up to a factor,
//
//	score = sum over excursions of (m/l) <received - expected, direction>/gamma.
//
// It is exact if gradients do not depend on the token. Otherwise it is still a score, and a lower bound from it is valid.
type attacker struct {
	protocol *walk.Protocol
	world    *world
	observer step.NodeID
	final    bool            // the last token is shown to everybody
	kernel   *descent.Kernel // without noise
	expected []float64
	own      float64 // sum of the step sizes of the attacked node's contributions in this excursion
	energy   float64 // sum of the squared step sizes of all turns of this excursion
	score    float64
}

func newAttacker(p *walk.Protocol, w *world, observer step.NodeID, final bool) *attacker {
	quiet := p.Local
	quiet.Noise.Multiplier = 0
	return &attacker{
		protocol: p, world: w, observer: observer, final: final,
		kernel: descent.NewKernel(&quiet, noise.NewSimulated(0)), expected: p.Begin(),
	}
}

// see implements sim.Watcher.
func (a *attacker) see(r step.Release, token []float64) {
	if r.From == a.observer {
		copy(a.expected, token)
		a.own, a.energy = 0, 0
		return
	}
	a.follow(r)
	if last := r.Turn+1 == a.protocol.Turns(); last && a.final || !last && r.To == a.observer {
		a.receive(token)
	}
}

// follow repeats another node's turn without its noise.
func (a *attacker) follow(r step.Release) {
	if r.NoiseStd == 0 { // the token was passed on
		return
	}
	update, ex := int(r.Turn)-a.protocol.BurnIn, a.world.Examples(r.From)
	gamma := a.protocol.StepSize.At(update)
	a.energy += float64(gamma * gamma)
	if r.Contributed && r.From != a.world.about {
		a.kernel.Contribute(a.expected, &ex, a.world.scales[r.From], update, &r)
		return
	}
	if r.Contributed {
		a.own += gamma
	}
	a.kernel.NoiseOnly(a.expected, update, &r)
}

// receive scores the token at the end of an excursion.
func (a *attacker) receive(token []float64) {
	if a.own > 0 {
		a.score += float64(a.own / a.energy * (sparse.Dot(token, a.world.direction) - sparse.Dot(a.expected, a.world.direction)))
	}
}
