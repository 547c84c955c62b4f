package flow

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Curved losses attain as much as the joint Gaussian of exactly these losses leaks, never
// above the bound and never below the flat ones.
func TestCurvedLossesAttainWhatIsSaid(t *testing.T) {
	for i := range 150 {
		d := draw(rand.New(rand.NewPCG(41, uint64(i))))
		a := accountant(t, d.Problem)
		best, err1 := a.Optimal(d.u, d.coalition...)
		low, err2 := a.Audit(d.u, d.coalition...)
		found, err3 := a.Attack(d.u, d.coalition...)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		if found.Energy > best.Energy*(1+1e-9)+1e-12 || found.Energy < low {
			t.Errorf("run %d: %g attained, %g by flat losses, the bound is %g", i, found.Energy, low, best.Energy)
		}
		if math.IsInf(found.Energy, 1) || a.noiseless() {
			continue
		}
		written := plain(d.Problem, d.u)
		for r := range written.curve {
			for j, curve := range found.Curves {
				if math.Abs(curve) > 1 {
					t.Fatalf("run %d: node %d has curve %g", i, j, curve)
				}
				written.curve[r][j] *= curve
			}
		}
		if leaks := written.leaks(t, d.u, d.coalition); found.Energy > leaks*(1+1e-7)+1e-12 || found.Energy < leaks*(1-1e-4)-1e-9 {
			t.Errorf("run %d: %.10g attained, these losses leak %.10g", i, found.Energy, leaks)
		}
	}
}

// Slopes are derivatives of half the energy, on runs whose differences are smooth.
func TestSlopesAreDerivatives(t *testing.T) {
	g, err := gen.Parse("er:n=7,p=0.5,connected", 3)
	if err != nil {
		t.Fatal(err)
	}
	a := accountant(t, Problem{Rounds: 4, Weights: weightsList(t, g), Lipschitz: Table{{0.9}}})
	b := &bending{part: a.heard(0, a.seenBy([]int{6})), left: 1e9}
	curves := []float64{0.7, -0.3, 0.5, 0.9, 0.1, 0.4, 0.6}[:b.n]
	exact := effort{gradients: 400, inner: 1e-12}
	now := b.solve(curves, exact)
	for j := range curves {
		const h = 1e-5
		moved := slices.Clone(curves)
		moved[j] += h
		up := b.solve(moved, exact).energy
		moved[j] -= 2 * h
		down := b.solve(moved, exact).energy
		if want := (up - down) / (4 * h); math.Abs(now.slopes[j]-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("node %d: slope %g, differences say %g", j, now.slopes[j], want)
		}
	}
}

// On the reference cases curved losses narrow the bracket, and none leaves more than 30 %:
// of our own, half come within 5 % of the bound and three quarters within 8 %; of those
// outside, within 1 and 4 %, where flat ones leave 6 and 20 %.
func TestCurvedLossesNarrowTheBracket(t *testing.T) {
	quartiles := [][2]float64{{0.92, 0.95}, {0.96, 0.99}}
	for k, file := range flowFiles(t) {
		attained := attainedOf(t, file)
		slices.Sort(attained)
		n := len(attained)
		t.Logf("of the bound: least %.3f, a tenth below %.3f, a quarter below %.3f, half below %.3f", attained[0], attained[n/10], attained[n/4], attained[n/2])
		if attained[0] < 0.7 || attained[n/4] < quartiles[k][0] || attained[n/2] < quartiles[k][1] {
			t.Errorf("file %d: half attain %.3f, three quarters %.3f", k, attained[n/2], attained[n/4])
		}
	}
}

// attainedOf returns the energy of the best attack on every case, as a share of the
// optimum.
func attainedOf(t *testing.T, cases []goldenFlow) (attained []float64) {
	t.Helper()
	for i, g := range cases {
		found, err := accountant(t, g.problem(t)).Attack(g.U, g.V)
		if err != nil {
			t.Fatal(err)
		}
		if found.Energy > g.Optimum*(1+1e-7)+1e-9 {
			t.Errorf("case %d (%s): %g attained, the optimum is %g", i, g.Case, found.Energy, g.Optimum)
		}
		if g.Optimum > 0 {
			attained = append(attained, found.Energy/g.Optimum)
		}
	}
	return attained
}
