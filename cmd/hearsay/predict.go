package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/trained"
)

func newPredictCommand() *cobra.Command {
	var data, out string
	var trial int
	cmd := &cobra.Command{
		Use:   "predict MODEL",
		Short: "Predict for the rows of a table with a trained model",
		Long: "Predict reads MODEL, the model.json of a result or of a participant or the\n" +
			"folder that holds it, and a CSV table whose columns have the names of those\n" +
			"that the model was trained on, in any order; others are ignored. It writes a\n" +
			"line for every row: the prediction, and of a classifier the probability of\n" +
			"every class. Rows with gaps are dealt with as in training: filled, left empty,\n" +
			"or refused. Where the label is a column too, it says how good the predictions\n" +
			"are. To use the model elsewhere: hearsay model export.",
		Example: "  hearsay predict out/ --data new.csv --out predictions.csv",
		Args:    argument("model"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return predict(cmd, args[0], data, out, trial)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "CSV table to predict for")
	cmd.Flags().StringVar(&out, "out", "", "CSV file to write")
	trialFlag(cmd, &trial)
	mustHave(cmd, "data", "out")
	return cmd
}

// mustHave marks flags that have no default.
func mustHave(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagRequired(flag); err != nil {
			panic(err)
		}
	}
}

// trialFlag chooses among the models of a simulation.
func trialFlag(cmd *cobra.Command, trial *int) {
	cmd.Flags().IntVar(trial, "trial", 0, "which trial's model, of a simulation with several")
}

// predicted is what predict has to say besides its file.
type predicted struct {
	Rows  int            `json:"rows"`
	Left  int            `json:"without_prediction"` // a value is missing
	Out   string         `json:"out"`
	Score *trained.Score `json:"score"` // null where the table has no labels
}

func predict(cmd *cobra.Command, path, data, out string, trial int) error {
	m, err := trained.Open(path, trial)
	if err != nil {
		return err
	}
	layout, stderr := m.Layout(), cmd.ErrOrStderr()
	sheet, err := layout.Open(data)
	if err != nil {
		return err
	}
	if len(m.File.Trials) > 1 {
		fmt.Fprintf(stderr, "note: the file has the models of %d trials; this is number %d\n", len(m.File.Trials), trial)
	}
	predictions := m.Predict(sheet)
	if err := writeOut(out, func(w io.Writer) error { return m.WriteCSV(w, sheet, predictions) }, data, trained.File(path)); err != nil {
		return err
	}
	said := &predicted{Rows: len(sheet.Place), Out: out, Score: m.Score(sheet)}
	for _, at := range sheet.Place {
		if at < 0 {
			said.Left++
		}
	}
	if said.Score != nil {
		fmt.Fprintln(stderr, said.Score)
	}
	if wantJSON(cmd) {
		return printJSON(cmd, said)
	}
	return said.Print(cmd.OutOrStdout())
}

func (p *predicted) Print(w io.Writer) error {
	text := fmt.Sprintf("%d rows, predictions in %s", p.Rows, p.Out)
	if p.Left > 0 {
		text = fmt.Sprintf("%d rows, of which %d have a missing value and no prediction; the others' are in %s", p.Rows, p.Left, p.Out)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func newModelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Take a trained model elsewhere",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelExportCommand())
	return cmd
}

func newModelExportCommand() *cobra.Command {
	var onnx string
	var trial int
	cmd := &cobra.Command{
		Use:   "export MODEL",
		Short: "Write a model as ONNX",
		Long: "Export writes the whole way from a row to a prediction as ONNX (opset 13): the\n" +
			"scaling, the model, and the probabilities. Its input \"features\" is a matrix of\n" +
			"doubles, a row for each example, with the columns that model.json lists under\n" +
			"features; text columns are a column of 0 and 1 for each category. What is\n" +
			"missing must be filled in before.",
		Example: "  hearsay model export out/ --onnx model.onnx",
		Args:    argument("model"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := trained.Open(args[0], trial)
			if err != nil {
				return err
			}
			text, err := m.ONNX()
			if err != nil {
				return err
			}
			if err := writeOut(onnx, func(w io.Writer) error { _, err := w.Write(text); return err }, trained.File(args[0])); err != nil {
				return err
			}
			said := &exported{Out: onnx, Bytes: len(text), Opset: trained.Opset}
			if wantJSON(cmd) {
				return printJSON(cmd, said)
			}
			return said.Print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&onnx, "onnx", "", "ONNX file to write")
	trialFlag(cmd, &trial)
	mustHave(cmd, "onnx")
	return cmd
}

// exported is what export has to say.
type exported struct {
	Out   string `json:"out"`
	Bytes int    `json:"bytes"`
	Opset int    `json:"opset"`
}

func (e *exported) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: ONNX, opset %d, %d bytes\n", e.Out, e.Opset, e.Bytes)
	return err
}

// writeOut writes a file that the user named, which must be none of the others.
func writeOut(path string, write func(io.Writer) error, others ...string) error {
	for _, other := range others {
		if same(path, other) {
			return fault.New(path+" is what is read", "give another file")
		}
	}
	err := regular.Write(path, 0o644, write)
	if err != nil && fault.Hint(err) == "" {
		err = fault.Wrap(err, "cannot write "+path, "check that the folder exists, is writable and has room; nothing was written")
	}
	return err
}

// same reports whether two paths are one file.
func same(path, other string) bool {
	a, errA := os.Stat(path)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
