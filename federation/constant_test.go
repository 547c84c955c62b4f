package federation

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

var weightedTerms = strings.NewReplacer("kind: walk,", "kind: weighted-walk, constants: {mechanism: laplace, least: 0.1, most: 0.6, epsilon: 1},", ", accountant: local", "").Replace(quick)

// Participants of a weighted walk draw their constants once, put them into the spec and walk: the
// price of both is in plan and statement.
func TestAWeightedWalkOfRealNodes(t *testing.T) {
	s := newStage(t, weightedTerms)
	if _, err := Open(t.Context(), s.spec, "lyon"); err == nil || !strings.Contains(err.Error(), "has shown no constant") || fault.Hint(err) == "" {
		t.Errorf("without constants: %v", err)
	}
	for i, name := range s.names {
		first, err := ShowConstant(t.Context(), s.spec, name, s.file(name), textfile.Notation{}, filepath.Join(s.dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ShowConstant(t.Context(), s.spec, name, s.file(name), textfile.Notation{}, filepath.Join(s.dir, name), nil)
		if err != nil || again.Constant != first.Constant || !again.Again || first.Again || !(first.Epsilon <= 1 && first.Epsilon > 0.9) {
			t.Errorf("%+v, then %+v, %v", first, again, err)
		}
		s.spec.Participants[i].Constant = first.Constant
	}
	otherwise := parse(t, strings.Replace(ringText(t, s.names, weightedTerms), "epsilon: 1", "epsilon: 2", 1))
	if _, err := ShowConstant(t.Context(), otherwise, "lyon", s.file("lyon"), textfile.Notation{}, filepath.Join(s.dir, "lyon"), nil); err == nil || fault.Hint(err) == "" {
		t.Error("another draw for the same data was made")
	}
	if _, err := parseText(strings.Replace(ringText(t, s.names, weightedTerms), "privacy: {", "privacy: {accountant: path, ", 1)); err == nil || !strings.Contains(err.Error(), "path is a bound only if") || fault.Hint(err) == "" {
		t.Errorf("a federation takes what rests on constants: %v", err)
	}
	checkTwoTokens(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, o := range s.all(ctx) {
		if !o.Ended || o.Model == nil || o.Statement.Accountant != "local" {
			t.Errorf("%s: ended %v by %s", o.Name, o.Ended, o.Statement.Accountant)
		}
		for _, spent := range o.Statement.Spent {
			if !(spent.Epsilon > 0.9) || spent.Epsilon > spent.Allowed {
				t.Errorf("%s: %+v, constants alone cost 1", o.Name, spent)
			}
		}
		if math.Abs(o.Statement.local(0, 3, 1e-6)-1) > 0.1 {
			t.Errorf("without a contribution %g is spent", o.Statement.local(0, 3, 1e-6))
		}
	}
}

// A constant that cannot have been drawn is refused by everybody, whoever claims it, and
// two that differ are two federations.
func TestHostileConstants(t *testing.T) {
	s := ring(t, five, weightedTerms)
	for i := range s.Participants {
		s.Participants[i].Constant = 0.1
	}
	first := open(t, s, "lyon")
	for _, claim := range []float64{1e308, math.Inf(1), math.NaN(), -1, 0, 0.6001, 0.1234} {
		s.Participants[2].Constant = claim
		if _, err := Open(t.Context(), s, "lyon"); err == nil || !strings.Contains(err.Error(), "paris") || fault.Hint(err) == "" {
			t.Errorf("%g: %v", claim, err)
		}
	}
	s.Participants[2].Constant = 0.6
	if other := open(t, s, "lyon"); other.Hash == first.Hash {
		t.Error("another constant, the same hash")
	}
	if _, err := ShowConstant(t.Context(), ring(t, five, terms), "lyon", "lyon.csv", textfile.Notation{}, t.TempDir(), nil); err == nil || fault.Hint(err) == "" {
		t.Errorf("a walk shows constants: %v", err)
	}
	if _, err := ShowConstant(t.Context(), s, "rome", "rome.csv", textfile.Notation{}, t.TempDir(), nil); err == nil || fault.Hint(err) == "" {
		t.Errorf("nobody shows a constant: %v", err)
	}
}

// checkTwoTokens wants the price of the constants in a plan of two tokens as well.
func checkTwoTokens(t *testing.T, s *stage) {
	if testing.Short() {
		return // pricing takes long under the race detector
	}
	tokens := s.spec.Algorithm
	tokens.Tokens = 2
	two := *s.spec
	two.Algorithm = tokens
	for _, to := range plan(t, open(t, &two, "lyon")).Towards {
		if !(to.Epsilon > 0.9) || !(to.Epsilon < math.Inf(1)) {
			t.Errorf("of two tokens %+v, constants alone cost 1", to)
		}
	}
}
