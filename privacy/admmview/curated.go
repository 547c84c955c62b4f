package admmview

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Curated run is one in which all of Nodes >= 1 nodes (records, of a curator) update in each of Rounds >= 1 rounds. Only
// means of all variables are seen. A curator releases them, or secure sums show them to a server and any other listener.
// Rounds counts the rounds whose updates are in a mean that is seen. That is one less than the iterations of 002, Algorithm
// 8.2, whose last updates are in no z.
type Curated struct {
	Step
	Nodes, Rounds int
}

func (c Curated) check() error {
	if c.Nodes < 1 {
		return fault.New(fmt.Sprintf("ADMM of %d nodes", c.Nodes), "give at least one")
	}
	return cmp.Or(c.Step.check(), privacy.CheckCount(c.Rounds, "rounds"))
}

// Energy returns an upper bound on the energy of all means together about one node, and so of the last one, in the units of
// Step. For lambda <= 1/2 and no penalty it is at most
//
//	Rounds q^2/(q^2 + n - 1),   q = 1 + Memory,
//
// at most 4/(n + 3) a round (docs/ADMM.md, "Rounds of all"). That is n times less than public updates, where 002, Theorem
// 8.7 has n^2.
//
// The node keeps a share rho of the move by its data and takes back the rest by its own noise. The others hold the opposite
// in equal parts. Every rho is sound. Energy returns the least over a grid, one further rho, and public updates.
func (c Curated) Energy() (float64, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	unit := 1 + c.Inexact
	least := float64(c.Rounds) * unit * unit
	if c.Nodes == 1 {
		return least, nil
	}
	const parts = 256
	for k := 1; k <= parts; k++ {
		least = min(least, c.sharing(float64(k)/parts))
	}
	q := 1 + ratio(c.Memory)
	return min(least, c.sharing(float64(c.Nodes-1)/(float64(q*q)+float64(c.Nodes-1)))), nil
}

// OnGrid returns the energy if variables are on a grid (see the function OnGrid).
func (c Curated) OnGrid(energy, rho float64) float64 {
	return OnGrid(energy, c.Nodes*c.Rounds, c.Rounds, rho)
}

// sharing returns the energy for a share rho, rounded upwards.
func (c Curated) sharing(rho float64) float64 {
	m, u := c.others(), c.own()
	held, energy, others := 0.0, 0.0, float64(c.Nodes-1) // held bounds the difference of u's variable
	for range c.Rounds {
		unit, radius := 1+c.Inexact+float64(u.spread*held), float64(m.spread*held)
		hidden := float64(math.Abs(u.keep-m.keep)*held) + float64(rho*unit)
		if held > 0 { // by all others together
			hidden += radius + float64(others*c.Inexact)
		}
		back := float64((1 - rho) * unit)
		energy += float64(back*back) + hidden*hidden/others
		held = float64(math.Abs(u.keep)*held) + float64(rho*unit)
	}
	return float64(energy * (1 + 1e-9))
}

// Loss returns the loss of Energy in a metric.
func (c Curated) Loss(a Consensus, m privacy.Metric) (float64, privacy.Claim, error) {
	if err := cmp.Or(a.check(), m.Check()); err != nil {
		return 0, privacy.Claim{}, err
	}
	energy, err := c.Energy()
	if err != nil {
		return 0, privacy.Claim{}, err
	}
	return privacy.GaussianLoss(energy, a.Multiplier(), m), c.claim(), nil
}

func (c Curated) claim() privacy.Claim {
	claim := c.Step.claim("ADMM, rounds of all",
		fmt.Sprintf("nothing is seen of %d rounds but means of the variables of all %d nodes, each of which updates in every round", c.Rounds, c.Nodes), active)
	claim.Final = true // the model is the last of these means
	return claim
}
