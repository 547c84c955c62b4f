package allpairs

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/sparse"
)

// drawWalk is a walk on a small graph, directed and weighted, that is strongly connected.
func drawWalk(t *rapid.T) Walk {
	n := rapid.IntRange(2, 12).Draw(t, "nodes")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	share := rapid.Float64Range(0, 1).Draw(t, "share of edges")
	dense := make([]float64, n*n)
	for i := range n {
		row, total := dense[i*n:(i+1)*n], 0.0
		row[(i+1)%n] = 0.1 + r.Float64()
		for j := range row {
			if r.Float64() < share {
				row[j] += math.Exp(3 * r.NormFloat64())
			}
			total += row[j]
		}
		for j := range row {
			row[j] /= total
		}
	}
	w := Walk{W: sparse.FromDense(n, dense), Start: make([]float64, n), Turns: rapid.IntRange(1, 100_000).Draw(t, "turns"), Cap: rapid.IntRange(1, 20).Draw(t, "cap")}
	w.Skip = rapid.SampledFrom([]float64{0, 0, 0.1, 0.9}).Draw(t, "skip")
	if rapid.IntRange(0, 20).Draw(t, "many") == 0 {
		w.Cap += rapid.SampledFrom([]int{together - 10, 5 * together}).Draw(t, "more")
	}
	w.Start[rapid.IntRange(0, n-1).Draw(t, "start")] = 1
	return w
}

func planned(t *rapid.T, w Walk) *Plan {
	p, err := NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	for j := range p.Rates() {
		if err := p.Invert(j); err != nil {
			t.Fatal(err)
		}
	}
	for b := range p.Blocks() {
		p.Diagonal(b)
	}
	p.Start()
	return p
}

// Whatever happens after a visit is charged: the masses of all ways sum to 1, and never
// to less. They are more by what rounding is charged for, which is little but on graphs whose
// edges differ by many orders of magnitude.
func TestMassIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t)
		p := planned(t, w)
		f, c := p.newFollower(), newClusterer(p.rule, len(p.x))
		for u := range w.W.N {
			var at visited
			list, count := p.observers(0)
			p.moves(p.walk.W, list, func(t int, to []float64) { copy(at.uv[t][:], to[u*lanes:]) })
			p.moves(p.backwards, list, func(t int, from []float64) { copy(at.vu[t][:], from[u*lanes:]) })
			for t := range at.vv {
				at.uu[t] = p.diagonal[t][u]
				for i, v := range list {
					at.vv[t][i] = p.diagonal[t][v]
				}
			}
			var all panel
			f.follow(&at, u, list)
			c.moments(&f.gaps, &all)
			for i := range count {
				if mass := all[i]; u != list[i] && !(mass >= 1-1e-12 && mass < 2) {
					t.Fatalf("%d to %d: mass 1%+g", u, list[i], mass-1)
				}
			}
		}
	})
}

// The laws of near gaps are those of the walk that stops at both nodes.
func TestNearGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t)
		p := planned(t, w)
		u := rapid.IntRange(0, w.W.N-1).Draw(t, "u")
		list, count := p.observers(0)
		at, next := make([]float64, w.W.N), make([]float64, w.W.N)
		var seen visited
		p.moves(p.walk.W, list, func(t int, to []float64) { copy(seen.uv[t][:], to[u*lanes:]) })
		p.moves(p.backwards, list, func(t int, from []float64) { copy(seen.vu[t][:], from[u*lanes:]) })
		for t := range seen.vv {
			seen.uu[t] = p.diagonal[t][u]
			for i, v := range list {
				seen.vv[t][i] = p.diagonal[t][v]
			}
		}
		var laws gapLaws
		laws.follow(&seen)
		for i, v := range list[:count] {
			if v == u {
				continue
			}
			clear(at)
			at[u] = 1
			for step := 1; step <= near; step++ {
				move(next, at, w.W)
				if got := laws.back.at(step)[i]; math.Abs(got-next[u]) > 1e-12 {
					t.Fatalf("%d to %d: back in %d turns with %v, want %v", u, v, step, got, next[u])
				}
				if got := laws.hit.at(step)[i]; math.Abs(got-next[v]) > 1e-12 {
					t.Fatalf("%d to %d: a hit in %d turns with %v, want %v", u, v, step, got, next[v])
				}
				next[u], next[v] = 0, 0
				at, next = next, at
			}
		}
	})
}

func move(to, at []float64, w *sparse.Matrix) {
	clear(to)
	for i, p := range at {
		columns, values := w.Row(i)
		for k, j := range columns {
			to[j] += p * values[k]
		}
	}
}

// Transforms of passages are those of the laws that they stand for.
func TestPassagesAreTransforms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t)
		w.Turns = 1000
		p := planned(t, w)
		u := rapid.IntRange(0, w.W.N-1).Draw(t, "u")
		v := (u + rapid.IntRange(1, w.W.N-1).Draw(t, "v-u")) % w.W.N
		g := p.greens[rapid.IntRange(1, len(p.x)-1).Draw(t, "rate")]
		n := w.W.N
		got := g.between(g.z[u*n+u], g.z[v*n+v], g.z[u*n+v], g.z[v*n+u], g.rho[u], g.rho[v])
		at, next := make([]float64, n), make([]float64, n)
		at[u] = 1
		back, hit := 0.0, 0.0
		for step := 1; step < 400_000/n; step++ {
			move(next, at, w.W)
			z := math.Exp(-g.x * float64(step))
			back, hit = back+next[u]*z, hit+next[v]*z
			next[u], next[v] = 0, 0
			at, next = next, at
			if z < 1e-16 {
				break
			}
		}
		if left := math.Exp(-g.x * 400_000 / float64(n)); math.Abs(got.back-back) > got.backError+left+1e-12 || math.Abs(got.hit-hit) > got.hitError+left+1e-12 {
			t.Fatalf("rate %g: %+v, want back %v and hit %v", g.x, got, back, hit)
		}
	})
}

// Sums of exponentials are above the powers, and close, wherever they are used.
func TestAboveIsAbove(t *testing.T) {
	for _, turns := range []int{40, 3000, 20_000, 2_000_000} {
		x := rates(turns)
		to := max(near+2, turns)
		fits := newScale(x, near+1, to)
		for k := 1; k < order; k++ {
			w := fits.above(k)
			worst, least := 0.0, math.Inf(1)
			for d := float64(near + 1); d <= float64(to); d = math.Floor(max(d+1, d*1.0007)) {
				sum := 0.0
				for j, rate := range x {
					sum += w[j] * math.Exp(-rate*d)
				}
				ratio := sum * math.Pow(d, float64(k))
				least = min(least, ratio)
				if d < 3000 {
					worst = max(worst, ratio)
				}
			}
			if !(least >= 1) || math.Pow(worst, 1/float64(k)) > 1.05 {
				t.Errorf("%d turns, power %d: %v to %v times", turns, k, least, worst)
			}
		}
	}
}
