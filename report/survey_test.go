package report

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"

	"pgregory.net/rapid"
)

// drawBundle draws a small complete-graph bundle with arbitrary losses.
func drawBundle(t *rapid.T, n, accountants int) *Bundle {
	b := &Bundle{Result: fakeResult("drawn", n, 0), Picture: &Picture{}}
	hops := make([]int32, n*n)
	for i := range hops {
		hops[i] = rapid.Int32Range(-1, 3).Draw(t, "hops")
		if hops[i] == 0 {
			hops[i] = 1
		}
	}
	b.Picture.Hops = func(v int, dst []int32) { copy(dst, hops[v*n:(v+1)*n]) }
	for range accountants {
		eps := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 9), rapid.SampledFrom([]float64{0, 1, math.Inf(1)})), n*n, n*n).Draw(t, "eps")
		b.Losses = append(b.Losses, &Losses{Accountant: "drawn", Status: Sound, N: n, At: apart(func(u, v int) float64 { return eps[u*n+v] })})
	}
	return b
}

// TestSurveyAgainstLoops compares every visitor with the obvious loops.
func TestSurveyAgainstLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "n")
		b := drawBundle(t, n, 2)
		s, err := newSurvey(context.Background(), b, usual)
		if err != nil {
			t.Fatal(err)
		}
		least := &worst{keep: rapid.IntRange(1, n*n).Draw(t, "keep")}
		if err := s.run(context.Background(), b.Picture, []visitor{least}); err != nil {
			t.Fatal(err)
		}
		checkRings(t, b, s)
		checkWorst(t, b, least)
		for u := range n {
			for v := range n {
				if got, want := s.at(1, u, v), b.Losses[1].At(u, v); got != want {
					t.Fatalf("pair %d,%d has loss %v, want %v", u, v, got, want)
				}
			}
		}
	})
}

func checkRings(t *rapid.T, b *Bundle, s *survey) {
	for i, r := range s.distances.rings {
		var eps []float64
		hops := make([]int32, s.n)
		for v := range s.n {
			b.Picture.Hops(v, hops)
			for u := range s.n {
				if u != v && max(hops[u], 0) == int32(i) {
					eps = append(eps, b.Losses[0].At(u, v))
				}
			}
		}
		if int(r.pairs) != len(eps) {
			t.Fatalf("ring %d has %d pairs, want %d", i, r.pairs, len(eps))
		}
		if len(eps) > 0 && (r.eps[0].Min != slices.Min(eps) || r.eps[0].Max != slices.Max(eps)) {
			t.Fatalf("ring %d spans %v, want %v to %v", i, r.eps[0], slices.Min(eps), slices.Max(eps))
		}
	}
}

func checkWorst(t *rapid.T, b *Bundle, w *worst) {
	var all []pair
	n := b.nodes()
	for u := range n {
		for v := range n {
			if u != v {
				all = append(all, pair{u: int32(u), v: int32(v), eps: []float64{b.Losses[0].At(u, v), b.Losses[1].At(u, v)}})
			}
		}
	}
	slices.SortFunc(all, func(x, y pair) int {
		return cmp.Or(cmp.Compare(y.eps[0], x.eps[0]), cmp.Compare(x.u, y.u), cmp.Compare(x.v, y.v))
	})
	got := w.descending()
	if len(got) != min(w.keep, len(all)) {
		t.Fatalf("kept %d pairs of %d, asked for %d", len(got), len(all), w.keep)
	}
	for i, p := range got {
		if p.u != all[i].u || p.v != all[i].v || !slices.Equal(p.eps, all[i].eps) {
			t.Fatalf("worst pair number %d is %v, want %v", i, p, all[i])
		}
	}
}

func TestPoolsHideNothing(t *testing.T) {
	const n = 1500
	loud := func(u, v int) float64 {
		if u == 1201 && v == 77 {
			return 5
		}
		return 1e-3
	}
	p := newPools(n, 1)
	for u := range n {
		for v := range n {
			if u != v {
				p.visit(u, v, -1, []float64{loud(u, v)})
			}
		}
	}
	row, column := 1201*p.side/n, 77*p.side/n
	if p.side != maxSide || p.cells[0][row*p.side+column] != 5 {
		t.Errorf("the one large loss is not in its cell of a picture with side %d", p.side)
	}
	if got := slices.Max(p.cells[0]); got != 5 {
		t.Errorf("largest cell is %v", got)
	}
}

func TestBadLossIsRefused(t *testing.T) {
	for _, bad := range []float64{math.NaN(), -1e-9} {
		b := hospitalsBundle()
		b.Losses[0].At = apart(func(u, v int) float64 { return bad })
		_, err := newSurvey(t.Context(), b, usual)
		if err == nil || fault.Hint(err) == "" || !strings.Contains(err.Error(), "accountant path") {
			t.Errorf("loss %v: error %v", bad, err)
		}
	}
}

func TestObserversAreSpacedWhenPairsAreTooMany(t *testing.T) {
	if got := observersFor(8192, usual.pairs); got != 8192 {
		t.Errorf("8192 nodes: %d observers", got)
	}
	const n = 100_000
	list := spaced(n, observersFor(n, usual.pairs))
	if len(list)*n > usual.pairs || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) || list[len(list)-1] >= n {
		t.Errorf("%d observers of %d nodes are not distinct, sorted and few", len(list), n)
	}
}
