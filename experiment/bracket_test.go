package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

func accountOf(t *testing.T, s *Priced, name string) *family.Account {
	t.Helper()
	for i := range s.Accounting.Accounts {
		if a := &s.Accounting.Accounts[i]; a.Accountant == name {
			return a
		}
	}
	t.Fatalf("there is no %s account", name)
	return nil
}

// Beside the flow accountant stands what linear losses leak, pair by pair what
// flow.Audit says of the same problem, never above the bound, with the pairs that lose
// most at each distance.
func TestABoundStandsBesideAnAttack(t *testing.T) {
	s := prepared(t, flowSpec)
	audit, sound := accountOf(t, s, "audit"), accountOf(t, s, "flow")
	if audit.Status != report.Audit || audit.MeanStatus != report.Audit || audit.MaxBeyondNeighbours == nil {
		t.Errorf("%+v", audit.Accounted)
	}
	byHand, err := flow.New(flow.Problem{Weights: []*sparse.Matrix{gossipOf(s).Transition.Sparse()}, Rounds: 20})
	if err != nil {
		t.Fatal(err)
	}
	for u := range 32 {
		for v := range 32 {
			if u != v && audit.At(u, v) > sound.At(u, v)*(1+1e-9) {
				t.Errorf("(%d, %d): attacked for %g, the bound is %g", u, v, audit.At(u, v), sound.At(u, v))
			}
		}
	}
	for _, v := range []int{1, 3, 7, 31} {
		low, err := byHand.Audit(0, v)
		want := byHand.Loss(low, s.Accounting.Sigma, privacy.Metric{Delta: 1e-6})
		if got := audit.At(0, v); err != nil || got > want*(1+1e-9) || got < want*(1-1e-5) {
			t.Errorf("0 towards %d is attacked for %g, by hand %g (%v)", v, got, want, err)
		}
	}
	brackets := s.privacy().Brackets
	if len(brackets) != 5 {
		t.Fatalf("%+v", brackets)
	}
	for i, b := range brackets {
		if b.Distance != i+1 || float64(b.Sound) != sound.At(b.About, b.Observer) || float64(b.Audit) != audit.At(b.About, b.Observer) ||
			b.Audit > b.Sound || b.Accountant != "flow" {
			t.Errorf("%+v", b)
		}
	}
}

// Where attacks on all pairs would take long, the pair that loses most at each distance
// is attacked, the claim says so, and files have no number where nothing is known.
func TestSomePairsAreAttackedWhereAllAreTooMany(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	s := prepared(t, altered(t, "hypercube:5", "er:n=80,p=0.05,connected", "nodes: 32", "nodes: 80", "accountant: flow", "accountant: local"))
	audit, sound := accountOf(t, s, "audit"), accountOf(t, s, "flow")
	if last := audit.Assumptions; !strings.Contains(strings.Join(last, "\n"), "of 6320 pairs") {
		t.Errorf("the claim does not say how many pairs were attacked: %q", last)
	}
	attacked, sum := 0, 0.0
	for u := range 80 {
		for v := range 80 {
			if u == v || math.IsNaN(audit.At(u, v)) {
				continue
			}
			attacked, sum = attacked+1, sum+audit.At(u, v)
			if audit.At(u, v) > sound.At(u, v)*(1+1e-9) || audit.At(u, v) < sound.At(u, v)/3 {
				t.Errorf("(%d, %d): attacked for %g, the bound is %g", u, v, audit.At(u, v), sound.At(u, v))
			}
		}
	}
	brackets := s.privacy().Brackets
	if attacked < 3 || attacked != len(brackets) {
		t.Errorf("%d pairs were attacked, of %d there is a bracket", attacked, len(brackets))
	}
	if mean := sum / 6320; float64(audit.Mean) > mean*(1+1e-9) || float64(audit.Mean) < mean*(1-1e-5) {
		t.Errorf("mean %g, want %g", float64(audit.Mean), mean)
	}
	for _, d := range s.byDistance() {
		if d.Accountant == "audit" && d.Pairs != 1 {
			t.Errorf("%+v", d)
		}
	}
	checkAuditColumn(t, s, attacked)
}

// checkAuditColumn wants a number in so many cells of the column, and the page to be
// written.
func checkAuditColumn(t *testing.T, s *Priced, attacked int) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := report.WriteDir(t.Context(), dir, runSetup(t, s)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "privacy.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cells, filled := map[string]int{}, 0
	for i, name := range rows[0] {
		cells[name] = i
	}
	for _, row := range rows[1:] {
		if cell := row[cells["eps_audit"]]; cell != "" {
			filled++
			if x, err := strconv.ParseFloat(cell, 64); err != nil || !(x >= 0) {
				t.Errorf("%q in the column of the audit", cell)
			}
		}
	}
	if filled != attacked {
		t.Errorf("%d cells are filled, %d pairs were attacked", filled, attacked)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil || !bytes.Contains(page, []byte("How near the bound is to an attack")) {
		t.Errorf("the page has no bracket (%v)", err)
	}
}

// What an explanation prints of a pair is enough to work its epsilon out again: the
// plan is for the weights of this run, a checker that solves nothing finds its energy,
// and an attack attains part of it.
func TestAnExplanationIsCheckedFromWhatIsPrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("attacks pairs")
	}
	for _, changes := range [][]string{nil, {"steps: 20", "steps: 12, redraw: 3", "hypercube:5", "regular:n=32,d=4"},
		{"step_size: 0.5", "step_size: {base: 0.5, power: 0.5}"}} {
		s := prepared(t, altered(t, append(changes, "calibrate: {max_beyond_neighbours: 1}", "sigma: 3")...))
		e, err := s.Explain(2, 31)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var printed struct {
			Epsilon, Delta float64
			Alone          *float64 `json:"alone_epsilon"` // where the pair's own plan says clearly less than the table of all
			Audit          float64  `json:"audit_epsilon"`
			Why            struct{ Sigma float64 }
			Certificate    flow.Certificate
		}
		if err := json.Unmarshal(text, &printed); err != nil {
			t.Fatal(err)
		}
		energy, err := printed.Certificate.Check()
		own, off := printed.Epsilon, 1e-3
		if printed.Alone != nil {
			own, off = *printed.Alone, 1e-12
		}
		if want := privacy.EpsilonGaussian(math.Sqrt(energy)/printed.Why.Sigma, printed.Delta); err != nil || own < want*(1-1e-12) || own > want*(1+off) {
			t.Errorf("%q: epsilon %g is printed, the plan's energy %g gives %g (%v)", changes, printed.Epsilon, energy, want, err)
		}
		if !(printed.Audit > 0 && printed.Audit <= printed.Epsilon) {
			t.Errorf("%q: an attack attains %g of %g", changes, printed.Audit, printed.Epsilon)
		}
		p, err := printed.Certificate.Problem()
		if err != nil || printed.Certificate.Plan.U != 2 || !slices.Equal(printed.Certificate.Plan.Observers, []int{31}) {
			t.Fatal(err, printed.Certificate.Plan.U, printed.Certificate.Plan.Observers)
		}
		run := gossipOf(s)
		for round, w := range p.Weights {
			if want := run.Weights.Matrix(step.Turn(round)); !slices.Equal(w.Columns, want.Columns) ||
				!slices.EqualFunc(w.Values, want.Values, func(x, y float64) bool { return math.Abs(x-y) < 1e-15 }) {
				t.Errorf("%q: the weights of round %d are not the run's", changes, round)
			}
		}
	}
}
