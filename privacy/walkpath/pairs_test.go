package walkpath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Pairs of one class have the same law, whichever is asked.
func TestPairClassesHoldPairsOfOneLaw(t *testing.T) {
	for _, c := range []struct {
		expression string
		class      PairClass
	}{
		{"complete:6", CompleteClass},
		{"hypercube:4", HypercubeClass},
		{"ring:9", RingClass(9)},
		{"ring:8", RingClass(8)},
		{"torus:4x5", TorusClass(4, 5)},
		{"torus:4x4", TorusClass(4, 4)},
		{"torus:5x5", TorusClass(5, 5)},
		{"torus:2x6", TorusClass(2, 6)},
	} {
		w, _ := walkOn(t, c.expression)
		w.Turns, w.Cap = 150, 3
		laws, err := w.Laws(c.class, 2)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 12 {
			u := r.IntN(w.Nodes)
			v := (u + 1 + r.IntN(w.Nodes-1)) % w.Nodes
			own, err := w.Law(u, v)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := laws.Law(u, v).Delta(1, 2), own.Delta(1, 2); math.Abs(a/b-1) > 1e-9 {
				t.Errorf("%s, %d to %d: delta %v for the class, %v for the pair", c.expression, u, v, a, b)
			}
		}
	}
}

// Classes of symmetric graphs are numbered without gaps, and are no more than the
// symmetries of the graph leave.
func TestSymmetricClassesAreFewAndDense(t *testing.T) {
	for _, c := range []struct {
		class       PairClass
		nodes, want int
	}{{RingClass(300), 300, 150}, {RingClass(7), 7, 3}, {TorusClass(4, 5), 20, 8}, {TorusClass(6, 6), 36, 9}, {TorusClass(2, 6), 12, 7}} {
		seen := map[int]bool{}
		for u := range c.nodes {
			for v := range c.nodes {
				if u != v {
					seen[c.class(u, v)] = true
				}
			}
		}
		for k := range c.want {
			if !seen[k] {
				t.Errorf("%d nodes: no pair has class %d", c.nodes, k)
			}
		}
		if len(seen) != c.want {
			t.Errorf("%d nodes have %d classes, want %d", c.nodes, len(seen), c.want)
		}
	}
}

func TestEveryPairNumbersThePairs(t *testing.T) {
	seen, class := make(map[int]bool), EveryPair(7)
	for u := range 7 {
		for v := range 7 {
			if k := class(u, v); u != v {
				if k < 0 || k >= 42 || seen[k] {
					t.Fatalf("(%d,%d) is pair %d", u, v, k)
				}
				seen[k] = true
			}
		}
	}
}

// Mean and worst are those of the pairs one by one; pairs that were not looked
// at are charged, and named as, local.
func TestPathLossesSummariseThePairs(t *testing.T) {
	w, _ := walkOn(t, "grid:3x3")
	w.Turns, w.Cap = 80, 2
	g, _ := gen.Parse("grid:3x3", 1)
	distances, err := g.AllDistances()
	if err != nil {
		t.Fatal(err)
	}
	class := StratifiedPairs(9, func(u, v int) int { return int(distances[u][v]) }, 3, rand.New(rand.NewPCG(3, 4)))
	laws, err := w.Laws(class, 2)
	if err != nil {
		t.Fatal(err)
	}
	metric := privacy.Metric{Delta: 1e-5}
	losses, err := laws.Losses(3, metric)
	if err != nil {
		t.Fatal(err)
	}
	local, _, err := privacy.LocalLoss(2, 3, metric)
	if err != nil {
		t.Fatal(err)
	}
	total, worst, unlawed := 0.0, 0.0, 0
	for u := range 9 {
		for v := range 9 {
			loss := losses.At(u, v)
			if u == v {
				continue
			}
			total, worst = total+loss, max(worst, loss)
			if class(u, v) == Unlawed {
				unlawed++
				if math.Abs(loss/local-1) > 1e-9 || laws.Law(u, v).Accountant == "walk, path" {
					t.Errorf("(%d,%d) costs %v as %q; local %v", u, v, loss, laws.Law(u, v).Accountant, local)
				}
			} else if loss >= local {
				t.Errorf("(%d,%d) costs %v; local %v", u, v, loss, local)
			}
		}
	}
	if unlawed != 72-12 { // four distances, three pairs each
		t.Errorf("%d pairs without a law", unlawed)
	}
	if math.Abs(losses.Mean()/(total/72)-1) > 1e-12 || losses.Max() != worst {
		t.Errorf("mean %v max %v, want %v and %v", losses.Mean(), losses.Max(), total/72, worst)
	}
}

// A walk that starts somewhere costs no more than one that starts at u.
func TestAStartAtTheNodeItselfIsTheWorst(t *testing.T) {
	w, _ := walkOn(t, "ring:8")
	w.Turns, w.Cap, w.Start = 100, 4, 3
	laws, err := w.Laws(RingClass(8), 1)
	if err != nil {
		t.Fatal(err)
	}
	everyLaw(t, w, laws, func(u, v int, charged, own float64) {
		if charged < own*(1-1e-9) {
			t.Errorf("%d to %d: charged %v, is %v", u, v, charged, own)
		}
	})
}

// hearsay run with the path accountant: mean eps 1 at delta 1e-6 on the
// complete graph of 2048 nodes.
func TestPathCalibratesTheCompleteGraphBetween3And3Half(t *testing.T) {
	w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 2048, Start: AnyStart, Turns: 20000, Cap: 12}}
	laws, err := w.Laws(CompleteClass, 1)
	if err != nil {
		t.Fatal(err)
	}
	losses, c, err := laws.Calibrate(privacy.Mean, 1, privacy.Metric{Delta: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if c.Sigma < 3 || c.Sigma > 3.5 || math.Abs(losses.Mean()-1) > 1e-9 {
		t.Errorf("sigma %v, mean %v", c.Sigma, losses.Mean())
	}
}

func BenchmarkPathCalibrateHypercube2048(b *testing.B) {
	w, _ := walkOn(b, "hypercube:11")
	w.Turns, w.Cap = 20000, 12
	for b.Loop() {
		laws, err := w.Laws(HypercubeClass, 2)
		if err != nil {
			b.Fatal(err)
		}
		_, c, err := laws.Calibrate(privacy.Mean, 1, privacy.Metric{Delta: 1e-6})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(c.Sigma, "sigma")
	}
}
