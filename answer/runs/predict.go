package runs

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/trained"
)

// predicted is the answer of `hearsay predict`, besides its file.
type predicted struct {
	Rows  int            `json:"rows"`
	Left  int            `json:"without_prediction"` // rows with a missing value
	Out   string         `json:"out"`
	Score *trained.Score `json:"score"` // null if the table has no labels
}

// A PredictQuestion holds the settings of `hearsay predict`.
type PredictQuestion struct {
	Data, Out string
	Trial     int
	Keep      []string          // columns of the table that are copied beside the predictions
	Table     textfile.Notation // how the table is written, if not as in training
}

// Predict writes the predictions of the model at path for the rows of a table.
func (q *PredictQuestion) Predict(ask form.Asker, path string) error {
	m, err := trained.Open(path, q.Trial)
	if err != nil {
		return err
	}
	layout, stderr := m.Layout(), ask.Stderr
	layout.Keep, layout.Notation = q.Keep, q.Table.Or(layout.Notation)
	sheet, err := layout.Open(q.Data)
	if err != nil {
		return err
	}
	if len(m.File.Trials) > 1 {
		fmt.Fprintf(stderr, "note: the file has the models of %d trials; this is number %d\n", len(m.File.Trials), q.Trial)
	}
	if m.File.Home != nil || m.File.Incomplete() {
		fmt.Fprintln(stderr, "note: "+m.File.Notice)
	}
	predictions := m.Predict(sheet)
	if err := writeOut(q.Out, 0o644, func(w io.Writer) error { return m.WriteCSV(w, sheet, predictions, q.Keep) }, q.Data, trained.File(path)); err != nil {
		return err
	}
	said := &predicted{Rows: len(sheet.Place), Out: q.Out, Score: m.Score(sheet)}
	for _, at := range sheet.Place {
		if at < 0 {
			said.Left++
		}
	}
	if said.Score != nil {
		fmt.Fprintln(stderr, said.Score)
	}
	if ask.JSON {
		return ask.Value(said)
	}
	return said.Print(ask.Stdout)
}

// Print writes how many rows were predicted, and where they are.
func (p *predicted) Print(w io.Writer) error {
	text := fmt.Sprintf("%d rows, predictions in %s", p.Rows, p.Out)
	if p.Left > 0 {
		text = fmt.Sprintf("%d rows, of which %d have a missing value and no prediction; the others' are in %s", p.Rows, p.Left, p.Out)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// exported is the answer of `hearsay model export`.
type exported struct {
	Out   string `json:"out"`
	Bytes int    `json:"bytes"`
	Opset int    `json:"opset"`
}

// Print writes where the exported model is, and its size.
func (e *exported) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: ONNX, opset %d, %d bytes\n", e.Out, e.Opset, e.Bytes)
	return err
}

// writeOut writes the file at path. It returns an error if path is one of others, the files that are read.
func writeOut(path string, mode fs.FileMode, write func(io.Writer) error, others ...string) error {
	for _, other := range others {
		if same(path, other) {
			return fault.New(path+" is what is read", "give another file")
		}
	}
	err := regular.Write(path, mode, write)
	if err != nil && fault.Hint(err) == "" {
		err = fault.Wrap(err, "cannot write "+path, "check that the folder exists, is writable and has room; nothing was written")
	}
	return err
}

// same reports whether two paths name the same file.
func same(path, other string) bool {
	a, errA := os.Stat(path)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// An ExportQuestion holds the settings of `hearsay model export`.
type ExportQuestion struct {
	Onnx  string
	Trial int
}

// Export writes a model as ONNX.
func (q *ExportQuestion) Export(ask form.Asker, args []string) error {
	m, err := trained.Open(args[0], q.Trial)
	if err != nil {
		return err
	}
	text, err := m.ONNX()
	if err != nil {
		return err
	}
	if err := writeOut(q.Onnx, 0o644, func(w io.Writer) error { _, err := w.Write(text); return err }, trained.File(args[0])); err != nil {
		return err
	}
	said := &exported{Out: q.Onnx, Bytes: len(text), Opset: trained.Opset}
	if ask.JSON {
		return ask.Value(said)
	}
	return said.Print(ask.Stdout)
}
