package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// An ActualWalk is the path of a token that has walked (or been simulated).
// Holders[t] is its holder in turn t. Its losses are those of this path, not of
// all paths that were possible (002, section 7.2.4, Figure 7.1(b)). It is not
// bound to a graph.
type ActualWalk struct {
	Nodes   int
	Holders []int32
}

// Check returns an error for fewer than 3 nodes, no turns or a holder that is no
// node.
func (w ActualWalk) Check() error {
	if err := cmp.Or(privacy.CheckNodes(w.Nodes), privacy.CheckCount(len(w.Holders), "turns")); err != nil {
		return err
	}
	for t, x := range w.Holders {
		if x < 0 || int(x) >= w.Nodes {
			return fault.New(fmt.Sprintf("turn %d of the walk is at node %d of %d", t, x, w.Nodes), "nodes are 0..n-1")
		}
	}
	return nil
}

// PairValues holds one number for every ordered pair. Values[u*N+v] is for u,
// who leaks, and v, who learns. It is 0 on the diagonal.
type PairValues struct {
	N      int
	Values []float64
}

// At returns the value from u towards v.
func (p *PairValues) At(u, v int) float64 { return p.Values[u*p.N+v] }

// Summary returns the mean, the least and the largest value over pairs of
// distinct nodes.
func (p *PairValues) Summary() (mean, least, most float64) {
	least = math.Inf(1)
	for u := range p.N {
		for v := range p.N {
			if u != v {
				x := p.At(u, v)
				mean, least, most = mean+x, min(least, x), max(most, x)
			}
		}
	}
	return mean / float64(p.N*(p.N-1)), least, most
}

// Energies returns the energy from every u towards every v in the private sum if
// v knows the path. Between two receipts, l turns apart, v sees the sum of l
// values and l noises. m of them are u's, so the sum shifts by m: a Gaussian of
// energy m^2/l. Energies of v's excursions add. The one after its last turn
// stays unseen. For a sum, whose updates only add, this is exact.
func (w ActualWalk) Energies() *PairValues {
	n := w.Nodes
	p := &PairValues{n, make([]float64, n*n)}
	w.excursions(func(u, v, m, l int) {
		p.Values[v*n+u] += float64(m*m) / float64(l)
	})
	for u := range n { // from [v][u] to [u][v]
		for v := range u {
			p.Values[u*n+v], p.Values[v*n+u] = p.Values[v*n+u], p.Values[u*n+v]
		}
	}
	return p
}

// excursions calls see for every observer v, every excursion of the token of l
// >= 1 turns whose end v receives, and every u with m >= 1 of its turns. It
// takes one pass over the walk for each observer.
func (w ActualWalk) excursions(see func(u, v, m, l int)) {
	counts, met := make([]int32, w.Nodes), make([]int32, 0, w.Nodes)
	for v := range int32(w.Nodes) {
		length := 0
		for _, x := range w.Holders {
			if x != v {
				if counts[x] == 0 {
					met = append(met, x)
				}
				counts[x]++
				length++
				continue
			}
			for _, u := range met {
				see(int(u), int(v), int(counts[u]), length)
				counts[u] = 0
			}
			met, length = met[:0], 0
		}
		for _, u := range met {
			counts[u] = 0
		}
		met = met[:0]
	}
}

// Sound returns the loss of every pair in the private sum at noise multiplier
// sigma, if v knows the path. It is exact at a Renyi order. At a delta energies
// are rounded up by at most one part in 1024, to compute fewer losses.
func (w ActualWalk) Sound(sigma float64, m privacy.Metric) (*PairValues, privacy.Claim, error) {
	if err := cmp.Or(w.Check(), m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return nil, privacy.Claim{}, err
	}
	p := w.Energies()
	known := make(map[float64]float64)
	for i, energy := range p.Values {
		up := roundUp(energy)
		if m.Order != 0 {
			up = energy
		}
		loss, ok := known[up]
		if !ok {
			loss = privacy.GaussianLoss(up, sigma, m)
			known[up] = loss
		}
		p.Values[i] = loss
	}
	return p, privacy.Claim{Accountant: "actual walk, composed Gaussians", Status: privacy.Sound, Assumptions: []string{
		"the path of the token is what it was, whatever the data; the observer may know it",
		"every turn adds a value and fresh Gaussian noise",
		"one observer, and the total is shown to nobody",
	}}, nil
}

// roundUp keeps ten bits of the fraction of x and rounds up.
func roundUp(x float64) float64 {
	const dropped = 1<<42 - 1
	return math.Float64frombits((math.Float64bits(x) + dropped) &^ dropped)
}

// Local returns the mean over nodes of the loss of a node whose contributions
// are all public.
func (w ActualWalk) Local(sigma float64, m privacy.Metric) (mean float64, err error) {
	if err := cmp.Or(w.Check(), m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return 0, err
	}
	for _, k := range w.Visits() {
		mean += privacy.GaussianLoss(float64(k), sigma, m) / float64(w.Nodes)
	}
	return mean, nil
}

// Visits returns the number of turns of every node.
func (w ActualWalk) Visits() []int {
	counts := make([]int, w.Nodes)
	for _, x := range w.Holders {
		counts[x]++
	}
	return counts
}
