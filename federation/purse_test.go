package federation

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
)

// year is a federation of all contributions that are public, of its own seed.
func year(t *testing.T, seed int, more string) *Federation {
	return open(t, ring(t, five, fmt.Sprintf("seed: %d\n%s%s", seed, rows, more)), "lyon")
}

// rows is what specs of these tests learn from.
const rows = "data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}\nmodel: {kind: logistic}\n"

const publicRun = "algorithm: {kind: walk, steps: 40, step_size: 0.1, clip: 0.2, contributions: 4}\nprivacy: {sigma: 8, accountant: local, release: final}\n"

func total(t *testing.T, epsilon float64, more string) *policy.Policy {
	t.Helper()
	own, err := policy.Parse(fmt.Appendf(nil, "delta: 1e-6\nepsilon: {neighbours: 10, others: 10}\ntotal: {epsilon: %g, delta: 1e-6%s}\n", epsilon, more), "policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// Three federations on the same rows are charged what their Gaussians compose to, which is less than the sum of epsilons; a fourth
// that would pass the policy's total is refused in one line, and with the noise that the line names it is accepted.
func TestThreeFederationsComposeAndAFourthIsRefused(t *testing.T) {
	purse := Purse{Book: filepath.Join(t.TempDir(), "lyon.budget.db")}
	own, now := total(t, 2, ""), time.Now()
	muSquared, alone := 0.0, 0.0
	for k := range 3 {
		f := year(t, k, publicRun)
		p := plan(t, f)
		muSquared += 4 / (p.Sigma * p.Sigma)
		alone = p.Local
		charged, err := f.Charge(p, own, purse, now)
		if err != nil {
			t.Fatalf("federation %d: %v", k+1, err)
		}
		want := privacy.EpsilonGaussian(math.Sqrt(muSquared), 1e-6)
		if got := float64(charged.Others.Total); charged.Others.Runs != k || !(math.Abs(got-want) < 1e-4*want) || k > 0 && !(got < 0.95*float64(k+1)*alone) {
			t.Errorf("%d federations come to %g, want %g; alone %g", k+1, got, want, alone)
		}
	}
	if alone < 1 || alone > 2.5 {
		t.Fatalf("a federation by itself costs %g, which makes this test another one", alone)
	}
	f := year(t, 3, publicRun)
	_, err := f.Charge(plan(t, f), own, purse, now)
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "more than the 2 that the policy allows (total.epsilon): it counts \"test\" of ") {
		t.Fatalf("a fourth: %v", err)
	}
	found := regexp.MustCompile(`^sigma ([0-9.]+) would fit`).FindStringSubmatch(fault.Hint(err))
	if found == nil {
		t.Fatalf("the hint is %q", fault.Hint(err))
	}
	f = year(t, 3, strings.Replace(publicRun, "sigma: 8", "sigma: "+found[1], 1))
	charged, err := f.Charge(plan(t, f), own, purse, now)
	if err != nil || !(charged.Others.Total <= 2 && charged.Others.Total > 1.98) {
		t.Errorf("with sigma %s: %v, %+v", found[1], err, charged.Others)
	}
	f = year(t, 4, publicRun)
	others, err := f.Weigh(plan(t, f), total(t, 1, ""), purse)
	if err == nil || !strings.Contains(fault.Hint(err), "no noise would fit: the others come to eps 2") || others.Runs != 4 {
		t.Errorf("where the others are too much already: %v (%s), %+v", err, fault.Hint(err), others)
	}
	if others, err = f.Weigh(plan(t, f), total(t, 3, ", since: 2100-01-01"), purse); err != nil || others.Runs != 0 || others.Earlier != 4 {
		t.Errorf("since a day to come: %v, %+v", err, others)
	}
	other := purse
	if other.DataSet = "others"; len(openBook(t, purse).Lines) != 4 {
		t.Error("to weigh a federation charged it")
	}
	if others, err = f.Weigh(plan(t, f), own, other); err == nil || others.Runs != 4 {
		t.Errorf("runs without a name do not count with every name: %v, %+v", err, others)
	}
}

// openBook reads a book and lets it go.
func openBook(t *testing.T, from Purse) *budget.Book {
	t.Helper()
	b, err := budget.Open(from.Book, keyOf(t, "lyon").Peer().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

// Of every accountant the charge of a run alone is what its plan says, at the plan's delta, and its moments and Gaussians never say
// less than half of that: they are the same run's.
func TestAChargeAloneIsThePlans(t *testing.T) {
	for name, more := range map[string]string{
		"path":   "algorithm: {kind: walk, steps: 200, step_size: 0.1, clip: 0.2, contributions: 10}\nprivacy: {sigma: 3}\n",
		"local":  publicRun,
		"flow":   "algorithm: {kind: gossip-gd, steps: 4, step_size: 0.1, clip: 0.2}\nprivacy: {sigma: 12, accountant: flow}\n",
		"sample": "algorithm: {kind: gossip-sgd, sampling: poisson, batch: 5, steps: 10, step_size: 0.1, clip: 0.2}\nprivacy: {sigma: 3, unit: record}\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := ringText(t, five, rows+more)
			if name == "sample" {
				s = strings.ReplaceAll(s, "addresses:", "rows: 50, addresses:")
			}
			p := plan(t, open(t, parse(t, s), "lyon"))
			one, all := p.Cost()
			worst := 0.0
			for _, to := range p.Towards {
				worst = max(worst, to.Epsilon)
			}
			if got := one.At(p.Delta); !(math.Abs(got-worst) <= 1e-9*worst) {
				t.Errorf("towards one %g, the plan says %g", got, worst)
			}
			if got := all.At(p.Delta); !(math.Abs(got-p.Local) <= 1e-9*p.Local) {
				t.Errorf("towards all %g, the plan says %g", got, p.Local)
			}
			one.Epsilon, all.Epsilon = math.MaxFloat64, math.MaxFloat64
			if a, b := one.At(p.Delta), all.At(p.Delta); a < worst*(1-1e-6) || b < p.Local*(1-1e-6) || a > 1.5*worst || b > 1.5*p.Local {
				t.Errorf("as it composes it says %g and %g, the plan %g and %g", a, b, worst, p.Local)
			}
		})
	}
}

// A policy about all data of a participant does not add up runs that protected a record each.
func TestUnlikeUnitsAreNotAddedUp(t *testing.T) {
	purse := Purse{Book: filepath.Join(t.TempDir(), "lyon.budget.db")}
	records := strings.ReplaceAll(ringText(t, five, rows+strings.Replace(publicRun, "privacy: {", "privacy: {unit: record, ", 1)), "addresses:", "rows: 50, addresses:")
	f := open(t, parse(t, records), "lyon")
	own, err := policy.Parse([]byte("unit: record\ndelta: 1e-6\nepsilon: {neighbours: 100, others: 100}\ntotal: {epsilon: 100, delta: 1e-6}\n"), "p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Charge(plan(t, f), own, purse, time.Now()); err != nil {
		t.Fatal(err)
	}
	f = year(t, 1, publicRun)
	if _, err := f.Charge(plan(t, f), total(t, 100, ""), purse, time.Now()); err == nil || !strings.Contains(err.Error(), "protected a record each") {
		t.Errorf("a total of unlike units: %v", err)
	}
	charged, err := f.Charge(plan(t, f), own, purse, time.Now())
	if err != nil || charged.Others.Unit != privacy.Record || charged.Others.Runs != 1 {
		t.Errorf("about a record both count: %v, %+v", err, charged.Others)
	}
}

// A run charges its book when it begins and gives back when it has ended what its ledger does not hold: the line is then what the
// statement says was spent. Its folder, its page and what it has signed say what other runs there were.
func TestARunGivesBackWhatItDidNotUse(t *testing.T) {
	testdata.Sequential(t)
	s := newStage(t, quick)
	purse := Purse{Book: filepath.Join(s.dir, "lyon.budget.db")}
	s.from = map[string]Purse{"lyon": purse}
	before := year(t, 1, publicRun)
	if _, err := before.Charge(plan(t, before), total(t, 100, ""), purse, time.Now()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	outcomes := s.all(ctx)
	statement := outcomes[0].Statement
	b := openBook(t, purse)
	line := b.Lines[1]
	if len(b.Lines) != 2 || line.State != budget.Ended || line.Used != statement.Contributed || line.Allowed != 30 || line.Table != statement.Tables[0] {
		t.Fatalf("the line is %+v, the statement %+v", line, statement.Spent)
	}
	if got := line.One.At(statement.Delta); !(math.Abs(got-statement.SpentLocal) <= 1e-9*got) || line.Used < 30 && !(got < statement.Local) {
		t.Errorf("the book has %g, spent were %g of %g", got, statement.SpentLocal, statement.Local)
	}
	others := statement.Attested.Others
	if others == nil || others.Runs != 1 || *others != *statement.Others || *others != *ReadOtherRuns(filepath.Join(s.dir, "lyon")) || outcomes[1].Statement.Others != nil {
		t.Errorf("other runs %+v, of who has no book %+v", others, outcomes[1].Statement.Others)
	}
	page, err := os.ReadFile(filepath.Join(s.dir, "lyon", PageFile))
	if err != nil || !strings.Contains(string(page), "Other runs on these rows") || !strings.Contains(string(page), "1, by the budget book beside the key") {
		t.Errorf("the page does not say it: %v", err)
	}
	run, err := ledger.Open(filepath.Join(s.dir, "lyon", LedgerFile))
	if err != nil {
		t.Fatal(err)
	}
	if mark := run.Federation().Book; mark.Entries != 2 {
		t.Errorf("the run's ledger remembers a book of %d entries", mark.Entries)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
}

// A node that has begun beside a book does not go on where that was lost, or replaced by an older one; charged anew by its owner it does.
func TestANodeNoticesThatItsBookWasRolledBack(t *testing.T) {
	s := newStage(t, quick)
	o := s.options("lyon")
	o.From.Book = filepath.Join(s.dir, "lyon.budget.db")
	f := open(t, s.spec, "lyon")
	o.plan = plan(t, f)
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	start := func() error {
		run, err := f.openLedger(&o)
		if err != nil {
			return err
		}
		return run.Close()
	}
	for range 2 {
		if err := start(); err != nil {
			t.Fatal(err)
		}
	}
	if lines := openBook(t, o.From).Lines; len(lines) != 1 || lines[0].State != budget.Begun {
		t.Fatalf("two starts of a run are %+v", lines)
	}
	for _, end := range []string{"", "-head", "-wal"} {
		os.Remove(o.From.Book + end)
	}
	if err := start(); err == nil || !strings.Contains(err.Error(), "it was lost, or an older copy was brought back") || !strings.Contains(fault.Hint(err), "hearsay budget settle") {
		t.Fatalf("without its book it starts: %v (%s)", err, fault.Hint(err))
	}
	line, err := f.Settle(t.Context(), o.Dir, o.From, false, time.Now())
	if err != nil || line.State != budget.Begun {
		t.Fatalf("charged anew: %v, %+v", err, line)
	}
	if err := start(); err != nil {
		t.Errorf("charged anew it does not start: %v", err)
	}
	if line, err = f.Settle(t.Context(), o.Dir, o.From, true, time.Now()); err != nil || line.State != budget.Closed || line.Used != 0 || line.One.At(1e-6) != 0 {
		t.Errorf("given up: %v, %+v", err, line)
	}
	if err := start(); err == nil || !strings.Contains(err.Error(), "was closed in the budget book") {
		t.Errorf("a run that was given up goes on: %v", err)
	}
}
