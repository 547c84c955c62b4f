package walkpath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// renumbered is how far, relatively, moments may charge a pair otherwise whose nodes have other numbers, as the claim says.
const renumbered = 0.003

// What rounding may take away is added to moments, and depends on the order of the nodes: where walks mix slowly, as on lines
// and rings, charges move by as little as the claim says, elsewhere by next to nothing.
func TestRenumberingMovesMomentsAsLittleAsSaid(t *testing.T) {
	const n = 100
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		edge   func(i, j int) bool
		within float64
	}{
		"line":   {func(i, j int) bool { return i-j == 1 }, renumbered},
		"ring":   {func(i, j int) bool { return i-j == 1 || i-j == n-1 }, renumbered},
		"random": {func(i, j int) bool { return i-j == 1 || r.Float64() < 0.05 }, 1e-6},
	} {
		plain, moved, order := make([]float64, n*n), make([]float64, n*n), r.Perm(n)
		degree := make([]float64, n)
		for i := range n {
			for j := range i {
				if c.edge(i, j) {
					plain[i*n+j], plain[j*n+i], degree[i], degree[j] = 1, 1, degree[i]+1, degree[j]+1
				}
			}
		}
		for i := range n {
			for j := range n {
				plain[i*n+j] /= degree[i]
				moved[order[i]*n+order[j]] = plain[i*n+j]
			}
		}
		charged := func(dense []float64) *PairLosses {
			m, err := Walk{Walk: schedule.Walk{Nodes: n, W: sparse.FromDense(n, dense), Start: AnyStart, Turns: 20000, Cap: 12, Update: amplified}}.Moments(2)
			if err != nil {
				t.Fatal(err)
			}
			l, err := m.losses(2, privacy.Metric{Delta: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		one, other, most := charged(plain), charged(moved), 0.0
		for u := range n {
			for v := range n {
				if u != v {
					most = max(most, math.Abs(one.At(u, v)-other.At(order[u], order[v]))/one.At(u, v))
				}
			}
		}
		if t.Logf("%s: up to %.2g", name, most); most > c.within {
			t.Errorf("%s: renumbered, charges move by %g, more than %g", name, most, c.within)
		}
	}
}
