package walkpublished

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The 2048 x 2048 matrix of the main job; bench/eigh.py times numpy's
// eigendecomposition of the same size.
func BenchmarkSums2048(b *testing.B) {
	for name, w := range map[string]*sparse.Matrix{"hypercube11": hypercubeOf(11), "geometric0.07": geometricOf(2048, 0.07)} {
		walk := mustWalk(b, w, 20000, Exact)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mustSums(b, walk)
			}
		})
		row := make([]float64, w.N)
		b.Run(name+"/row", func(b *testing.B) {
			for b.Loop() {
				if err := walk.Row(row, 7, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// One row on a ring with chords of 100,000 nodes.
func BenchmarkRow100k(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(8, 9))
	other := rng.Perm(n)
	m := &sparse.Matrix{N: n, Offsets: make([]int, n+1)}
	back := make([]int, n)
	for i, j := range other {
		back[j] = i
	}
	for i := range n { // two random matchings of a permutation and a ring, lazy
		row := map[int32]float64{}
		for _, j := range []int{i, (i + 1) % n, (i + n - 1) % n, other[i], back[i]} {
			row[int32(j)] += 0.2
		}
		for j := range row {
			m.Columns = append(m.Columns, j)
		}
		slices.Sort(m.Columns[m.Offsets[i]:])
		for _, j := range m.Columns[m.Offsets[i]:] {
			m.Values = append(m.Values, row[j])
		}
		m.Offsets[i+1] = len(m.Columns)
	}
	walk := mustWalk(b, m, 1_000_000, Exact)
	row := make([]float64, n)
	for b.Loop() {
		if err := walk.Row(row, 7, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// One row on as large a graph as soc-douban, most of which are leaves: 50,000 nodes in a ring, with friends
// among the earlier ones, more to those who came first, and 100,000 who know one of the first 10,000.
func BenchmarkRowOfASocialGraph(b *testing.B) {
	const core, n = 50_000, 150_000
	rng := rand.New(rand.NewPCG(8, 9))
	friends := make([]map[int]bool, n)
	for i := range friends {
		friends[i] = map[int]bool{}
	}
	know := func(i, j int) {
		if i != j {
			friends[i][j], friends[j][i] = true, true
		}
	}
	for i := range n {
		if i >= core {
			know(i, rng.IntN(1+rng.IntN(core/5)))
			continue
		}
		know(i, (i+1)%core)
		for range 4 {
			know(i, rng.IntN(1+rng.IntN(1+i)))
		}
	}
	m := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1)}
	for i, of := range friends {
		rest, row := 1.0, slices.Sorted(maps.Keys(of))
		at, _ := slices.BinarySearch(row, i)
		for _, j := range row {
			rest -= 1 / float64(1+max(len(of), len(friends[j])))
		}
		for _, j := range slices.Insert(row, at, i) {
			m.Columns = append(m.Columns, int32(j))
			if j == i {
				m.Values = append(m.Values, rest)
			} else {
				m.Values = append(m.Values, 1/float64(1+max(len(of), len(friends[j]))))
			}
		}
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	walk := mustWalk(b, m, 20_000, Exact)
	row := make([]float64, n)
	for b.Loop() {
		if err := walk.Row(row, 7, 2); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPairs2048(b *testing.B) {
	walk := mustWalk(b, hypercubeOf(11), 20000, Exact)
	s := mustSums(b, walk)
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			walk.Pairs(s, Hidden)
		}
	})
	p := walk.Pairs(s, Hidden)
	charge := Charge{12, privacy.Metric{Delta: 1e-6}, privacy.Needed}
	b.Run("mean", func(b *testing.B) {
		for b.Loop() {
			l, err := p.Losses(9, charge)
			if err != nil {
				b.Fatal(err)
			}
			l.Mean()
		}
	})
	b.Run("calibrate", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := p.Calibrate(privacy.Mean, 1, charge); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			walk.Pairs(s, Known)
		}
	})
}
