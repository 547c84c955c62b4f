package flow

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// audits is how many random runs are attacked: 100000 takes minutes.
var audits = flag.Int("audits", 1000, "random runs that are attacked")

// No explicit attack on a random run leaks more than any bound, including the cheap
// plan's and the local one. The audit equals the leakage of the flattest losses.
func TestNoAttackLeaksMoreThanTheBound(t *testing.T) {
	worst := 0.0
	for i := range *audits {
		r := rand.New(rand.NewPCG(11, uint64(i)))
		d := draw(r)
		a := accountant(t, d.Problem)
		best, err := a.Optimal(d.u, d.coalition...)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if best.Floor > best.Energy*(1+1e-9) {
			t.Errorf("run %d: energy %g below its floor %g", i, best.Energy, best.Floor)
		}
		low, err := a.Audit(d.u, d.coalition...)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if math.IsInf(best.Energy, 1) {
			continue
		}
		for range 5 {
			leaks := d.attack(r).leaks(t, d.u, d.coalition)
			if leaks > best.Energy*(1+1e-9)+1e-12 {
				t.Errorf("run %d: an attack leaks %.12g, the bound is %.12g", i, leaks, best.Energy)
			}
			if best.Energy > 0 {
				worst = max(worst, leaks/best.Energy)
			}
		}
		flat := plain(d.Problem, d.u).leaks(t, d.u, d.coalition)
		exact := !a.noiseless() // otherwise flat is a little too small
		if exact && low > flat*(1+1e-7)+1e-12 || low < flat*(1-1e-5)-1e-9 {
			t.Errorf("run %d: the audit says %.12g, the attack leaks %.12g", i, low, flat)
		}
	}
	t.Logf("%d runs, the worst attack leaks %.9f of its bound", *audits, worst)
}

// The random runs and attacks of a thousand audits have everything that a bound must
// hold for, often.
func TestRandomAuditsHaveEverything(t *testing.T) {
	found := map[string]int{}
	for i := range 1000 {
		r := rand.New(rand.NewPCG(11, uint64(i)))
		d := draw(r)
		note := func(what string, is bool) {
			if is {
				found[what]++
			}
		}
		gives := func(at func(x float64) bool) bool {
			return slices.ContainsFunc(d.Contributions, func(row []float64) bool { return slices.ContainsFunc(row, at) })
		}
		spreads := func(at func(x float64) bool) bool {
			return slices.ContainsFunc(d.Lipschitz, func(row []float64) bool { return slices.ContainsFunc(row, at) })
		}
		note("a graph", d.Weights[0].Symmetric(0) && len(d.Weights[0].Values) > 2*d.n())
		note("a sequence of weights", len(d.Weights) > 1)
		note("weights that are not symmetric", !d.Weights[0].Symmetric(0))
		note("rounds without a contribution", gives(func(x float64) bool { return x == 0 }))
		note("falling steps", len(d.Steps) > 1 && slices.IsSortedFunc(d.Steps, func(x, y float64) int { return cmp.Compare(y, x) }))
		note("contracting updates", spreads(func(x float64) bool { return x < 1 && x > 0 }))
		note("expanding updates", spreads(func(x float64) bool { return x > 1 }))
		note("noise that differs", len(d.Noise) > 0)
		note("colluders", len(d.coalition) > 1)
		note("a public end", d.Final)
		note("messages overheard", d.Hears != nil)
		attack := d.attack(r)
		note("reflecting steps", slices.ContainsFunc(attack.curve, func(row []float64) bool { return slices.Min(row) < 0 }))
		note("data of the other sign", slices.Min(attack.moves) < 0)
	}
	if len(found) != 13 {
		t.Errorf("found %v", found)
	}
	for what, often := range found {
		if often < 80 {
			t.Errorf("%s: in %d runs of 1000", what, often)
		}
	}
}

// Between leaves of a star the audit attains a third of the bound, because noise of
// other leaves comes through the hub too. If those leaves forget their inputs, which
// a Lipschitz constant of 1 allows, an attack attains 95 % of it.
func TestTheBoundIsNearWhereOthersForget(t *testing.T) {
	g, err := gen.Parse("star:8", 1)
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Rounds: 30, Weights: weightsList(t, g)}
	a := accountant(t, p)
	best, err1 := a.Optimal(1, 2)
	low, err2 := a.Audit(1, 2)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	forget := plain(p, 1)
	for _, curve := range forget.curve {
		clear(curve[3:])
	}
	leaks := forget.leaks(t, 1, []int{2})
	found, err := a.Attack(1, 2)
	if leaks > best.Energy || leaks < 0.95*best.Energy || low > 0.4*best.Energy || err != nil || found.Energy < leaks*(1-1e-6) {
		t.Errorf("bound %g, attack %g, audit %g, best attack found %g", best.Energy, leaks, low, found.Energy)
	}
}
