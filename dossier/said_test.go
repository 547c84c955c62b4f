package dossier

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// What a maker states is on the page as text, is covered by signatures, and is never said to have been checked.
func TestWhatItsMakerStatesIsSignedAndNotChecked(t *testing.T) {
	said, err := parseSaid([]byte("purpose: find <b>who</b> is at risk\nlegal_basis: Article 9(2)(j)\n"), "about.yaml")
	if err != nil {
		t.Fatal(err)
	}
	key := newKey(t)
	d, err := Plan(t.Context(), federated(t, 3, key, walking), Options{Said: said})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Write(d)
	if err != nil {
		t.Fatal(err)
	}
	page := string(f.Bytes())
	for _, want := range []string{"find &lt;b&gt;who&lt;/b&gt; is at risk", "Article 9(2)(j)", "No program has checked them", "nothing is stated", "<h2>Decision</h2>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	f.Sign(key)
	read, err := Read(f.Bytes(), "board.html")
	if err != nil {
		t.Fatal(err)
	}
	c, err := read.Recompute(t.Context(), Expect{}, Options{}, "board.html")
	if err != nil || !strings.Contains(c.Recomputed, "but for what its maker states") {
		t.Errorf("%v, %+v", err, c)
	}
	changed, err := Read([]byte(strings.ReplaceAll(string(f.Bytes()), "Article 9(2)(j)", "Article 9(2)(a)")), "board.html")
	if err == nil {
		_, err = changed.Verify(Expect{}, "board.html")
	}
	if err == nil {
		t.Error("what was signed was changed, and passes")
	}
}

// A file of statements is read in full, or refused.
func TestStatementsAreRefusedNotMisread(t *testing.T) {
	for text, want := range map[string]string{
		"porpose: x\n":                           "porpose",
		"purpose: [a]\n":                         "string is expected",
		"purpose: \"a\\u202Eb\"\n":               "do not show",
		"purpose: " + strings.Repeat("x ", 2000): "characters",
		"- purpose\n":                            "about.yaml",
	} {
		if _, err := parseSaid([]byte(text), "about.yaml"); err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%.40q: %v, hint %q", text, err, fault.Hint(err))
		}
	}
	said, err := parseSaid([]byte(SaidForm()), "form")
	if err != nil || len(said) != len(points) {
		t.Fatalf("the form itself: %v", err)
	}
	if err := checkSaid(said); err != nil {
		t.Error(err)
	}
	said[1].Point = "approved by the ethics committee"
	if err := checkSaid(said); err == nil {
		t.Error("a point of its own passes")
	}
}

func FuzzSaid(f *testing.F) {
	f.Add([]byte(SaidForm()))
	f.Add([]byte("purpose: |\n  two\n  lines\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if said, err := parseSaid(text, "about.yaml"); err == nil && checkSaid(said) != nil {
			t.Errorf("%q is read as %+v, which no dossier may have", text, said)
		}
	})
}

// A board can decide from the first sheet of a plan, a simulation and a run.
func TestTheFirstSheetHasWhatABoardDecidesFrom(t *testing.T) {
	d, err := Plan(t.Context(), federated(t, 3, newKey(t), walking), Options{Said: []Said{{"purpose", "find who is at risk"}, {"who gets the model", strings.Repeat("x", 2*mostBrief)}}})
	if err != nil {
		t.Fatal(err)
	}
	d.Others = "one other run."
	facts := map[string]string{}
	for _, f := range d.Decisive() {
		facts[f.What] = f.Value
	}
	for what, want := range map[string]string{
		"purpose": "find who is at risk", "who takes part": "p0", "protected is": "unit: ", "it loses at most": up(d.Claim.Worst) + " towards any one other",
		"who may look": "number", "the final model": "privacy.release: ", "other runs on these rows": "one other run.", "not protected": "takes part",
	} {
		if !strings.Contains(facts[what], want) {
			t.Errorf("%s: %q, want %q", what, facts[what], want)
		}
	}
	if model := facts["the final model"]; d.Claim.Model == strings.Contains(model, "do not cover") || len(model) > 3*mostBrief {
		t.Errorf("covered %v: %s", d.Claim.Model, model)
	}
	if d.Shown = true; !strings.Contains(d.model(), "everybody may have it") {
		t.Error(d.model())
	}
}

// TestAnAssertionIsNamed says of numbers that rest on an assertion which one it is.
func TestAnAssertionIsNamed(t *testing.T) {
	d := &Dossier{Claim: Claim{Status: report.SoundIf, Delta: 1e-6, Assumptions: []string{privacy.Unchecked + "each row counts for itself"}}}
	if all := d.Answers(); !strings.Contains(all[len(all)-1], "sound if this is true, which nobody has checked: each row counts for itself. They count") {
		t.Errorf("%q", all)
	}
}
