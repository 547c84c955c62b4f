package experiment

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

func explain(t *testing.T, text string, about, observer int) (*Priced, *family.Explanation) {
	t.Helper()
	s := auditSetup(t, text)
	e, err := s.Explain(about, observer)
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

// wholeText is all that an explanation says.
func wholeText(e *family.Explanation) string {
	var b strings.Builder
	for _, p := range e.Text {
		fmt.Fprintln(&b, p.Heading)
		fmt.Fprintln(&b, p.Text)
	}
	return b.String()
}

// states finds a number in the text and wants it to be x, rounded up by less than
// a hundredth.
func states(t *testing.T, e *family.Explanation, pattern string, x float64) {
	t.Helper()
	saidUpTo(t, e, pattern, x, 1.01*x)
}

// saidUpTo is states for a number rounded up to most.
func saidUpTo(t *testing.T, e *family.Explanation, pattern string, x, most float64) {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(wholeText(e))
	if found == nil {
		t.Errorf("nothing like %q is said in\n%s", pattern, wholeText(e))
		return
	}
	if said, err := strconv.ParseFloat(found[1], 64); err != nil || !(said >= x*(1-1e-8) && said <= most) {
		t.Errorf("%q says %s, it is %g (%v)", pattern, found[1], x, err)
	}
}

// Every number of an explanation is that of an accountant, asked here anew.
func TestExplanationSaysWhatTheAccountantsSay(t *testing.T) {
	testdata.Sequential(t)
	const number = `([0-9.e+-]*[0-9])`
	for _, release := range []string{"none", "final"} {
		for _, sigma := range []float64{1.5, 8} {
			s, e := explain(t, fmt.Sprintf(testdata.Audited, "hypercube:3", 70, 8, "uniform", sigma, 1e-5, release), 0, 6)
			law := func(change func(w *walkpath.Walk), sigma float64) float64 {
				w := walkOf(s).PathWalk()
				change(&w)
				l, err := w.Law(0, 6)
				if err != nil {
					t.Fatal(err)
				}
				return l.Epsilon(1e-5, sigma)
			}
			same := func(*walkpath.Walk) {}
			eps := law(same, sigma)
			if e.Epsilon != eps || e.Status != report.Sound || e.Accountant != "path" || e.Why.Hops != 2 || e.Why.Between != 1 {
				t.Errorf("%+v, epsilon is %g", e, eps)
			}
			states(t, e, `grow at most `+number+` times`, math.Exp(eps))
			states(t, e, `times \(epsilon `+number+`\)`, eps)
			l, err := walkOf(s).PathWalk().Law(0, 6)
			if err != nil {
				t.Fatal(err)
			}
			even, suspicion := 100*privacy.GuessGaussian(math.Sqrt(l.Mean())/sigma), 100*math.Exp(eps)/(99+math.Exp(eps))
			saidUpTo(t, e, `guess is right at most `+number+` % of the time`, even, even+0.1)
			saidUpTo(t, e, `1 in 100 becomes at most `+number+` %`, suspicion, suspicion+0.1)
			states(t, e, `contributions: 4, epsilon would be at most `+number, law(func(w *walkpath.Walk) { w.Cap = 4 }, sigma))
			states(t, e, `sigma: `+strconv.FormatFloat(1.5*sigma, 'g', -1, 64)+`, epsilon would be at most `+number, law(same, 1.5*sigma))
			states(t, e, `epsilon would be `+number+`\. But`, privacy.EpsilonGaussian(math.Sqrt(8)/sigma, 1e-5))
			states(t, e, `1 in ([0-9]+), and otherwise`, 1e5)
			if release == "final" {
				states(t, e, `release: none, epsilon would be at most `+number, law(func(w *walkpath.Walk) { w.Final = false }, sigma))
			}
			if strings.Contains(wholeText(e), "formula in print") || e.Published != nil || math.Abs(100*e.Certainty-even) > 1e-9 {
				t.Errorf("%+v", e)
			}
		}
	}
}

// A neighbour is called one, the published number is mentioned as what it is,
// and a lost cause as well.
func TestExplanationSpeaksPlainly(t *testing.T) {
	testdata.Sequential(t)
	for name, c := range map[string]struct {
		change          []string
		about, observer int
		want            []string
	}{
		"neighbour": {nil, 0, 1, []string{"Node 1 is a neighbour", "the bound lets it know the whole path"}},
		"published": {[]string{"metric:", "accountant: published, sender: hidden, metric:"}, 0, 6,
			[]string{"formula in print gives", "no proven bound", "1 other node adds its noise", "nothing rests on that"}},
		"no smoothness": {[]string{", normalise: unit", "", "metric:", "accountant: local, metric:"}, 0, 6,
			[]string{"no bound of the loss's smoothness is known", "count for nothing here", "even if others pool"}},
		"weak":     {[]string{"sigma: 8", "sigma: 0.2"}, 0, 6, []string{"hardly any protection", "10^"}},
		"one only": {[]string{"contributions: 8", "contributions: 1"}, 0, 6, []string{"With privacy.sigma: 12"}},
		"renyi":    {[]string{"{epsilon_at_delta: 1e-05}", "{renyi: 2}"}, 0, 7, []string{"delta 1e-06", "2 other nodes add their noise"}},
	} {
		text := fmt.Sprintf(testdata.Audited, "hypercube:3", 70, 8, "uniform", 8.0, 1e-5, "none")
		for i := 0; i < len(c.change); i += 2 {
			if !strings.Contains(text, c.change[i]) {
				t.Fatalf("%s: there is no %q", name, c.change[i])
			}
			text = strings.Replace(text, c.change[i], c.change[i+1], 1)
		}
		_, e := explain(t, text, c.about, c.observer)
		for _, want := range c.want {
			if !strings.Contains(wholeText(e), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, wholeText(e))
			}
		}
		if e.Status != report.Sound {
			t.Errorf("%s: the claim is %s", name, e.Status)
		}
	}
}

// Remedies help, or at least do no harm.
func TestRemediesDoNotRaiseTheLoss(t *testing.T) {
	testdata.Sequential(t)
	_, e := explain(t, fmt.Sprintf(testdata.Audited, "ring:6", 70, 8, "uniform", 2.0, 1e-5, "final"), 0, 3)
	if len(e.Remedies) != 3 {
		t.Errorf("%+v", e.Remedies)
	}
	for _, r := range e.Remedies {
		if !(r.Epsilon < e.Epsilon) {
			t.Errorf("%+v, epsilon is %g", r, e.Epsilon)
		}
	}
}

// A pair says the same of a spec whose pairs were all priced and of one that was
// only opened for it, under every accountant, sigma given or calibrated.
func TestOpeningForAPairSaysTheSame(t *testing.T) {
	testdata.Sequential(t)
	for _, accountant := range []string{"path", "published", "local"} {
		for _, noise := range []string{"sigma: 1", "calibrate: {mean: 2}"} {
			text := fmt.Sprintf(testdata.Audited, "hypercube:3", 24, 4, "uniform", 1.0, 1e-3, "none")
			s := specOf(t, strings.Replace(text, "sigma: 1", noise+", accountant: "+accountant, 1))
			opened, err := OpenForPairs(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			all := prepare(t, s)
			got, err := opened.Explain(0, 5)
			if err != nil {
				t.Fatal(err)
			}
			want, err := all.Explain(0, 5)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Published == nil) != (want.Published == nil) || (got.Published != nil) != (accountant == "published") {
				t.Fatalf("%s, %s: published %v, of all pairs %v", accountant, noise, got.Published, want.Published)
			}
			if got.Published != nil {
				if d := math.Abs(*got.Published - *want.Published); d > 1e-9*(1+*want.Published) {
					t.Errorf("%s, %s: published %v, of all pairs %v", accountant, noise, *got.Published, *want.Published)
				}
				got.Published, want.Published = nil, nil
			}
			if fmt.Sprintf("%.9v", got) != fmt.Sprintf("%.9v", want) {
				t.Errorf("%s, %s: it says\n%v\nof all pairs\n%v", accountant, noise, got, want)
			}
		}
	}
}
