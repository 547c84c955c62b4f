package exact

import (
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"
)

// The recurrence finds the rank and the units of elimination.
func TestKrylovUnitsEqualElimination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "n")
		weights := make([][]int64, n) // of edges, in units of 1/1000
		for i := range weights {
			weights[i] = make([]int64, n)
		}
		for i := range n {
			for j := range i {
				if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
					weights[i][j] = rapid.SampledFrom([]int64{20, 30, 70}).Draw(t, "weight")
					weights[j][i] = weights[i][j]
				}
			}
		}
		m := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1)}
		for i := range n {
			rest := 1.0
			for j := range n {
				rest -= float64(weights[i][j]) / 1000
			}
			for j := range n {
				switch {
				case i == j:
					m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, rest)
				case weights[i][j] > 0:
					m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, float64(weights[i][j])/1000)
				}
			}
			m.Offsets = append(m.Offsets, len(m.Columns))
		}
		fractions, ok := FractionsOf(m)
		if !ok {
			t.Fatal("no fractions")
		}
		indices := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 4)
		starts, extra, steps := indices.Draw(t, "starts"), indices.Draw(t, "extra"), rapid.IntRange(0, 9).Draw(t, "steps")
		for _, f := range Fields() {
			residues := fractions.Residues(f)
			got, ok := KrylovUnits(m, residues, f, starts, steps, extra, 1e9)
			if !ok {
				t.Fatal("an unlucky prime: one case in 2^31")
			}
			e, profile := Krylov(m, residues, f, starts, steps, extra)
			if got.Rank() != profile.Rank() || !slices.Equal(got.Powers, profile.Powers) || got.Extra != profile.Extra {
				t.Fatalf("%+v, want %+v", got.Profile, profile)
			}
			known := map[int]bool{}
			for _, u := range e.Units() {
				known[u] = true
			}
			for u, share := range got.Share {
				if (share == 1) != known[u] {
					t.Fatalf("index %d: share %d, known %v", u, share, known[u])
				}
			}
			if _, ok := KrylovUnits(m, residues, f, starts, steps, extra, -1); ok && steps > 1 && len(starts) > 0 {
				t.Fatal("no work was enough")
			}
		}
	})
}

// Vectors of residues follow the arithmetic of single ones.
func TestResidueVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Fields()[rapid.IntRange(0, 1).Draw(t, "field")]
		n := rapid.IntRange(0, 100).Draw(t, "n")
		element := rapid.OneOf(rapid.Uint64Range(0, f.Prime()-1), rapid.Just(f.Prime()-1))
		x := rapid.SliceOfN(element, n, n).Draw(t, "x")
		y := rapid.SliceOfN(element, n, n).Draw(t, "y")
		a, sum := element.Draw(t, "a"), uint64(0)
		want := make([]uint64, n)
		for i := range x {
			sum = f.Add(sum, f.Mul(x[i], y[i]))
			want[i] = f.Add(y[i], f.Mul(a, x[i]))
		}
		if got := f.dot(x, y); got != sum {
			t.Fatalf("product %d, want %d", got, sum)
		}
		if f.axpy(y, a, x); !slices.Equal(y, want) {
			t.Fatalf("sum %v, want %v", y, want)
		}
	})
}
