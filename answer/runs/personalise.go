package runs

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/trained"
)

// A PersonaliseQuestion holds the settings of `hearsay personalise`.
type PersonaliseQuestion struct {
	Data, Out string
	Trial     int
	Table     textfile.Notation // how the table is written, if not as in training
}

// personalised is the answer of `hearsay personalise`.
type personalised struct {
	Model   string        `json:"model"` // the file
	Home    *report.Home  `json:"home"`
	Left    int           `json:"rows_left_out"`
	Parts   int           `json:"parts"` // number of tenths of the rows that the next three scores cover
	Joint   trained.Score `json:"joint"`
	Alone   trained.Score `json:"alone"`
	AtHome  trained.Score `json:"at_home"`
	Wins    int           `json:"parts_won"` // parts on which the model at home beats the joint one
	Advice  string        `json:"advice"`
	Charged bool          `json:"charged"`
	Notice  string        `json:"notice"`
}

// Personalise fits a joint model to one participant's own rows.
func (q *PersonaliseQuestion) Personalise(ask form.Asker, args []string) error {
	m, err := trained.Open(args[0], q.Trial)
	if err != nil {
		return err
	}
	if n := len(m.File.Trials); n > 1 && (ask.Given == nil || !ask.Given("trial")) {
		return fault.New(fmt.Sprintf("%s has the models of %d trials", trained.File(args[0]), n), fmt.Sprintf("choose one: --trial, from 0 to %d", n-1))
	}
	file := filepath.Join(q.Out, trained.FileName)
	if err := q.free(file); err != nil {
		return err
	}
	layout := m.Layout()
	layout.Notation = q.Table.Or(layout.Notation)
	sheet, err := layout.Open(q.Data)
	if err != nil {
		return err
	}
	live := terminal.NewLiveLine(ask.Stderr)
	p, err := form.Within(ask.Context, func() (*trained.Personal, error) {
		return m.Personalise(ask.Context, sheet, q.Data, func(done, total int) {
			live.Count(done, total, func() string { return fmt.Sprintf("%d of %d parts of the rows", done, total) })
		})
	})
	live.Wipe()
	if err != nil {
		return err
	}
	p.File.Hearsay = experiment.Version()
	if err := os.MkdirAll(q.Out, 0o700); err != nil {
		return fault.Wrap(err, "cannot make the folder "+q.Out, "choose a folder you may write to")
	}
	write := func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(p.File)
	}
	if err := writeOut(file, 0o600, write, q.Data, trained.File(args[0])); err != nil {
		return err
	}
	return ask.Show(&personalised{Model: file, Home: p.File.Home, Left: p.Left, Parts: p.Parts, Joint: p.Joint, Alone: p.Alone, AtHome: p.Home, Wins: p.Wins,
		Advice: p.Advice(), Charged: p.File.Charged, Notice: p.File.Notice})
}

// free returns an error if file exists and is not a personalised model.
func (q *PersonaliseQuestion) free(file string) error {
	if _, err := os.Lstat(file); err != nil {
		return nil
	}
	if there, err := trained.Open(file, 0); err != nil || there.File.Home == nil {
		return fault.New(file+" is there, and is no model of a home", "give another folder: --out home")
	}
	return nil
}

// Print writes the scores of the three models and the advice on which to use.
func (p *personalised) Print(w io.Writer) error {
	fmt.Fprintf(w, "%d rows were fitted", p.Home.Rows)
	if p.Left > 0 {
		fmt.Fprintf(w, ", %d left out: a value or the label is missing", p.Left)
	}
	fmt.Fprintf(w, ". On %d of them that no fit has seen (%d of 10 parts, in turn):\n", p.Joint.Rows, p.Parts)
	for _, line := range []struct {
		name string
		of   *trained.Score
	}{{"together", &p.Joint}, {"alone", &p.Alone}, {"at home", &p.AtHome}} {
		fmt.Fprintf(w, "  %-8s  %s\n", line.name, line.of)
	}
	_, err := fmt.Fprintf(w, "The joint model may have been trained on these very rows: its score may flatter it.\n%s\n%s: %s\n", p.Advice, p.Model, p.Notice)
	return err
}
