package walkpath

import (
	"math"
	"testing"
)

// Laws computed in blocks are those computed pair by pair.
func TestBatchedLawsEqualSingleOnes(t *testing.T) {
	for _, start := range []int{AnyStart, 3} {
		w, _ := walkOn(t, "geometric:n=40,r=0.3")
		w.Start, w.Turns, w.BurnIn, w.Cap = start, 400, 2, 5
		pairs := []Pair{{0, 1}, {5, 9}, {7, 2}, {30, 31}, {12, 39}, {20, 21}, {8, 4}}
		if !w.irregular(pairs) {
			t.Fatal("the graph has symmetries")
		}
		p := &Laws{laws: make([]*Law, len(pairs))}
		if err := w.batched(p, pairs, 2); err != nil {
			t.Fatal(err)
		}
		for i, pair := range pairs {
			want, err := w.Law(pair.U, pair.V)
			if err != nil {
				t.Fatal(err)
			}
			for _, sigma := range []float64{1, 4} {
				got, one := p.laws[i].Delta(0.5, sigma), want.Delta(0.5, sigma)
				if math.Abs(got-one) > 1e-9*one+1e-15 {
					t.Errorf("start %d, pair %v: delta %g in a block, %g alone", start, pair, got, one)
				}
			}
		}
	}
}

// One pair of a large irregular graph.
func BenchmarkPathLawOfALargeGraph(b *testing.B) {
	w, _ := walkOn(b, "er:n=20000,p=0.0004,seed=1,connected")
	w.Turns, w.Cap = 2000, 12
	for b.Loop() {
		if _, err := w.Law(0, 1); err != nil {
			b.Fatal(err)
		}
	}
}
