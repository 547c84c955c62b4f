package flow

import (
	"cmp"
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// A node with a sensitivity of its own leaks as much as its flow with contributions
// smaller by that factor, by every way to compute it, and attacks stay below.
func TestFlowsOfNodesWithSensitivitiesOfTheirOwn(t *testing.T) {
	g, err := gen.Parse("ring:6", 1)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 5
	s := schedule.Gossip{
		Nodes: 6, W: transition.Sparse(), Rounds: rounds, TurnsPerRound: 1, NoiseAlways: true, Update: model.Asserted(1, "the test says so"),
		Sensitivity: 4, Sensitivities: schedule.Sensitivities{4, 1, 2, 4, 0.5, 3}, Records: true,
	}
	a, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	movements := Movements("ring", []int{6})
	every, cheap, audited := a.Every(movements, 2), a.Cheap(2), a.AuditEvery(movements, 2)
	for _, c := range []privacy.Claim{every.Claim, cheap.Claim, audited.Claim, a.Claim(), a.LocalClaim()} {
		if c.Unit != privacy.Record {
			t.Errorf("%s is about the unit %q", c.Accountant, c.Unit)
		}
	}
	for v := range 6 {
		towards, err := a.Towards(v, 2)
		far, errFar := a.CheapTowards(v, 2)
		if err != nil || errFar != nil {
			t.Fatal(err, errFar)
		}
		for u := range 6 {
			if u == v {
				continue
			}
			// the same with contributions that are smaller, as New takes them for one source
			relative := s.Relatives().At(u)
			own := make(Table, rounds)
			for t := range own {
				own[t] = []float64{relative}
			}
			want, err := accountant(t, Problem{Weights: a.p.Weights, Rounds: rounds, Contributions: own}).Optimal(u, v)
			if err != nil {
				t.Fatal(err)
			}
			checkSide(t, a, u, v, want.Energy)
			best, err := a.Optimal(u, v)
			low, errLow := a.Audit(u, v)
			attack, errAttack := a.Attack(u, v)
			if err != nil || errLow != nil || errAttack != nil {
				t.Fatal(err, errLow, errAttack)
			}
			near := func(x float64) bool { return math.Abs(x-want.Energy) <= 1e-3*want.Energy }
			if !near(best.Energy) || !near(every.At(u, v)) || !near(towards[u]) || cheap.At(u, v) < want.Energy*(1-1e-6) || far[u] < want.Energy*(1-1e-6) {
				t.Errorf("(%d,%d): optimum %v, of all pairs %v, towards %v, cheap %v and %v; want %v", u, v, best.Energy, every.At(u, v), towards[u],
					cheap.At(u, v), far[u], want.Energy)
			}
			if local := rounds * relative * relative; far[u] > local*(1+1e-9) || cheap.At(u, v) > local*(1+1e-9) {
				t.Errorf("(%d,%d): above the local energy %v", u, v, local)
			}
			if low > best.Energy || attack.Energy > best.Energy || best.Floor > best.Energy || audited.At(u, v) > every.At(u, v) {
				t.Errorf("(%d,%d): audits %v, %v and %v, floor %v, bounds %v and %v", u, v, low, attack.Energy, audited.At(u, v), best.Floor, best.Energy, every.At(u, v))
			}
			// on a grid rounding is as long for everybody
			rounding := []float64{1e-3, 1e-3, 1e-3, 1e-3, 1e-3}
			onGrid, err := a.OnGrid(rounding)
			if err != nil {
				t.Fatal(err)
			}
			rounded, err := onGrid.Optimal(u, v)
			wanted, errWanted := accountant(t, Problem{Weights: a.p.Weights, Rounds: rounds, Contributions: own, Rounding: rounding}).Optimal(u, v)
			if err != nil || errWanted != nil || rounded.Energy < wanted.Energy*(1-1e-6) {
				t.Errorf("(%d,%d): on a grid %v, want at least %v (%v, %v)", u, v, rounded.Energy, wanted.Energy, err, errWanted)
			}
		}
	}
	s.Sensitivities = s.Sensitivities[1:]
	if _, err := Of(s); err == nil {
		t.Error("sensitivities of five nodes among six")
	}
}

// checkSide checks that one node, one observer, a pair alone and a certificate give
// the energy of the pair.
func checkSide(t *testing.T, a *Accountant, u, v int, want float64) {
	t.Helper()
	near := func(what string, e float64) {
		if e < want*(1-1e-9) || e > want*1.001+1e-9 {
			t.Errorf("(%d, %d): %s %g, want %g", u, v, what, e, want)
		}
	}
	from, err1 := a.SideFrom(u, Optimum, 1)
	towards, err2 := a.SideTowards(v, Optimum, 1)
	cheap, err3 := a.SideFrom(u, OneFlow, 1)
	aimed, err6 := a.SideTowards(v, Aim, 1)
	low, err4 := a.AuditSide(from, 1)
	best, err5 := a.Optimal(u, v)
	if err := cmp.Or(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	near("from one node", from.Values[v])
	near("towards one observer", towards.Values[u])
	near("sharpened", a.SharpenSome([][2]int{{u, v}}, 1)[0])
	if cheap.Values[v] < want*(1-1e-9) || low.Values[v] > want*(1+1e-9) || low.Claim.Unit != privacy.Record {
		t.Errorf("(%d, %d): by one plan %g, attained %g, want %g", u, v, cheap.Values[v], low.Values[v], want)
	}
	refined := a.Cheap(1)
	a.Refine(refined, 1e12, 1)
	if all := a.Aimed(1); aimed.Values[u] < want*(1-1e-9) || all.At(u, v) < want*(1-1e-9) || refined.At(u, v) < want*(1-1e-9) || refined.At(u, v) > cheap.Values[v] {
		t.Errorf("(%d, %d): aimed %g, of all %g, refined %g, want %g", u, v, aimed.Values[u], all.At(u, v), refined.At(u, v), want)
	}
	c, err := a.Certify(best.Plan, best.Energy)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := c.Check()
	if err != nil {
		t.Error(err)
	}
	near("certified", checked)
}
