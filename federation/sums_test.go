package federation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
)

const summing = `data: {source: csv, ranges: {age: [0, 100], weight: [40, 140]}, normalise: none, test: 0}
model: {kind: mean}
algorithm: {kind: ring-sum, rounds: 4, spread: true, clip: 2}
privacy: {sigma: 2, release: final}
federation: {linger: 3s}
`

const counting = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100]}, test: 0}
model: {kind: histogram}
algorithm: {kind: ring-histogram, rounds: 4}
privacy: {sigma: 0.3, release: final}
federation: {linger: 3s}
`

// Sums and histograms run as nodes: everybody ends with the same estimate, near the truth,
// and every ledger has as many contributions as the plan counts, none of them twice.
func TestSumsOnTheNetwork(t *testing.T) {
	walk := func(text, from, to string) string {
		return strings.NewReplacer(from, "kind: "+to+", steps: 12, contributions: 12", "sigma: 0.3", "sigma: 0.3, accountant: local").Replace(text)
	}
	for name, text := range map[string]string{
		"ring-sum": summing, "ring-histogram": counting, "ring-sum of records": summing, "ring-histogram of records": counting,
		"averaging-walk": walk(summing, "kind: ring-sum, rounds: 4, spread: true", "averaging-walk"),
		"averaging-walk of tokens": strings.Replace(walk(summing, "kind: ring-sum, rounds: 4, spread: true", "averaging-walk"),
			"steps: 12,", "steps: 6, tokens: 2,", 1),
		"complete-sum":       walk(summing, "kind: ring-sum, rounds: 4, spread: true", "complete-sum"),
		"complete-histogram": walk(counting, "kind: ring-histogram, rounds: 4", "complete-histogram"),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "complete-sum" {
				testdata.Sequential(t) // its nodes are those of the histogram, its price takes longer
			}
			s := newStage(t, text)
			if strings.HasSuffix(name, "records") {
				s.declare("rows: 30")
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			total, first := 0, []float64(nil)
			for i, o := range s.all(ctx) {
				if !o.Ended || o.Model == nil || o.Statement.Alarm != "" {
					t.Fatalf("%s ended %t: %+v", o.Name, o.Ended, o.Statement)
				}
				total += o.Statement.Contributed
				p := plan(t, open(t, s.spec, s.names[i]))
				for k, to := range p.Towards {
					if spent := o.Statement.Spent[k]; spent.Allowed != to.Epsilon || spent.Epsilon > to.Epsilon || !(to.Epsilon > 0) {
						t.Errorf("%s: the plan says %+v, the statement %+v", o.Name, to, spent)
					}
				}
				if first == nil {
					first = o.Model.parameters
				}
				for j, x := range o.Model.parameters {
					if x != first[j] {
						t.Errorf("models %v and %v", o.Model.parameters, first)
					}
				}
				s.holdsOwnPage(o)
			}
			if total != 12 {
				t.Errorf("%d contributions in 12 turns", total)
			}
			if share := first[0] + first[1]; strings.Contains(name, "histogram") && math.Abs(share-1) > 1e-9 {
				t.Errorf("shares %v add up to %g", first, share)
			}
		})
	}
}

// A walk to anybody runs as nodes: what each contributes after receipts from one other is
// capped, and the ledgers say so.
func TestCompleteSGDOnTheNetwork(t *testing.T) {
	s := newStage(t, strings.NewReplacer("kind: walk,", "kind: complete-sgd, edge_cap: 2,", ", accountant: local", "").Replace(quick))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, o := range s.all(ctx) {
		// Receipts from two others and from itself.
		if c := o.Statement.Contributed; !o.Ended || o.Model == nil || o.Statement.Alarm != "" || c < 1 || c > 6 || c != o.Status.Contributions {
			t.Errorf("%s ended %t with %d contributions: %+v", o.Name, o.Ended, c, o.Statement.Plan)
		}
	}
}

// A ring's plan is what the accountant says of places on it, raised by the grid; whoever
// deviates alone learns no more, and the two beside a node all that it adds.
func TestPlanOfARing(t *testing.T) {
	s := ring(t, five, strings.Replace(summing, ", release: final", "", 1))
	p := plan(t, open(t, s, "paris"))
	on, i := (sums.Ring{Nodes: 5, Rounds: 4, Spread: true}), 0
	for v := range five {
		if five[v] == "paris" {
			continue
		}
		smooth := privacy.EpsilonGaussian(math.Sqrt(on.Energy(2, v))/2, p.Delta)
		to := p.Towards[i]
		i++
		if to.Name != five[v] || to.Epsilon < smooth*(1-1e-9) || to.Epsilon > smooth*(1+1e-4) || to.Deviating != to.Epsilon {
			t.Errorf("%+v, continuous noise %g", to, smooth)
		}
	}
	alone := privacy.EpsilonGaussian(math.Sqrt(on.Alone(2))/2, p.Delta)
	if c := p.Coalitions[0]; math.Abs(c.Epsilon-alone) > 1e-3*alone || strings.Join(c.Worst, " ") != "nice brest" || math.Abs(p.Local-alone) > 1e-3*alone {
		t.Errorf("coalitions %+v, local %g, want %g", p.Coalitions, p.Local, alone)
	}
	for _, change := range []string{"spread: true", "federation: {"} {
		text := ringText(t, five, strings.NewReplacer("spread: true", "spread: false", "federation: {", "federation: {unreachable: around, ").Replace(
			strings.Replace(summing, change, change, 1)))
		if _, err := parseText(text); err == nil {
			t.Errorf("accepts\n%s", text)
		}
	}
}

// declare makes one record the unit of a federation whose participants have so many each.
func (s *stage) declare(rows string) {
	text, err := s.spec.YAML()
	if err != nil {
		s.t.Fatal(err)
	}
	declared := strings.Replace(string(text), "unit: participant", "unit: record", 1)
	for _, name := range s.names {
		declared = strings.Replace(declared, "- name: "+name+"\n", "- name: "+name+"\n  "+rows+"\n", 1)
	}
	s.spec, s.unit = parse(s.t, strings.Replace(declared, "split: class\n", "", 1)), "unit: record\n"
}

// Of records a plan of a ring's sum is what the accountant says at a node's own sensitivity,
// and of its histogram less than of all that a participant gives.
func TestPlanOfARingOfRecords(t *testing.T) {
	rows := []int{50, 100, 50, 20, 1000}
	p := plan(t, open(t, parse(t, records(ringText(t, five, summing), rows...)), "paris"))
	whole := plan(t, open(t, ring(t, five, summing), "paris"))
	at := slices.Index(five, "paris")
	for i, to := range p.Towards {
		v := slices.Index(five, to.Name)
		mu := math.Sqrt((sums.Ring{Nodes: 5, Rounds: 4, Spread: true, Final: true, Sealed: true}).Energy(at, v)) / 2 * 20 / float64(rows[at])
		if smooth := privacy.EpsilonGaussian(mu, p.Delta); to.Epsilon < smooth*(1-1e-9) || to.Epsilon > smooth*(1+1e-3) || !(to.Epsilon < whole.Towards[i].Epsilon) {
			t.Errorf("%+v, continuous noise %g, of a participant %g", to, smooth, whole.Towards[i].Epsilon)
		}
	}
	p, whole = plan(t, open(t, parse(t, records(ringText(t, five, counting), rows...)), "paris")), plan(t, open(t, ring(t, five, counting), "paris"))
	if a, b := p.Towards[0].Epsilon, whole.Towards[0].Epsilon; !(a < b/5) {
		t.Errorf("a record loses %g, a participant %g", a, b)
	}
}
