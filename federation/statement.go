package federation

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// A Statement holds the privacy losses of one participant, during or after a run. It gives the
// losses that the plan allowed before the participant joined, and the losses spent according to the
// ledger.
type Statement struct {
	*Plan
	Contributed int        `json:"contributed"`    // uses of the data that the ledger holds
	Late        int        `json:"late,omitempty"` // steps whose value may have left although others went on without it
	Releases    int64      `json:"releases"`       // values sent, contributions or not
	Spent       []Spent    `json:"spent"`
	Together    []Spent    `json:"spent_together"`         // by coalitions, in the plan's order
	SpentPublic *Spent     `json:"spent_public,omitempty"` // by the public; nil: the public is shown nothing, or not yet
	SpentLocal  float64    `json:"spent_local_epsilon"`    // towards everybody together
	Noise       Drawn      `json:"noise"`
	Tables      []string   `json:"tables,omitempty"`  // fingerprints of the tables that the node learnt from, oldest first (Fingerprint)
	Limited     []string   `json:"limited,omitempty"` // of statements of version 0.1, about rows: never written, and read so that their signatures hold
	Left        *Left      `json:"left,omitempty"`    // nil: the participant has not left the run
	Others      *OtherRuns `json:"other_runs"`        // on the same rows; nil: no budget book is known
	Alarm       string     `json:"alarm,omitempty"`   // set if more was spent than was allowed

	Attested  *Attested           `json:"facts,omitempty"`     // nil while the node runs
	Signature *identity.Signature `json:"signature,omitempty"` // by the node, of all other fields; nil while the node runs
}

// Spent holds an upper bound on the loss towards one observer, for example another participant.
type Spent struct {
	Name    string  `json:"name"`
	Allowed float64 `json:"allowed_epsilon"` // by the plan
	Epsilon float64 `json:"spent_epsilon"`   // the smaller of Allowed, more after a late value, and the local loss of the contributions made; the latter under an alarm

	Deviating float64 `json:"spent_epsilon_if_deviating"` // if this observer alone deviated: Epsilon, or the local loss of the contributions made
}

// Drawn describes the noise and its source.
type Drawn struct {
	Kind       string        `json:"kind"`
	Source     string        `json:"source"`
	Grid       string        `json:"grid"`
	Std        float64       `json:"std"` // per coordinate, before the step size
	Clip       float64       `json:"clip"`
	Multiplier float64       `json:"multiplier"` // with which noise is drawn
	Effective  float64       `json:"effective_multiplier"`
	ExtraDelta report.Number `json:"extra_delta"`
}

// Statement returns the plan with the losses spent according to the ledger. ended says that this participant saw the run
// end. Statement returns an error if the ledger fails verification or is known to lack releases.
func (f *Federation) Statement(p *Plan, l *ledger.Ledger, ended bool) (*Statement, error) {
	if err := cmp.Or(checkForgotten(l), l.Verify()); err != nil {
		return nil, err
	}
	used, err := f.usesOf(l)
	if err != nil {
		return nil, err
	}
	left, err := f.left(p, l, used)
	if err != nil {
		return nil, err
	}
	tables, err := l.Tables()
	if err != nil {
		return nil, err
	}
	s := f.Stating(p, used.count(), used.lates(), l.Head().Releases)
	s.Tables = known(tables)
	s.Settle(ended, left)
	return s, nil
}

// waits reports whether the public is to be shown models of the end, and the run has not ended.
func (s *Statement) waits() bool { return s.Public != nil && s.SpentPublic == nil }

// Settle sets what the end of the run, or of the participant's part in it, changes. The public is shown the models of the end. It
// has seen nothing before, and no number covers a model of an earlier turn. Later noise covers a participant that has left.
func (s *Statement) Settle(ended bool, left *Left) {
	if s.Left = left; s.SpentPublic == nil {
		return
	}
	if !ended {
		s.SpentPublic = nil
		return
	}
	if left != nil && left.Public != nil && s.Alarm == "" {
		s.SpentPublic.Epsilon = min(s.SpentPublic.Epsilon, left.Public.Epsilon)
	}
}

// Stating returns the statement for the given numbers of contributions, late values and releases under the plan
// p. If there are more contributions than the plan allows, every observer is charged the local loss
// of all of them.
func (f *Federation) Stating(p *Plan, contributed, late int, releases int64) *Statement {
	s := &Statement{Plan: p, Contributed: contributed, Late: late, Releases: releases, Noise: f.drawn()}
	after := p.after(late)
	s.SpentLocal = p.local(contributed, p.Sigma, p.Delta)
	overrun := overrun(contributed, p.Contributions)
	if overrun != nil {
		s.Alarm = fmt.Sprintf("%v; %s", overrun, fault.Hint(overrun))
	}
	spent := func(name string, size int, allowed, most float64) Spent {
		spent := Spent{Name: name, Allowed: allowed, Epsilon: s.SpentLocal, Deviating: s.SpentLocal}
		if overrun == nil {
			spent.Epsilon = min(most, s.SpentLocal)
		}
		if p.holds(size) {
			spent.Deviating = spent.Epsilon
		}
		return spent
	}
	for i, t := range p.Towards {
		s.Spent = append(s.Spent, spent(t.Name, 1, t.Epsilon, after.Towards[i].Epsilon))
	}
	for i, c := range p.Coalitions {
		s.Together = append(s.Together, spent(c.name(), c.Size, c.Epsilon, after.Coalitions[i].Epsilon))
	}
	if public := p.Public; public != nil {
		told := spent(ThePublic, 1, public.Epsilon, after.Public.Epsilon)
		told.Deviating = told.Epsilon
		for _, one := range s.Spent {
			told.Deviating = max(told.Deviating, one.Deviating)
		}
		s.SpentPublic = &told
	}
	return s
}

// overrun returns an error if contributed exceeds most.
func overrun(contributed, most int) error {
	if contributed <= most {
		return nil
	}
	return fault.New(fmt.Sprintf("the ledger holds %d contributions, and at most %d are allowed: more was spent than the plan says", contributed, most),
		"what the plan bounds does not hold: count what the statement says was spent, do not start this node again, and report it")
}

// sound returns an error if the ledger fails verification or holds more contributions than the run
// allows.
func (f *Federation) sound(l *ledger.Ledger) error {
	if err := l.Verify(); err != nil {
		return err
	}
	contributed, err := f.contributed(l)
	if err != nil {
		return err
	}
	return overrun(contributed, f.setup.Algorithm.Contributions())
}

func (f *Federation) drawn() Drawn {
	if kind := family.OffGrid(f.setup.Algorithm); kind != "" {
		return Drawn{Kind: kind, Source: "operating system, ChaCha8", Grid: "none", Std: f.Noise.Std, Multiplier: f.Noise.Nominal, Effective: f.Noise.Sigma,
			ExtraDelta: report.Number(f.Noise.ExtraDelta)}
	}
	kind := "exact discrete Gaussian (Canonne, Kamath and Steinke 2020)"
	if fresh := family.Fresh(f.setup.Algorithm); fresh > 0 {
		kind += fmt.Sprintf("; each draw has %.4g times the standard deviation, and part of the noise of earlier steps is subtracted, which together is worth independent noise of that deviation", fresh)
	}
	return Drawn{
		Kind: kind, Source: "operating system, ChaCha8",
		Grid: "power of two, 2^-29 to 2^-28 of the standard deviation",
		Std:  f.Noise.Std, Clip: f.Noise.Clip, Multiplier: f.Noise.Nominal, Effective: f.Noise.Sigma, ExtraDelta: report.Number(f.Noise.ExtraDelta),
	}
}

// contributed counts the uses of data that the releases of a ledger hold.
func (f *Federation) contributed(l *ledger.Ledger) (int, error) {
	u, err := f.usesOf(l)
	if err != nil {
		return 0, err
	}
	return u.count(), nil
}

// share returns the noise of turn t relative to that of a usual turn.
func (f *Federation) share(t step.Turn) float64 {
	if uneven, ok := f.setup.Algorithm.(family.Uneven); ok {
		return uneven.Share(t)
	}
	return 1
}

// nominal returns the drawn noise over this participant's own sensitivity.
func (f *Federation) nominal() float64 {
	if f.local().Noise.Relatives() == nil {
		return f.Noise.Nominal
	}
	return f.local().Noise.Std() / f.local().Noise.SensitivityOf(f.Self)
}

// protected returns a sentence that names the protected record, "" if no record is protected.
func (p *Plan) protected() string {
	if p.Record == "" {
		return ""
	}
	return fmt.Sprintf("Protected is %s, replaced by any other: %s learns from %d at least, which is public, and all its data together are not.\n",
		p.Record, p.Participant, p.Rows)
}

// Print writes the plan as text.
func (p *Plan) Print(w io.Writer) error {
	fmt.Fprintf(w, "What %s would lose by joining %q\n\n", p.Participant, p.Federation)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "towards\thops\tepsilon at delta %g\tif it deviates\n", p.Delta)
	for _, to := range p.Towards {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\n", to.Name, to.Hops, digits(to.Epsilon), digits(to.Deviating))
	}
	for _, c := range p.Coalitions {
		fmt.Fprintf(t, "%s\t\t%s\t%s\n", c.name(), digits(c.Epsilon), digits(c.Deviating))
	}
	if public := p.Public; public != nil {
		fmt.Fprintf(t, ThePublic+"\t\t%s\t%s\n", digits(public.Epsilon), digits(public.Deviating))
	}
	fmt.Fprintf(t, allTogether+"\t\t%s\t%s\n", digits(p.Local), digits(p.Local))
	t.Flush()
	if text := p.protected(); text != "" {
		fmt.Fprint(w, "\n"+text)
	}
	p.SeveralRows.print(w)
	p.terms(w)
	return nil
}

// terms writes the accountant, the noise and the assumptions behind the losses.
func (p *Plan) terms(w io.Writer) {
	fmt.Fprintf(w, "\nAccountant %s (%s): at most %d contributions in %d turns, noise multiplier %.6g, model %s.\n", p.Accountant, p.Status,
		p.Contributions, p.Turns, p.Sigma, p.Model)
	if p.MostLate > 0 {
		fmt.Fprintf(w, "If values of %d steps come late, after the others went on without %s, epsilon is at most %s towards any one other participant. "+
			"Policies are checked, and budget books charged, with that.\n", p.MostLate, p.Participant,
			digits(p.Accepted().worst(policy.Demand{Whom: policy.AnyCoalition, Size: 1, Delta: p.Delta}, p.Sigma)))
	}
	for _, l := range p.Limits {
		late := ""
		if p.MostLate > 0 {
			late = " if no value comes late"
		}
		fmt.Fprintf(w, "Limit of its own%s: %s.\n", late, l.Words(p.Accountant, report.Status(p.Status)))
	}
	fmt.Fprintln(w, "Assumptions:")
	for _, a := range p.Assumptions {
		fmt.Fprintf(w, "  - %s\n", a)
	}
}

// Print writes the statement as text.
func (s *Statement) Print(w io.Writer) error {
	fmt.Fprintf(w, "Privacy statement of %s in %q\n\n", s.Participant, s.Federation)
	if s.Alarm != "" {
		fmt.Fprintf(w, "ALARM: %s\n\n", s.Alarm)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "towards\thops\tallowed epsilon\tspent\tspent if it deviated\tat delta %g\n", s.Delta)
	for i, spent := range s.Spent {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", spent.Name, s.Towards[i].Hops, digits(spent.Allowed), digits(spent.Epsilon), digits(spent.Deviating))
	}
	all := s.Together
	if s.SpentPublic != nil {
		all = append(all[:len(all):len(all)], *s.SpentPublic)
	}
	for _, spent := range all {
		fmt.Fprintf(t, "%s\t\t%s\t%s\t%s\n", spent.Name, digits(spent.Allowed), digits(spent.Epsilon), digits(spent.Deviating))
	}
	if s.waits() {
		fmt.Fprintf(t, ThePublic+"\t\t%s\t–\t–\n", digits(s.Public.Epsilon))
	}
	fmt.Fprintf(t, allTogether+"\t\t%s\t%s\t%s\n", digits(s.Local), digits(s.SpentLocal), digits(s.SpentLocal))
	t.Flush()
	fmt.Fprint(w, "\n"+s.protected())
	if s.waits() {
		fmt.Fprintln(w, "The public is shown the models that the run ends with. Of a model of an earlier turn only the loss towards all others together is known.")
	}
	fmt.Fprintf(w, "The ledger holds %d releases with %d contributions of at most %d.\n", s.Releases, s.Contributed, s.Contributions)
	if s.Alarm == "" && s.Contributed > 0 && s.Contributed < s.Contributions {
		fmt.Fprintln(w, "Spent is an upper bound: the smaller of the loss of all contributions allowed and the loss of those made towards all others together.")
	}
	if s.Late > 0 {
		fmt.Fprintln(w, s.lateness())
	}
	if s.Left != nil {
		s.Left.Print(w, s.Status, s.Delta)
	}
	if a := s.Attested; a != nil {
		fmt.Fprintf(w, "It ends after %d entries, with hash %s. The node has signed that.\n", a.Ledger.Entries, a.Ledger.Hash)
	}
	fmt.Fprintf(w, "Noise: %s; %s; grid: %s.\n", s.Noise.Kind, s.Noise.Source, s.Noise.Grid)
	printTables(w, s.Tables)
	fmt.Fprintf(w, "Other runs on these rows: %s\n", s.Others)
	s.terms(w)
	return nil
}

// digits formats a loss, rounded up.
func digits(x float64) string { return report.Loss(x, report.Sound) }
