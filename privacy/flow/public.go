package flow

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The public is an observer that is no node: a coalition without members. It sees the messages
// of the last round, or a function of them such as the final models, and nothing before
// (Problem.Final). So a plan has to absorb everything in the last round, and is free before it.

// Public returns upper bounds on the energy from every node towards the public. The problem must
// be Final. Nodes that movements map to each other are solved once.
func (a *Accountant) Public(movements [][]int32, by Method, workers int) (*Side, error) {
	if !a.p.Final {
		return nil, fault.New("the public of a run that publishes nothing", "publish the last round (release: final)")
	}
	s := &Side{Node: noNode, Towards: true}
	if by == OneFlow && a.rounds == nil {
		s.Claim, s.Values = a.publicClaim("flow, one plan for all"), a.cheapPublic(workers)
		return s, nil
	}
	s.Claim = a.publicClaim("flow")
	solve, sees := a.upper(len(firsts(a.nodeClasses(movements)))), a.stopping
	if by == Aim && a.rounds == nil {
		s.Claim, solve, sees = a.publicClaim("flow, aimed plans"), a.aim(), a.aiming
	}
	s.Values = a.everyNode(movements, workers, sees, solve, a.of)
	return s, nil
}

// AuditPublic returns lower bounds on the leakage of every node to the public, by the audit's
// losses.
func (a *Accountant) AuditPublic(movements [][]int32, workers int) *Side {
	return &Side{Claim: a.AuditClaim(), Node: noNode, Towards: true, Values: a.everyNode(movements, workers, a.hearing, a.lower(), a.attained)}
}

// noNode stands for the public as a side's Node.
const noNode = -1

// PublicMethod returns the most accurate method by which Public takes at most multiplications
// multiplications.
func (a *Accountant) PublicMethod(movements [][]int32, multiplications float64) Method {
	for _, by := range []Method{Optimum, Aim} {
		if a.PublicCost(movements, by) <= multiplications {
			return by
		}
	}
	return OneFlow
}

// PublicCost returns about how many multiplications Public takes.
func (a *Accountant) PublicCost(movements [][]int32, by Method) float64 {
	sources := len(firsts(a.nodeClasses(movements)))
	switch {
	case a.rounds != nil:
		return a.veiledCost(sources, 1, flowsPerDescent)
	case by == Aim:
		return flowsAimed * a.pairCost(1) * float64(sources)
	case by == OneFlow:
		return a.CheapCost()
	}
	return flowsPerSource * float64(sources) * float64(a.p.Rounds) * float64(len(a.forward[0].Values)+4*a.n)
}

// everyNode prices one node of each class towards the public.
func (a *Accountant) everyNode(movements [][]int32, workers int, sees func([]int) sight, solve solver, of func(int, float64) float64) []float64 {
	class, energies := a.nodeClasses(movements), make([]float64, a.n)
	sources := firsts(class)
	a.several(sources, sees(nil), workers, solve, a.begin(len(sources)), func(u int, e float64) { energies[u] = e })
	for u, first := range class {
		energies[u] = energies[first]
	}
	return a.scaledTowards(energies, of)
}

// nodeClasses returns for each node the least node that the movements map it to.
func (a *Accountant) nodeClasses(movements [][]int32) []int32 {
	class := make([]int32, a.n)
	for u := range class {
		class[u] = int32(u)
	}
	root := func(u int32) int32 {
		for class[u] != u {
			u = class[u]
		}
		return u
	}
	for _, m := range movements {
		if !a.leaves(m) {
			continue
		}
		for u := range class {
			x, y := root(int32(u)), root(m[u])
			class[max(x, y)] = min(x, y)
		}
	}
	for u := range class {
		class[u] = root(int32(u))
	}
	return class
}

// firsts returns the nodes that represent their class.
func firsts(class []int32) (nodes []int) {
	for u, first := range class {
		if int(first) == u {
			nodes = append(nodes, u)
		}
	}
	return nodes
}

// cheapPublic is Cheap towards the public.
func (a *Accountant) cheapPublic(workers int) []float64 {
	energies, blocks, more := a.localEnergies(), (a.n+cheapCols-1)/cheapCols, a.begin(a.n)
	nobody := []*sparse.Matrix{{N: a.n, Offsets: make([]int, a.n+1)}}
	parallel.Each(blocks, workers, func(i int) {
		lo, hi := i*cheapCols, min(a.n, (i+1)*cheapCols)
		s := a.newStream(lo, hi)
		for _, kappa := range shares {
			s.follow(kappa, nobody)
			for u := lo; u < hi; u++ {
				energies[u] = min(energies[u], s.energy(u-lo, 0)) // towards node 0, which hears no messages either
			}
		}
		more(hi - lo)
	})
	return a.scaledTowards(energies, a.of)
}

// PublicClaim returns the claim of upper bounds towards the public.
func (a *Accountant) PublicClaim() privacy.Claim { return a.publicClaim("flow") }

func (a *Accountant) publicClaim(name string) privacy.Claim {
	claim := a.claimWith(name, a.publicAssumptions())
	claim.Towards = privacy.Public
	return claim
}
