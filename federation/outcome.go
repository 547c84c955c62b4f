package federation

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/internal/family"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// An Outcome holds the result of a run for one participant.
type Outcome struct {
	Name      string      `json:"name"`
	Ended     bool        `json:"ended"`              // this participant saw the run end
	EndedBy   string      `json:"ended_by,omitempty"` // participant from which it learnt of the end; itself if it took the last turn
	Disputed  bool        `json:"disputed,omitempty"` // another message contradicts the end: a participant deviates from the protocol
	Missed    int         `json:"missed,omitempty"`   // steps that this participant skipped because the others had gone on
	Behind    bool        `json:"behind,omitempty"`   // the last step is one of them
	Model     *Model      `json:"model,omitempty"`    // nil if only the last holder sees it, or before the end (not in gossip learning)
	Own       *Score      `json:"own_rows,omitempty"`
	Limited   []string    `json:"limited,omitempty"` // columns with values clipped to their range or filled in, and the number of rows left out; the statement may be handed out, and has none of these
	Status    node.Status `json:"status"`
	Statement *Statement  `json:"privacy"`
	Folder    string      `json:"folder"`

	Complete     bool         `json:"complete"`          // all participants took part to the end, as far as this one can know
	Missing      []string     `json:"missing,omitempty"` // names of those who did not
	Participants []Attendance `json:"participants"`      // to the current turn

	end   End                      // of the ledger
	there func(v step.NodeID) bool // family.Machine.There; nil where others wait
}

// A Model holds the contents of model.json of this participant.
type Model struct {
	*report.ModelFile
	Negative string `json:"negative,omitempty"` // label of the class -1 if there are two classes

	parameters []float64
}

// conclude writes the results of the run into the folder.
func (f *Federation) conclude(o *Options, p *Plan, shard *dataset.Shard, m family.Machine, status node.Status) (*Outcome, error) {
	outcome := &Outcome{Name: f.Name(), Ended: m.Over(), Status: status, Folder: o.Dir, there: m.There}
	if m.Missed != nil {
		outcome.Missed, outcome.Behind = m.Missed()
	}
	if err := f.stated(o, p, shard, outcome); err != nil {
		return nil, err
	}
	statement := outcome.Statement
	if outcome.Ended && m.Source != nil {
		from, disputed := m.Source()
		outcome.EndedBy, outcome.Disputed = f.Names[from], disputed
	}
	if parameters := m.Model(); parameters != nil && (outcome.Ended || f.everybodyHas()) {
		outcome.Model = f.model(parameters, outcome)
		if outcome.Own = f.score(outcome.Model, shard.Test); outcome.Own != nil && o.By != "" {
			outcome.Own.By, outcome.Own.Groups = o.By, f.byGroup(outcome.Model, shard.Test, o.By)
		}
	}
	facts, err := f.facts(o, outcome)
	if err != nil {
		return outcome, err
	}
	if err := statement.attest(o.Key, facts); err != nil {
		return outcome, err
	}
	page, err := f.page(outcome, shard)
	if err != nil {
		return outcome, err
	}
	if err := outcome.write(o.Dir, page); err != nil {
		return outcome, err
	}
	return outcome, overrun(statement.Contributed, p.Contributions)
}

// stated reads the ledger, which the node has closed. It sets the statement and the attendance of
// the outcome.
func (f *Federation) stated(o *Options, p *Plan, shard *dataset.Shard, outcome *Outcome) error {
	book, err := ledger.Open(filepath.Join(o.Dir, LedgerFile))
	if err != nil {
		return err
	}
	outcome.end = endOf(book.Head())
	if outcome.Statement, err = f.Statement(p, book, outcome.Ended); err == nil {
		f.giveBack(o, book, outcome)
		before, unread := f.earlier(o.Dir)
		if unread != nil {
			o.Log.Warn("the report of the start before cannot be read: who had seen the end before this start is not known", "error", unread)
		}
		outcome.Participants, err = f.attendance(book, outcome, before)
	}
	if err = errors.Join(err, book.Close()); err != nil {
		return err
	}
	outcome.Missing, _ = outcome.missing()
	outcome.Complete = len(outcome.Missing) == 0
	outcome.Limited = limited(shard, f.shape.Persons)
	return nil
}

// giveBack settles the budget book if the run has ended or the participant has left. If that fails, the charge stays and a warning is
// logged.
func (f *Federation) giveBack(o *Options, run *ledger.Ledger, outcome *Outcome) {
	state := budget.Begun
	if outcome.Ended || outcome.Statement.Left != nil {
		state = budget.Ended
	}
	others, err := f.settle(o, outcome.Statement, run, state)
	if err == nil {
		err = writeJSON(filepath.Join(o.Dir, OtherRunsFile), others)
	}
	if err != nil {
		o.Log.Warn("the budget book still has the whole plan", "error", err, "hint", "hearsay budget settle "+o.Dir+" gives back what was not used")
		others = ReadOtherRuns(o.Dir)
	}
	outcome.Statement.Others = others
}

// facts collects the facts of the run that the node signs.
func (f *Federation) facts(o *Options, outcome *Outcome) (Facts, error) {
	var first joined
	if err := readJSON(filepath.Join(o.Dir, joinedFile), &first); err != nil {
		return Facts{}, fault.Wrap(err, filepath.Join(o.Dir, joinedFile), "it says when this participant first joined; restore it from a copy")
	}
	s := outcome.Statement
	return Facts{Participant: f.Name(), Spec: fmt.Sprintf("%x", f.Hash), Joined: first.Joined, Sizes: append([]int{}, o.Policy.Sizes()...),
		Contributed: s.Contributed, Late: s.Late, Releases: s.Releases, Ended: outcome.Ended, Disputed: outcome.Disputed, Left: s.Left, Tables: s.Tables, Others: s.Others, Model: outcome.modelDigest(), Ledger: outcome.end}, nil
}

// recipe returns how to predict from rows in this participant's notation. The missing-value marks of its files are marks
// for hearsay predict too.
func (f *Federation) recipe() report.Recipe {
	recipe := f.setup.Recipe()
	if n := f.shape.Notation; !n.IsZero() {
		recipe.Table = &n
	}
	return recipe
}

// model returns the contents of this participant's model file. Its privacy claim is the loss spent
// according to the ledger. The file says so if the run has not ended.
func (f *Federation) model(parameters []float64, o *Outcome) *Model {
	s := o.Statement
	privacy := f.spentAs(s)
	file := report.NewModelFile(f.recipe(), &privacy, "sha256:"+hex.EncodeToString(f.Hash[:]), experiment.Version())
	file.Claim.Accountant = s.Accountant
	file.Parameters = file.Name(parameters)
	if !o.Ended {
		file.Unfinished(int64(o.Status.Turn), int64(o.Status.Turns), f.Name())
	}
	m := &Model{ModelFile: file, parameters: parameters}
	if len(m.Classes) == 2 {
		m.Negative = m.Classes[0]
	}
	return m
}

// write writes the files of the outcome into dir.
func (o *Outcome) write(dir string, page []byte) error {
	var text bytes.Buffer
	if err := o.Statement.Print(&text); err != nil {
		return err
	}
	files := []func() error{
		func() error { return writeFile(filepath.Join(dir, statementText), text.Bytes()) },
		func() error { return writeJSON(filepath.Join(dir, StatementFile), o.Statement) },
		func() error { return writeJSON(filepath.Join(dir, ReportFile), o) },
		func() error { return writeFile(filepath.Join(dir, PageFile), page) },
	}
	if o.Model != nil {
		files = append(files, func() error { return writeJSON(filepath.Join(dir, ModelFile), o.Model) }, func() error { return o.Model.writeTensors(dir) })
	}
	if o.Own != nil {
		files = append(files, func() error { return writeJSON(filepath.Join(dir, MetricsFile), o.Own) })
	}
	for _, write := range files {
		if err := write(); err != nil {
			return fault.Wrap(err, "cannot write the results to "+dir,
				"free some space; the ledger holds all that was released, and another start writes the results again")
		}
	}
	return nil
}

// everybodyHas reports whether every participant has its own model at all times, as in gossip learning.
func (f *Federation) everybodyHas() bool {
	_, learns := f.setup.Algorithm.(family.Leaver)
	return learns
}

// modelDigest returns the digest of the model's file, "" without a model.
func (o *Outcome) modelDigest() string {
	if o.Model == nil {
		return ""
	}
	text, err := indented(o.Model)
	if err != nil {
		return "" // the file cannot be written either
	}
	return modelDigest(text)
}

// Print writes the outcome as text.
func (o *Outcome) Print(w io.Writer) error {
	if err := o.Statement.Print(w); err != nil {
		return err
	}
	if o.Limited != nil {
		fmt.Fprintln(w, "\nOf its rows, which the statement leaves out:")
	}
	for _, line := range o.Limited {
		fmt.Fprintf(w, "  - %s\n", line)
	}
	if o.Disputed {
		fmt.Fprintf(w, "\n%s\n", o.dispute())
	}
	fmt.Fprintf(w, "\n%s\n%s", o.attended(), o.standing())
	if o.Model != nil {
		fmt.Fprintf(w, "%s The model is %s.", o.Own.words(), filepath.Join(o.Folder, ModelFile))
	}
	_, err := fmt.Fprintf(w, "\nIts page is %s.\n", filepath.Join(o.Folder, PageFile))
	return err
}

// dispute returns the warning that another message contradicts the end.
func (o *Outcome) dispute() string {
	return fmt.Sprintf("DISPUTED: %s said how the run ended, and somebody else contradicts. A participant does not keep to the protocol: do not use the model.", o.EndedBy)
}

// standing returns a sentence on the progress of the run.
func (o *Outcome) standing() string {
	switch {
	case !o.Ended:
		return fmt.Sprintf("The run has not ended: turn %d of %d.", o.Status.Turn, o.Status.Turns)
	case o.Model == nil:
		return fmt.Sprintf("The run has ended after %d turns. Its last model is shown to nobody but its last holder (privacy.release: none).", o.Status.Turns)
	}
	return fmt.Sprintf("The run has ended after %d turns.%s", o.Status.Turns, o.missedSteps())
}

// missedSteps returns a sentence on the steps that this participant skipped, "" if there are none.
func (o *Outcome) missedSteps() string {
	switch {
	case o.Missed == 0:
		return ""
	case o.Behind:
		return fmt.Sprintf(" %s skipped %s, because the others had gone on, the last one too: its model is older than that of the others. Ask one of them for model.json.", o.Name, steps(o.Missed))
	}
	return fmt.Sprintf(" %s skipped %s, because the others had gone on.", o.Name, steps(o.Missed))
}
