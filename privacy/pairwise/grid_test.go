package pairwise

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
)

// gaussian is N_Z(0, std^2) at -reach..reach, in logarithms.
func gaussian(std float64, reach int) []float64 {
	sum, p := 0.0, make([]float64, 2*reach+1)
	for z := -20 * reach; z <= 20*reach; z++ {
		sum += math.Exp(-float64(z*z) / (2 * std * std))
	}
	for i := range p {
		z := i - reach
		p[i] = math.Exp(-float64(z*z)/(2*std*std)) / sum
	}
	return p
}

// seen is the law of what everybody sees of a path of n nodes without data: z_i plus
// signed noise of its edges, entries -reach..reach. Noise further out is left out, which
// leaves every probability too small by less than 1e-9 of it where it matters.
func seen(n int, own, pair float64, reach int) map[[3]int]float64 {
	z, r := gaussian(own, reach), gaussian(pair, reach)
	law := map[[3]int]float64{{}: 1}
	for i := range n {
		law = spread(law, z, reach, func(y [3]int, k int) [3]int { y[i] += k; return y })
	}
	for i := range n - 1 {
		law = spread(law, r, reach, func(y [3]int, k int) [3]int { y[i] += k; y[i+1] -= k; return y })
	}
	return law
}

func spread(law map[[3]int]float64, p []float64, reach int, move func([3]int, int) [3]int) map[[3]int]float64 {
	next := make(map[[3]int]float64)
	for y, q := range law {
		for i, p := range p {
			at := move(y, i-reach)
			if max(at[0], at[1], at[2]) <= reach && min(at[0], at[1], at[2]) >= -reach {
				next[at] += q * p
			}
		}
	}
	return next
}

// On two and three nodes the Renyi divergence of what everybody sees, summed up, is below the
// bound for a whole plan at every order, and above half of it. The continuous formula is
// exceeded where the noise is smaller than the grid.
func TestWholePlansBoundWhatIsEnumerated(t *testing.T) {
	exceeded := 0.0
	for _, c := range []struct {
		n         int
		own, pair float64
	}{{2, 1, 1}, {2, 1.5, 0.5}, {2, 0.5, 0.7}, {3, 1, 1}, {3, 0.5, 0.5}} {
		var edges [][2]int
		for i := range c.n - 1 {
			edges = append(edges, [2]int{i, i + 1})
		}
		a := accountant(t, Problem{Pairs: edgesOf(c.n, edges), Own: c.own, Pair: c.pair, Contributions: 1})
		reach := 11
		law := seen(c.n, c.own, c.pair, reach)
		whole, err := a.OnGrid(Grid{Step: 1, PairStep: 1, Dims: 1}, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		extra := a.rounding(Grid{Step: 1, PairStep: 1, Dims: 1}, nil)
		smooth, err := a.Energies(nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		for u := range c.n {
			for _, alpha := range []float64{2, 3, 5} {
				sum := 0.0
				for y, p := range law {
					moved := y
					moved[u]-- // u's value is larger by one step
					if q := law[moved]; q > 0 && p > 0 {
						sum += math.Exp(alpha*math.Log(q) + (1-alpha)*math.Log(p))
					}
				}
				loss := math.Log(sum) / (alpha - 1) * 2 / alpha
				if bound := smooth[u] + extra; loss > bound || loss < smooth[u]/2 || bound > whole[u]*(1+1e-12) {
					t.Errorf("%+v, node %d, order %g: divergence of %g, bound %g, continuous %g", c, u, alpha, loss, bound, smooth[u])
				}
				exceeded = max(exceeded, loss/smooth[u])
			}
		}
	}
	if exceeded < 1.02 {
		t.Errorf("the continuous formula holds everywhere: by %g at most", exceeded)
	}
}

// With noise as fine as the network's, the grid costs next to nothing.
func TestFineGridsCostNothing(t *testing.T) {
	a := accountant(t, Problem{Pairs: hypercube(6), Own: 1, Pair: 10, Contributions: 50})
	smooth, err := a.Energies([]int{5}, 1)
	if err != nil {
		t.Fatal(err)
	}
	fine, err := a.OnGrid(Grid{Step: 0x1p-28, PairStep: 0x1p-24, Dims: 1000}, []int{5}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for u, x := range fine {
		if u != 5 && !(x >= smooth[u] && x <= smooth[u]*(1+1e-6)) {
			t.Errorf("node %d: %g on the grid, %g off it", u, x, smooth[u])
		}
	}
	m := privacy.Metric{Delta: 1e-6}
	if onGrid, off := Loss(fine[0], m), m.GaussianView(smooth[0]); !(onGrid > off) || onGrid > 1.15*off {
		t.Errorf("epsilon %g on the grid, %g off it", onGrid, off)
	}
}
