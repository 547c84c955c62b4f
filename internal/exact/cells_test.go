package exact

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

func TestEquitablePartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 25)
		fractions, _ := FractionsOf(m)
		f := Fields()[1]
		residues := fractions.Residues(f)
		alone := sparsetest.DrawIndices(t, m.N)
		c := Equitable(m, residues, f, alone)
		q := NewQuotient(m, c)
		if !q.Check(m, residues, f) {
			t.Fatal("the partition is not equitable")
		}
		for _, i := range alone {
			if c.Size[c.Of[i]] != 1 {
				t.Fatalf("index %d is not alone", i)
			}
		}
		// what is constant on cells stays so, and the quotient says what it becomes
		x, y, value, image := make([]float64, m.N), make([]float64, m.N), make([]float64, len(c.Size)), make([]float64, len(c.Size))
		for k := range value {
			value[k] = float64(k*k%17) - 5
		}
		for i := range x {
			x[i] = value[c.Of[i]]
		}
		m.MulBlock(y, x, 1)
		q.Matrix.MulBlock(image, value, 1)
		for i := range y {
			if math.Abs(y[i]-image[c.Of[i]]) > 1e-12 {
				t.Fatalf("index %d becomes %v, its cell %v", i, y[i], image[c.Of[i]])
			}
		}
	})
}

// What waves find is a start, and no more: refined from nothing but who is alone, the partition is the same. Graphs in parts,
// regular ones and such with twins are among them.
func TestEquitablePartitionsAreTheCoarsest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 25)
		if length := rapid.IntRange(0, 25).Draw(t, "cycle"); length >= 3 {
			m = sparsetest.CycleWalk(length)
		}
		fractions, _ := FractionsOf(m)
		alone := sparsetest.DrawIndices(t, m.N)
		for _, f := range Fields() {
			residues := fractions.Residues(f)
			if got, want := Equitable(m, residues, f, alone), refinedSimply(m, residues, f, alone); !slices.Equal(got.Of, want) {
				t.Fatalf("cells %v, want %v", got.Of, want)
			}
		}
	})
}

// refinedSimply tells indices apart by their sums over every cell, until there is nothing left to tell.
func refinedSimply(m *sparse.Matrix, residues []uint64, f Field, alone []int) []int32 {
	cells := make([]int32, m.N)
	for k, i := range alone {
		cells[i] = int32(k + 1)
	}
	for range m.N + 1 {
		numbers, finer := map[string]int32{}, make([]int32, m.N)
		for i := range finer {
			sums := make([]uint64, m.N+1)
			for k := m.Offsets[i]; k < m.Offsets[i+1]; k++ {
				cell := cells[m.Columns[k]]
				sums[cell] = f.Add(sums[cell], residues[k])
			}
			key := fmt.Sprint(cells[i], sums)
			if _, known := numbers[key]; !known {
				numbers[key] = int32(len(numbers))
			}
			finer[i] = numbers[key]
		}
		cells = finer
	}
	return cells
}

// mergeTwo joins the first two cells of two or more.
func mergeTwo(c *Cells) *Cells {
	merged := &Cells{Of: slices.Clone(c.Of), First: slices.Delete(slices.Clone(c.First), 1, 2), Size: slices.Delete(slices.Clone(c.Size), 1, 2)}
	merged.Size[0] += c.Size[1]
	for i, cell := range merged.Of {
		if cell > 0 {
			merged.Of[i] = cell - 1
		}
	}
	return merged
}

func TestCheckRefusesWhatIsNotEquitable(t *testing.T) {
	m := sparsetest.CycleWalk(6)
	fractions, _ := FractionsOf(m)
	f := Fields()[1]
	residues := fractions.Residues(f)
	opposite := Equitable(m, residues, f, []int{0})
	if len(opposite.Size) != 4 || !NewQuotient(m, opposite).Check(m, residues, f) {
		t.Fatalf("%d cells, want 4", len(opposite.Size))
	}
	merged := mergeTwo(opposite)
	if NewQuotient(m, merged).Check(m, residues, f) {
		t.Error("node 0 and its neighbours passed for one cell")
	}
}
