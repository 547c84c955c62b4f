package nodes

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/report"
)

// A BudgetQuestion holds the settings of `hearsay budget`.
type BudgetQuestion struct {
	Key, Policy, Name, DataSet string
	Delta                      float64
	Close                      bool
}

// A BudgetRun is one line of the book.
type BudgetRun struct {
	Federation string        `json:"federation"`
	Spec       string        `json:"spec"`
	Signed     time.Time     `json:"signed"`
	DataSet    string        `json:"data_set,omitempty"`
	Table      string        `json:"table,omitempty"`
	Unit       string        `json:"unit"`
	Status     string        `json:"status"` // of the losses
	State      string        `json:"state"`
	Used       *int          `json:"used"` // null: the run is not over, and all of the plan is charged
	Allowed    int           `json:"allowed"`
	Epsilon    report.Number `json:"epsilon"`
	Everybody  report.Number `json:"everybody_epsilon"`
}

// A BudgetTotal is the total loss of the runs on the same rows.
type BudgetTotal struct {
	DataSet   string        `json:"data_set,omitempty"`
	Runs      int           `json:"runs"`
	Earlier   int           `json:"earlier"` // runs not counted because they were signed before total.since
	Unit      string        `json:"unit"`
	Status    string        `json:"status"` // the weakest of the runs
	Epsilon   report.Number `json:"epsilon"`
	Everybody report.Number `json:"everybody_epsilon"`
}

// A BudgetShown is the JSON form of a book.
type BudgetShown struct {
	Book   string         `json:"book"`
	Delta  float64        `json:"delta"`
	Runs   []BudgetRun    `json:"runs"`
	Totals []BudgetTotal  `json:"totals"` // by data set
	Limit  *report.Number `json:"limit"`  // the policy's total; null: it sets none
}

// ownTotal returns the total of the named policy or else of the one beside key. It returns nil if no policy is named and none lies
// beside key, or if the policy has no total.
func (q *BudgetQuestion) ownTotal(ctx context.Context, key string) (*policy.Total, error) {
	if _, err := os.Stat(policyBeside(key)); q.Policy == "" && err != nil {
		return nil, nil
	}
	own, err := OpenPolicy(ctx, q.Policy, key)
	if err != nil {
		return nil, err
	}
	return own.Total, nil
}

// Show writes the runs and the totals of the book beside a key.
func (q *BudgetQuestion) Show(ask form.Asker, keyFile string) error {
	key, err := identity.Load(keyFile)
	if err != nil {
		return err
	}
	path := budget.Beside(keyFile)
	if !budget.Exists(path) {
		return fault.New("there is no budget book at "+path, "hearsay federation sign and hearsay node begin it: nothing was charged to this key yet, or the book was lost")
	}
	limit, err := q.ownTotal(ask.Context, keyFile)
	if err != nil {
		return err
	}
	if q.Delta != 0 && !(q.Delta > 0 && q.Delta < 1) {
		return fault.New(fmt.Sprintf("--delta %g is no probability between 0 and 1", q.Delta), "give one such as 1e-5")
	}
	return form.Answer(ask, func() (shown *BudgetShown, err error) {
		b, err := budget.Open(path, key.Peer().String())
		if err != nil {
			return nil, err
		}
		return q.shown(b, path, limit), b.Close()
	})
}

// shown returns the runs and the totals of a book. Epsilons are at q.Delta, or else at the delta of limit, or else at the largest
// delta of the book.
func (q *BudgetQuestion) shown(b *budget.Book, path string, limit *policy.Total) *BudgetShown {
	s := &BudgetShown{Book: path, Delta: q.Delta, Runs: []BudgetRun{}}
	var since time.Time
	if limit != nil {
		since, s.Limit = limit.Since, new(report.Number)
		*s.Limit = report.Number(limit.Epsilon)
		if s.Delta == 0 {
			s.Delta = limit.Delta
		}
	}
	if q.Delta == 0 && s.Delta == 0 {
		for _, l := range b.Lines {
			s.Delta = max(s.Delta, l.One.Delta, l.All.Delta)
		}
	}
	names := []string{}
	for _, l := range b.Lines {
		r := BudgetRun{Federation: l.Federation, Spec: l.Spec, Signed: l.Signed, DataSet: l.DataSet, Table: l.Table, Unit: string(l.Unit), Status: string(l.Status), State: string(l.State), Allowed: l.Allowed,
			Epsilon: report.Number(l.One.At(s.Delta)), Everybody: report.Number(l.All.At(s.Delta))}
		if l.Over() {
			r.Used = &l.Used
		}
		s.Runs = append(s.Runs, r)
		names = append(names, l.DataSet)
	}
	for _, name := range each(names) {
		found := b.Standing(name, since, -1)
		s.Totals = append(s.Totals, BudgetTotal{name, len(found.Lines), found.Earlier, string(found.Unit), string(found.Status), report.Number(found.One.At(s.Delta)), report.Number(found.All.At(s.Delta))})
	}
	return s
}

// each returns the distinct names in order. "" is left out if there are others, because runs without a name count in the total
// of every name.
func each(names []string) (all []string) {
	seen := map[string]bool{}
	for _, name := range names {
		if name != "" && !seen[name] {
			all = append(all, name)
		}
		seen[name] = true
	}
	if len(all) == 0 {
		return []string{""}
	}
	return all
}

// Print writes the book for people.
func (s *BudgetShown) Print(w io.Writer) error {
	fmt.Fprintf(w, "Budget book %s\n\n", s.Book)
	if len(s.Runs) == 0 {
		_, err := fmt.Fprintln(w, "Nothing was charged yet.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "federation\tsigned\tdata set\ttable\tprotected\trun\tuses\tepsilon at delta %g\teverybody\tstatus\n", s.Delta)
	for _, r := range s.Runs {
		uses := fmt.Sprintf("%d, charged in full", r.Allowed)
		if r.Used != nil {
			uses = fmt.Sprintf("%d of %d", *r.Used, r.Allowed)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Federation, r.Signed.Format(time.DateOnly), dash(r.DataSet), dash(brief(r.Table)), r.Unit, r.State, uses, loss(r.Epsilon), loss(r.Everybody), r.Status)
	}
	t.Flush()
	for _, total := range s.Totals {
		fmt.Fprintf(w, "\n%s\n", s.words(total))
	}
	return nil
}

// words writes a total in sentences.
func (s *BudgetShown) words(t BudgetTotal) string {
	rows := "these rows"
	if t.DataSet != "" {
		rows = fmt.Sprintf("data set %s", t.DataSet)
	}
	runs := fmt.Sprintf("The %d runs on %s come", t.Runs, rows)
	if t.Runs == 1 {
		runs = fmt.Sprintf("The one run on %s comes", rows)
	}
	text := fmt.Sprintf("%s to epsilon %s (%s) at delta %g, about %s: towards one participant of each run, the one that learns most, all of these together. Towards everybody together it is %s.",
		runs, loss(t.Epsilon), t.Status, s.Delta, about(t.Unit), loss(t.Everybody))
	if t.Earlier > 0 {
		text += fmt.Sprintf(" %d earlier ones are not counted (total.since).", t.Earlier)
	}
	if s.Limit != nil {
		text += fmt.Sprintf(" The policy allows %g.", float64(*s.Limit))
	}
	return text
}

func about(unit string) string {
	if unit == "record" {
		return "a record"
	}
	return "all data of the participant"
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func brief(table string) string { return table[:min(len(table), 8)] }

// loss writes an epsilon, rounded up.
func loss(x report.Number) string { return report.Loss(float64(x), report.Sound) }

// opened returns the federation at path, a folder or a spec, as its owner's participant sees it, and the file of the owner's key.
func (q *BudgetQuestion) opened(ctx context.Context, path string) (*federation.Federation, string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, err := assembly.OpenFolder(path)
		if err != nil {
			return nil, "", err
		}
		g, err := folder.Gathering()
		if err != nil {
			return nil, "", err
		}
		f, err := g.OpenAs(ctx, folder.Own.Name)
		if q.Policy == "" {
			q.Policy = folder.Own.Policy
		}
		return f, folder.Own.Key, err
	}
	return q.ofSpec(ctx, path, q.Name)
}

// ofSpec returns the federation of a spec file as participant name sees it, and the file of the key.
func (q *BudgetQuestion) ofSpec(ctx context.Context, path, name string) (*federation.Federation, string, error) {
	if name == "" {
		return nil, "", fault.New("--name: is missing", "give the name of this participant in the spec, such as --name lyon")
	}
	s, err := form.LoadSpec(ctx, path)
	if err != nil {
		return nil, "", err
	}
	f, err := federation.Open(ctx, s, name)
	setDefault(&q.Key, name+".key")
	return f, q.Key, err
}

// A BudgetChecked holds the loss of a federation alone and together with the other runs of a book.
type BudgetChecked struct {
	Federation string                `json:"federation"`
	Epsilon    report.Number         `json:"epsilon"` // of the federation alone, at the delta of Others
	Status     string                `json:"status"`  // of that loss
	Others     *federation.OtherRuns `json:"other_runs"`
	Limit      *report.Number        `json:"limit"` // the policy's total; null: it sets none
}

// Print writes it for people.
func (c *BudgetChecked) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s by itself: epsilon %s (%s) at delta %g, towards the participant that learns most.\nOther runs on these rows: %s\n", c.Federation, loss(c.Epsilon), c.Status, c.Others.Delta, c.Others)
	if c.Limit != nil {
		fmt.Fprintf(w, "The policy allows %g in all.\n", float64(*c.Limit))
	}
	return nil
}

// Check shows the loss of a federation together with the runs in the book. It charges nothing. It returns an error if the policy
// refuses the plan.
func (q *BudgetQuestion) Check(ask form.Asker, path string) error {
	watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	ctx := experiment.Watching(ask.Context, watch)
	f, keyFile, err := q.opened(ctx, path)
	if err != nil {
		return err
	}
	own, err := OpenPolicy(ctx, q.Policy, keyFile)
	if err != nil {
		return err
	}
	plan, err := f.Plan(ctx, own.Sizes()...)
	if err != nil {
		return err
	}
	others, refusal := f.Weigh(plan, own, federation.Purse{Book: budget.Beside(keyFile), DataSet: q.DataSet})
	if others == nil {
		return refusal
	}
	one, _ := plan.Cost()
	c := &BudgetChecked{Federation: f.Spec.Title(), Epsilon: report.Number(one.At(others.Delta)), Status: string(plan.Status), Others: others}
	if t := own.Total; t != nil {
		c.Limit = new(report.Number)
		*c.Limit = report.Number(t.Epsilon)
	}
	if err := form.Answer(ask, func() (*BudgetChecked, error) { return c, nil }); err != nil {
		return err
	}
	return refusal
}

// A BudgetSettled holds the state and the charge of a run in the book.
type BudgetSettled struct {
	Federation string       `json:"federation"`
	State      budget.State `json:"state"`
	Used       int          `json:"used"`
	Allowed    int          `json:"allowed"`
}

// Print writes it for people.
func (s BudgetSettled) Print(w io.Writer) error {
	if s.State == budget.Begun {
		_, err := fmt.Fprintf(w, "%s has not ended: all of its plan stays charged\n", s.Federation)
		return err
	}
	_, err := fmt.Fprintf(w, "%s is %s: %d of %d uses of the data stay charged\n", s.Federation, s.State, s.Used, s.Allowed)
	return err
}

// Settle gives back the part of a charge that its run did not use. path is the folder of a node, or a signed spec that never
// began. A signed spec needs q.Close.
func (q *BudgetQuestion) Settle(ask form.Asker, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fault.Wrap(err, "cannot look at "+path, "give the folder that hearsay node wrote, or a spec that was signed")
	}
	node := info.IsDir()
	specFile, name := path, q.Name
	if node {
		specFile = filepath.Join(path, "spec.yaml")
		if name, err = federation.ParticipantOf(path); err != nil {
			return err
		}
	}
	watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	ctx := experiment.Watching(ask.Context, watch)
	f, keyFile, err := q.ofSpec(ctx, specFile, name)
	if err != nil {
		return err
	}
	key, err := identity.Load(keyFile)
	if err != nil {
		return err
	}
	if key.Peer() != f.Peer() {
		return fault.New(fmt.Sprintf("the key is that of %s, and the spec lists %s for %s", key.Peer(), f.Peer(), name), "give the key file of this participant with --key")
	}
	from := federation.Purse{Book: budget.Beside(keyFile), DataSet: q.DataSet}
	return form.Answer(ask, func() (s BudgetSettled, err error) {
		if node {
			line, err := f.Settle(ctx, path, from, q.Close, time.Now())
			return BudgetSettled{line.Federation, line.State, line.Used, line.Allowed}, err
		}
		if !q.Close {
			return s, fault.New(path+" has not begun, and what was signed stays charged", "hearsay budget settle "+textfile.Quoted(path)+" --name "+name+" --close gives it back, and no node goes on with it")
		}
		return BudgetSettled{Federation: f.Spec.Title(), State: budget.Closed}, f.GiveUp(from, time.Now())
	})
}
