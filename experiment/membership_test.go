package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
)

// attackable is a random little spec of a kind whose messages are attacked.
func attackable(r *rand.Rand) string {
	kind := oneOf(r, "walk", "walk", "gossip", "gossip-gd", "gossip-gd", "pairwise", "proximal-walk", "gossip-sgd", "complete-sgd", "averaging-walk",
		"ring-sum", "complete-sum", "fixed-point")
	graph := oneOf(r, "ring:5", "complete:4", "star:5", "line:4", "grid:2x3", "er:n=6,p=0.5,seed=3,connected", "ba:n=6,m=2,seed=1", "hypercube:3")
	unit, steps := oneOf(r, "participant", "record"), 1+r.IntN(6)
	source, model := "two-gaussians, normalise: unit", "logistic"
	if r.IntN(2) == 0 {
		source, model = "sparse-regression, normalise: unit, support: 2", "ridge"
	}
	size, accountant, release := "step_size: 0.3, ", "sound", ""
	algorithm := fmt.Sprintf("steps: %d, contributions: %d", 2*steps+r.IntN(4), 2+r.IntN(6))
	switch kind {
	case "walk", "proximal-walk":
		algorithm += fmt.Sprintf(", tokens: %d", 1+r.IntN(2))
	case "complete-sgd":
		graph = "complete:5"
	case "averaging-walk":
		source, model, size, unit = "mean", "mean", "", "participant"
	case "ring-sum":
		graph, source, model, size, unit = fmt.Sprintf("ring:%d", 3+r.IntN(4)), "mean", "mean", "", "participant"
		algorithm = fmt.Sprintf("rounds: %d, spread: %t", 1+steps/2, r.IntN(2) == 0)
		if r.IntN(2) == 0 {
			release = "release: final, "
		}
	case "complete-sum":
		graph, source, model, size, unit = "complete:5", "mean", "mean", "", "participant"
		if r.IntN(2) == 0 {
			release = "release: final, "
		}
	case "fixed-point":
		graph, accountant, unit = "complete:6", "tight", "participant"
		algorithm = fmt.Sprintf("instance: sgd, steps: %d, draw: %d", steps, 1+r.IntN(3))
	case "gossip":
		source, model, size, unit, accountant = "mean", "mean", "", "participant", "exact"
		algorithm = fmt.Sprintf("steps: %d", steps+1)
	case "pairwise":
		kind, accountant = "gossip-gd", "pairwise"
		algorithm = fmt.Sprintf("steps: %d, pairwise: %g, gossip_steps: %d", steps, 0.2+10*r.Float64(), 1+r.IntN(3))
	case "gossip-sgd":
		algorithm = fmt.Sprintf("batch: 1, steps: %d", steps)
	default:
		algorithm = fmt.Sprintf("steps: %d, noise: turn, gossip_steps: %d", steps, 1+r.IntN(3))
	}
	if kind == "walk" && r.IntN(2) == 0 {
		release = "release: final, "
	}
	return fmt.Sprintf(`
seed: %d
data: {source: %s, features: 2, rows: %d}
graph: %q
model: {kind: %s}
algorithm: {kind: %s, %s%s, clip: %g}
privacy: {unit: %s, sigma: %g, %saccountant: %s, metric: {epsilon_at_delta: 1.0e-5}}
`, 1+r.IntN(1000), strings.Replace(source, "mean", "mean, centre: 0.5, variance: 0.1", 1), 1+r.IntN(3), graph, model, kind, size, algorithm, oneOf(r, 0.1, 0.3, 1), unit, 0.3+4*r.Float64()*r.Float64(), release, accountant)
}

func oneOf[A any](r *rand.Rand, of ...A) A { return of[r.IntN(len(of))] }

// openedForAttack is a spec ready to be attacked.
func openedForAttack(t *testing.T, text string) *Priced {
	t.Helper()
	s, err := Parse([]byte(text), "attacked.yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := OpenForAttack(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// settings are the numbers of the random settings that are attacked; HEARSAY_SETTINGS=0:10000 takes half an hour.
func settings(t *testing.T) (from, to int) {
	if n, err := fmt.Sscanf(os.Getenv("HEARSAY_SETTINGS"), "%d:%d", &from, &to); err == nil && n == 2 {
		return from, to
	}
	if testing.Short() {
		return 0, 8
	}
	return 0, 24
}

// attacksEach is how many settings share a spec: they differ in target, worlds, attackers and runs.
const attacksEach = 4

// No attack proves more than a sound number, in random settings. What looks like it in few runs is tried again on many others, at
// a confidence of 1-1e-7 for each of at most 5 attackers: 10,000 settings raise a false alarm once in 200 times.
func TestNoMembershipAttackProvesMoreThanASoundNumber(t *testing.T) {
	testdata.Sequential(t)
	var p *Priced
	var text string
	var attackers, proved, again int
	from, to := settings(t)
	tell := func(done int) {
		t.Logf("settings %d to %d: %d attackers, %d proved something; %d settings were attacked again", from, done-1, attackers, proved, again)
	}
	for i := from; i < to; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 16))
		if p == nil || i%attacksEach == 0 {
			text = attackable(rand.New(rand.NewPCG(uint64(i/attacksEach), 17)))
			p = openedForAttack(t, text)
		}
		q := MembershipQuestion{
			Target: r.IntN(p.Spec.Nodes), Canary: oneOf(r, CanaryWorst, CanaryWorst, CanaryReal), Runs: 150, Shadows: 150, Confidence: 0.8, Seed: r.Uint64(), Workers: 1,
		}
		q.Attackers = p.Nearby(q.Target, 3)
		if two := (q.Target + 1) % p.Spec.Nodes; r.IntN(2) == 0 && Hearable(p.Algorithm) == nil {
			q.Attackers = append(q.Attackers, []int{two, (two + 1) % p.Spec.Nodes})
		}
		found := attacked(t, p, q, text)
		attackers += len(found.Attackers)
		for _, a := range found.Attackers {
			if a.Mu > 0 {
				proved++
			}
		}
		if i%500 == 499 {
			tell(i + 1)
		}
		if !refuted(found) {
			continue
		}
		again++
		q.Runs, q.Shadows, q.Confidence, q.Seed = 4000, 2000, 1-1e-7, q.Seed+1
		if found = attacked(t, p, q, text); refuted(found) {
			t.Errorf("setting %d: an attack proves more than a sound number: %+v\n%s", i, found, text)
		}
	}
	tell(to)
}

func attacked(t *testing.T, p *Priced, q MembershipQuestion, text string) *Membership {
	t.Helper()
	found, err := p.Membership(t.Context(), q, nil, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return found
}

func refuted(found *Membership) bool {
	return slices.ContainsFunc(found.Attackers, func(p MembershipProved) bool { return p.Refuted })
}

// strong is a run in which the target's contributions are as far apart as its sensitivity, whatever the model.
const strong = `
seed: 1
data: {source: sparse-regression, features: 3, rows: 4, support: 2, normalise: unit}
graph: ring:6
model: {kind: ridge}
algorithm: {kind: gossip-gd, steps: 6, step_size: 0.05, clip: 0.1}
privacy: {sigma: 1.2, accountant: flow, metric: {epsilon_at_delta: 1.0e-5}}
`

// Beside the final model stands what a run prices that shows it, with the very noise: the spec's accountant where it charges
// it, and else the same run with the last token shown.
func TestTheFinalModelStandsBesideWhatARunPrices(t *testing.T) {
	testdata.Sequential(t)
	sum := `
seed: 1
data: {source: mean, features: 2, centre: 0.5, variance: 0.04}
nodes: 12
model: {kind: mean}
algorithm: {kind: complete-sum, steps: 40, clip: 1}
privacy: {sigma: 2}
`
	fixed := `
seed: 1
data: {source: sparse-regression, features: 6, support: 2, normalise: unit}
nodes: 12
model: {kind: ridge, intercept: false, regulariser: {kind: l1, weight: 0.01}}
algorithm: {kind: fixed-point, instance: proximal-sgd, steps: 20, step_size: 1, clip: 0.3, draw: 3}
privacy: {sigma: 2}
`
	walk := strings.Replace(strong, "gossip-gd, steps: 6", "walk, average: none, contributions: 9, steps: 12", 1)
	walk = strings.Replace(walk, "accountant: flow", "accountant: path", 1)
	shown := func(text string) string { return strings.Replace(text, "privacy: {", "privacy: {release: final, ", 1) }
	local := strings.Replace(walk, "average: none", "average: half", 1)
	for name, text := range map[string][2]string{
		"fixed point": {fixed, fixed}, "sum": {sum, strings.Replace(sum, "sigma: 2", "sigma: 2, release: final, accountant: path", 1)}, "walk": {walk, shown(walk)}, "shown walk": {shown(walk), shown(walk)}, "mean of a walk": {local, ""},
	} {
		q := MembershipQuestion{Target: 1, Attackers: [][]int{nil}, Canary: CanaryWorst, Runs: 30, Shadows: 30, Confidence: 0.9, Seed: 7, Workers: 1}
		p := openedForAttack(t, text[0])
		got := attacked(t, p, q, text[0]).Attackers[0]
		if text[1] == "" {
			if got.By != "local" || math.IsInf(float64(got.Sound), 1) {
				t.Errorf("%s: %v by %s, which nobody but the local accountant charges", name, got.Sound, got.By)
			}
			continue
		}
		s, err := Parse([]byte(text[1]), "shown.yaml")
		if err != nil {
			t.Fatal(err)
		}
		priced, err := Prepare(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for i := range priced.Accounting.Accounts {
			if a := &priced.Accounting.Accounts[i]; a.Status == report.Sound {
				least = min(least, leastOf(a, 1, priced.Spec.Nodes))
			}
		}
		if math.Abs(float64(got.Sound)-least) > 1e-12*least || math.IsInf(least, 1) {
			t.Errorf("%s: %v by %s beside the final model, and a run that shows it prices %v", name, got.Sound, got.By, least)
		}
	}
}

// Random answers are no Gaussian view: what is proved of them is compared with the loss at delta alone. Of one answer, of which
// all are kept with eps = 2, the shift of a threshold test may be near 2 Phi^-1(e^2/(1+e^2)) = 2.37, which as a claim of a
// Gaussian view is an eps of 12: no attack is refused for that.
func TestRandomAnswersAreNoGaussianView(t *testing.T) {
	testdata.Sequential(t)
	p := openedForAttack(t, `
seed: 1
data: {source: two-gaussians, features: 2, rows: 1}
nodes: 3
model: {kind: histogram}
algorithm: {kind: complete-histogram, steps: 3, contributions: 1}
privacy: {sigma: 0.25}
`)
	q := MembershipQuestion{Target: 0, Attackers: [][]int{{1}, {1, 2}, nil}, Canary: CanaryWorst, Runs: 2000, Shadows: 500, Confidence: 0.99, Seed: 7, Workers: 2}
	found, err := p.Membership(t.Context(), q, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	above := false
	for _, a := range found.Attackers {
		above = above || a.Gaussian > a.Sound
		if a.Refuted {
			t.Errorf("%v proves %v (if Gaussian %v) of %v", a.Nodes, a.Proved, a.Gaussian, a.Sound)
		}
	}
	if !above || found.Whole {
		t.Errorf("Gaussian views: %t; nothing here tests it: %+v", found.Whole, found.Attackers)
	}
}

// Attacks are nearly as good as can be: where a neighbour sees every contribution, the shift that it proves is near that of the
// accountant, and so a number that is too small by a quarter is found out. Runs have fixed seeds.
func TestMembershipAttacksFindOutSmallNumbers(t *testing.T) {
	testdata.Sequential(t)
	p := openedForAttack(t, strong)
	q := MembershipQuestion{Target: 0, Attackers: [][]int{{1}, {2}, {1, 5}, nil}, Canary: CanaryWorst, Runs: 1500, Shadows: 1500, Confidence: 0.99, Seed: 3, Workers: 2}
	found, err := p.Membership(t.Context(), q, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	sound := math.Sqrt(6) / 1.2
	near, far, model := found.Attackers[0], found.Attackers[1], found.Attackers[3]
	if mu := float64(near.Mu); mu < 0.75*sound || mu > sound {
		t.Errorf("a neighbour proves a shift of %g of %g", mu, sound)
	}
	if near.Refuted || found.Attackers[2].Refuted || far.Refuted || model.Refuted {
		t.Errorf("more than sound: %+v", found.Attackers)
	}
	if !(far.Mu > 0 && far.Mu < near.Mu && model.Mu < near.Mu) {
		t.Errorf("shifts %g, %g and %g", near.Mu, far.Mu, model.Mu)
	}
	if r := float64(found.Reach); math.Abs(r-1) > 1e-9 {
		t.Errorf("contributions are apart by %g", r)
	}
	for i := range near.Bounds {
		near.Bounds[i].Loss *= 0.6
	}
	if tampered := near; float64(near.Gaussian) <= 0.6*float64(near.Sound) {
		t.Errorf("%+v would not be found out", tampered)
	}
}

// The result depends on no number of workers.
func TestMembershipAttacksDoNotDependOnWorkers(t *testing.T) {
	for _, text := range []string{strong, strings.Replace(strings.Replace(strong, "gossip-gd, steps: 6", "walk, contributions: 3, steps: 12", 1), "flow", "path", 1)} {
		var all []*Membership
		for _, workers := range []int{1, 3} {
			p := openedForAttack(t, text)
			found, err := p.Membership(t.Context(), MembershipQuestion{Target: 2, Attackers: p.Nearby(2, 3), Canary: CanaryReal, Runs: 30, Shadows: 31, Confidence: 0.9, Seed: 7, Workers: workers}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, found)
		}
		if !reflect.DeepEqual(all[0], all[1]) {
			t.Errorf("one worker: %+v\nthree: %+v", all[0], all[1])
		}
	}
}

// What cannot be attacked is refused, with the reason.
func TestRefusedMembershipAttacks(t *testing.T) {
	ask := func(text string, change func(*MembershipQuestion)) error {
		p := openedForAttack(t, text)
		q := MembershipQuestion{Target: 0, Attackers: [][]int{{1}}, Canary: CanaryWorst, Runs: 10, Shadows: 10, Confidence: 0.9, Seed: 7, Workers: 1}
		change(&q)
		_, err := p.Membership(t.Context(), q, nil, nil)
		return err
	}
	for want, change := range map[string]func(*MembershipQuestion){
		"attacks itself":       func(q *MembershipQuestion) { q.Attackers = [][]int{{0}} },
		"attacks twice":        func(q *MembershipQuestion) { q.Attackers = [][]int{{1, 1}} },
		"there is no node 9":   func(q *MembershipQuestion) { q.Attackers = [][]int{{9}} },
		"there is no node -1":  func(q *MembershipQuestion) { q.Target = -1 },
		"nobody attacks":       func(q *MembershipQuestion) { q.Attackers = nil },
		"no row 4":             func(q *MembershipQuestion) { q.Row = 4 },
		"there is no such one": func(q *MembershipQuestion) { q.Canary = "yellow" },
		"cannot be audited":    func(q *MembershipQuestion) { q.Shadows = 6 },
		"is not between":       func(q *MembershipQuestion) { q.Confidence = 1 },
	} {
		if err := ask(strong, change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	nothing := func(*MembershipQuestion) {}
	if err := ask(strings.Replace(strong, "sigma: 1.2", "sigma: 0", 1), nothing); err == nil || !strings.Contains(err.Error(), "no noise") {
		t.Error(err)
	}
}

// An attack that is interrupted, at whichever of its runs, ends with that and looks at nothing that is missing.
func TestAMembershipAttackMayBeInterruptedAnywhere(t *testing.T) {
	walk := strings.Replace(strings.Replace(strong, "gossip-gd, steps: 6", "walk, contributions: 3, steps: 12", 1), "flow", "path", 1)
	for _, text := range []string{strong, walk} {
		p := openedForAttack(t, text)
		q := MembershipQuestion{Target: 0, Attackers: [][]int{{1}, {2, 5}, nil}, Canary: CanaryWorst, Runs: 8, Shadows: 8, Confidence: 0.6, Seed: 3, Workers: 2}
		every := 7 // and every part has 8 runs or more
		if testing.Short() {
			every = 40
		}
		for at := 3; ; at += every {
			ctx, stop := context.WithCancel(t.Context())
			_, err := p.Membership(ctx, q, nil, func(done, total int) {
				if done == at {
					stop()
				}
			})
			reached := ctx.Err() != nil
			stop()
			if !reached {
				break // there were not so many
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("after %d runs: %v", at, err)
			}
		}
	}
}

// An interrupted run has no final model: nothing is heard of it, and what runs beside does not fall over it.
func TestAnInterruptedRunIsNotHeard(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, text := range []string{strong, strings.Replace(strings.Replace(strong, "gossip-gd, steps: 6", "walk, contributions: 3, steps: 12", 1), "flow", "path", 1)} {
		err := lastModel(ctx, openedForAttack(t, text).Algorithm, 1, func(int, int, []float64) { t.Error("something was heard") })
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}
