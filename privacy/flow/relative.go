package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Nodes with different numbers of records, or with clips of their own, have sensitivities of their
// own and add the same noise. In the theorem for one u only s, the contribution of u's own data, depends
// on u. In units of the largest sensitivity D, in which the noise is 1 at all nodes, it is
// multiplied by D_u/D. Everything after it is linear in s, and L and the weights are those
// of other nodes' steps. So V is that for s times (D_u/D)^2. u's own L does not change,
// whichever of the two records it holds. A plan is in units of u's own sensitivity.

// of returns an energy of u in units of the largest sensitivity, rounded up.
func (a *Accountant) of(u int, energy float64) float64 {
	if a.relatives == nil {
		return energy
	}
	w := a.relatives.At(u)
	return raised(energy*w*w, 4)
}

// attained converts energies that attacks attain as of does, rounded down.
func (a *Accountant) attained(u int, energy float64) float64 {
	if a.relatives == nil {
		return energy
	}
	w := a.relatives.At(u)
	return energy * w * w * (1 - 0x1p-50)
}

// scaled applies of or attained to all pairs.
func (a *Accountant) scaled(p *Pairs, of func(u int, energy float64) float64) *Pairs {
	if a.relatives != nil {
		for i, e := range p.Values {
			p.Values[i] = of(i/a.n, e)
		}
	}
	return p
}

// scaledTowards applies of or attained to one observer's energies.
func (a *Accountant) scaledTowards(energies []float64, of func(u int, energy float64) float64) []float64 {
	if a.relatives != nil {
		for u, e := range energies {
			energies[u] = of(u, e)
		}
	}
	return energies
}

// finest returns a rounding, given in units of the largest sensitivity, in units of the
// smallest. It adds at least as much to the flow of any other node as that node's rounding
// does.
func finest(rounding []float64, relatives schedule.Relatives) []float64 {
	if relatives == nil {
		return rounding
	}
	least, own := slices.Min(relatives), slices.Clone(rounding)
	for t, r := range own {
		own[t] = raised(r/least, 1)
	}
	return own
}

// AuditClaim returns the claim of Audit for this run.
func (a *Accountant) AuditClaim() privacy.Claim { return a.unit(AuditClaim()) }

// unit returns the claim with the unit of privacy of this run.
func (a *Accountant) unit(c privacy.Claim) privacy.Claim {
	if a.records {
		c.Unit = privacy.Record
	}
	return c
}
