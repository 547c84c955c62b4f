package federation

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
)

// A run that begins with an earlier model is charged where the participant's book has that run as covering its model, or has no such
// run. It is refused where the earlier losses do not cover the model, where the total leaves the earlier run out, and without a book.
func TestAnEarlierModelIsOneThatTheBookHasCharged(t *testing.T) {
	const gd = "algorithm: {kind: gossip-gd, steps: 4, step_size: 0.1, clip: 0.2}\nprivacy: {sigma: 8, accountant: %s}\n"
	before := "" // runs that the earlier one went back to
	begun := func(seed int, of *Federation, last string) *Federation {
		text := ringText(t, five, fmt.Sprintf("seed: %d\n%s%s", seed, rows, fmt.Sprintf(gd, "local")))
		start := fmt.Sprintf("model: {kind: logistic, earlier: {spec: sha256:%s, parameters: [0.5, -1, %s]%s}}", of.hash(), last, before)
		return open(t, parse(t, strings.Replace(text, "model: {kind: logistic}", start, 1)), "lyon")
	}
	now := time.Now()
	purse := Purse{Book: filepath.Join(t.TempDir(), "lyon.budget.db")}
	public, hidden := year(t, 1, fmt.Sprintf(gd, "local")), year(t, 2, fmt.Sprintf(gd, "flow"))
	elsewhere := year(t, 3, fmt.Sprintf(gd, "local")) // another participant's run
	for _, f := range []*Federation{public, hidden} {
		if _, err := f.Charge(plan(t, f), total(t, 50, ""), purse, now); err != nil {
			t.Fatal(err)
		}
	}
	late := fmt.Sprintf(", since: %s", now.AddDate(0, 0, 2).Format(time.DateOnly))
	for _, c := range []struct {
		of     *Federation
		more   string
		purse  Purse
		refuse string
	}{
		{public, "", purse, ""}, {elsewhere, "", purse, ""}, {elsewhere, late, purse, ""},
		{hidden, "", purse, "do not cover that others see the model"}, {public, late, purse, "counts only what was signed since"}, {public, "", Purse{}, "no budget book"},
	} {
		f := begun(4, c.of, "2")
		p := plan(t, f)
		own := total(t, 50, c.more)
		if c.purse.Book == "" {
			own.Total = nil
		}
		_, err := f.Charge(p, own, c.purse, now)
		if (err == nil) != (c.refuse == "") || err != nil && (!strings.Contains(err.Error(), c.refuse) || fault.Hint(err) == "") {
			t.Errorf("begins with %s, policy %q: %v", c.of.Spec.Title(), c.more, err)
		}
		if !slices.ContainsFunc(p.Assumptions, func(a string) bool { return strings.HasPrefix(a, report.BeginsWith) }) {
			t.Errorf("a plan that does not say what it begins with: %q", p.Assumptions)
		}
	}
	for _, c := range []struct {
		of     *Federation
		more   string
		refuse string
	}{{public, "", ""}, {hidden, "", "do not cover that others see the model"}, {public, late, "counts only what was signed since"}} {
		before = fmt.Sprintf(`, before: ["sha256:%s"]`, c.of.hash())
		if _, err := begun(4, elsewhere, "2").Charge(plan(t, begun(4, elsewhere, "2")), total(t, 50, c.more), purse, now); (err == nil) != (c.refuse == "") || err != nil && !strings.Contains(err.Error(), c.refuse) {
			t.Errorf("begins with a run of others that began with %s: %v", c.of.Spec.Title(), err)
		}
	}
	f, want := begun(4, elsewhere, "2"), []string{"sha256:" + elsewhere.hash(), "sha256:" + public.hash()}
	if m := f.model(make([]float64, 3), &Outcome{Statement: f.Stating(plan(t, f), 4, 0, 8), Ended: true}); !slices.Equal(m.Begins, want) {
		t.Errorf("its model goes back to %q, want %q", m.Begins, want)
	}
	before = ""
	f = begun(4, public, "2")
	if s := f.score(&Model{ModelFile: &report.ModelFile{}, parameters: []float64{0.5, -1, 2}}, dataset.Block{X: []float64{1, 1}, Y: []float64{1}, Features: 2}); !strings.Contains(s.words(), s.Note) || s.Note == "" {
		t.Errorf("a score that does not say that rows may have been learnt from: %+v", s)
	}
	if f.Hash == begun(4, public, "2.0000000000000004").Hash {
		t.Error("two starts have one hash")
	}
}
