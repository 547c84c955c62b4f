package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
)

// One observer, or one node, has the energies of its pairs one by one: near the
// optimum, by one plan for all, and by the audit. Summaries are those of the losses
// one by one.
func TestSidesAreTheirPairs(t *testing.T) {
	m := privacy.Metric{Delta: 1e-5}
	for i := range 60 {
		d := draw(rand.New(rand.NewPCG(61, uint64(i))))
		a := accountant(t, d.Problem)
		node, all := d.coalition[0], a.Cheap(1)
		for _, towards := range []bool{true, false} {
			price := a.SideFrom
			if towards {
				price = a.SideTowards
			}
			best, err1 := price(node, Optimum, 2)
			cheap, err2 := price(node, OneFlow, 2)
			aimed, err3 := price(node, Aim, 2)
			if err1 != nil || err2 != nil || err3 != nil {
				t.Fatal(err1, err2, err3)
			}
			low, err := a.AuditSide(best, 2)
			if err != nil {
				t.Fatal(err)
			}
			for j, e := range best.Values {
				if j == node {
					if !math.IsNaN(e) || !math.IsNaN(cheap.Values[j]) || !math.IsNaN(low.Values[j]) {
						t.Errorf("run %d: node %d towards itself has energy %g", i, j, e)
					}
					continue
				}
				u, v := node, j
				if towards {
					u, v = j, node
				}
				one, err := a.Optimal(u, v)
				if err != nil {
					t.Fatal(err)
				}
				if e < one.Energy*(1-1e-9) || e > one.Energy*1.001+1e-9 {
					t.Errorf("run %d, (%d, %d): %.10g, the optimum is %.10g", i, u, v, e, one.Energy)
				}
				if !towards && cheap.Values[j] != all.At(u, v) {
					t.Errorf("run %d, (%d, %d): %.17g by one plan, all pairs have %.17g", i, u, v, cheap.Values[j], all.At(u, v))
				}
				if aimed.Values[j] < one.Energy*(1-1e-9) {
					t.Errorf("run %d, (%d, %d): %g by an aimed plan, the optimum is %g", i, u, v, aimed.Values[j], one.Energy)
				}
				if cheap.Values[j] < one.Energy*(1-1e-9) || low.Values[j] > one.Energy*(1+1e-9)+1e-12 {
					t.Errorf("run %d, (%d, %d): %g by one plan, %g attained, the optimum is %g", i, u, v, cheap.Values[j], low.Values[j], one.Energy)
				}
			}
			checkSummary(t, a, best, m)
		}
	}
}

func checkSummary(t *testing.T, a *Accountant, s *Side, m privacy.Metric) {
	t.Helper()
	const sigma = 2.5
	sum, most := 0.0, 0.0
	for j, loss := range a.LossesOf(s, sigma, m) {
		if j == s.Node {
			continue
		}
		sum, most = sum+loss, max(most, loss)
	}
	got, mean := a.SummariseSide(s, sigma, m), sum/float64(len(s.Values)-1)
	if !(math.Abs(got.Mean-mean) <= 1e-9*mean || math.IsInf(mean, 1)) || got.Max != most || got.Beyond > got.Max {
		t.Errorf("%+v, one by one mean %g and max %g", got, mean, most)
	}
	if math.IsInf(most, 1) || got.Beyond == 0 {
		return
	}
	found, err := a.CalibrateSide(s, 1, m)
	if err != nil {
		t.Fatal(err)
	}
	for what, at := range map[string]float64{
		"mean": a.SummariseSide(s, found.Mean.Sigma, m).Mean, "max": a.SummariseSide(s, found.Max.Sigma, m).Max, "beyond": a.SummariseSide(s,
			found.Beyond.Sigma, m).Beyond,
	} {
		if at > 1 || at < 1-1e-6 {
			t.Errorf("calibrated to a %s of %g", what, at)
		}
	}
}

// Those chosen to be looked at closely are the worst of each distance; where they are
// too many, the near ones and some of the others.
func TestChosenPairs(t *testing.T) {
	hops := [][]int32{{0, 1, 2, -1}, {1, 0, 1, -1}, {2, 1, 0, -1}, {-1, -1, -1, 0}}
	energies := map[[2]int]float64{{0, 1}: 1, {1, 0}: 3, {1, 2}: 3, {0, 2}: 0.5, {2, 0}: 0.7, {0, 3}: 9}
	got := WorstByDistance(4, func(u int) []int32 { return hops[u] }, func(u, v int) float64 { return energies[[2]int{u, v}] })
	if len(got) != 2 || got[0] != [2]int{1, 0} || got[1] != [2]int{2, 0} {
		t.Errorf("chosen %v", got)
	}
	var many [][2]int
	for i := range 100 {
		many = append(many, [2]int{i, 0})
	}
	some := Spread(many, 9)
	if len(some) != 9 || some[4][0] != 4 || some[8][0] != 99 {
		t.Errorf("spread %v", some)
	}
	for k := 1; k < len(some); k++ {
		if some[k][0] <= some[k-1][0] {
			t.Errorf("spread %v", some)
		}
	}
	if len(Spread(many, 200)) != 100 {
		t.Error("few are not all taken")
	}
}
