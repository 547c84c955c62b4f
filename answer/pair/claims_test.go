package pair

import (
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// A claim is proved by a sound number that is no larger, refuted by an attack that attains more, and nothing else decides it.
func TestVerdictsOnClaims(t *testing.T) {
	account := func(status report.Status, name string, loss float64) family.Account {
		a := family.Account{At: func(int, int) float64 { return loss }}
		a.Status, a.Accountant = status, name
		return a
	}
	accounts := []family.Account{account(report.Sound, "wide", 3), account(report.Sound, "tight", 2), account(report.Published, "paper", 0.1), account(report.SoundIf, "if", 0.2),
		account(report.Audit, "weak", 0.5), account(report.Audit, "strong", 1), account(report.Sound, "silent", math.NaN()), {}}
	for epsilon, want := range map[float64]string{0.99: Refuted, 1: Open, 1.99: Open, 2: Proved, 50: Proved, 0: Refuted} {
		c := Claimed{Epsilon: epsilon}
		c.hold(accounts)
		if c.Verdict != want || c.Sound != 2 || c.By != "tight" || c.Attacked != 1 || c.Attack != "strong" {
			t.Errorf("%g: %+v", epsilon, c)
		}
	}
	none := Claimed{Epsilon: 1}
	if none.hold(accounts[2:4]); none.Verdict != Open || none.By != "" {
		t.Errorf("%+v", none)
	}
}

// Any bytes are read as claims with numbers that can be held against something, or refused.
func FuzzClaims(f *testing.F) {
	for _, text := range []string{"u,v,epsilon,delta\n1,2,0.5,1e-6\n", "delta,observer,about,eps,more\n0.1,a,b,3,x\n", "u,v,epsilon,delta\n1,2,NaN,2\n", "\xff\xfe", "u,v,epsilon,delta\n\"", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		claims, err := parseClaims(strings.NewReader(text), "claims.csv")
		if (err == nil) != (len(claims) > 0) {
			t.Fatalf("%d claims, %v", len(claims), err)
		}
		for _, c := range claims {
			if !(c.Epsilon >= 0) || math.IsInf(c.Epsilon, 0) || !(c.Delta > 0 && c.Delta < 1) || c.Line < 2 {
				t.Fatalf("%+v", c)
			}
		}
	})
}

// A claim at another delta is about the run of the spec: noise that follows from the spec's own delta stays as it is.
func TestClaimsAreAboutTheNoiseOfTheSpec(t *testing.T) {
	path, set := filepath.Join("..", "..", "examples", "kinds", "weighted-walk.yaml"), []string{"graph=complete:4", "algorithm.steps=12", "algorithm.contributions=6"}
	ask := form.Asker{Context: t.Context(), Stderr: io.Discard}
	answer, err := (&ClaimsQuestion{Set: set}).judge(t.Context(), ask, path, []Claimed{{About: "0", Observer: "1", Epsilon: 1, Delta: 1e-4}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := form.LoadSpec(t.Context(), path, append(set, "report.deltas=[1e-4]", "privacy.accountant=sound")...)
	if err != nil {
		t.Fatal(err)
	}
	priced, err := experiment.Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range priced.Accounting.Accounts {
		if loss := a.Restated[0].At(0, 1); a.Accountant == answer.Claims[0].By && math.Abs(loss/float64(answer.Claims[0].Sound)-1) > 1e-6 {
			t.Errorf("%s: %v, as a further delta of the run %v", a.Accountant, answer.Claims[0].Sound, loss)
		}
	}
}
