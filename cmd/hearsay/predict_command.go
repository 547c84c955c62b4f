package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/runs"
)

func newPredictCommand() *cobra.Command {
	var q runs.PredictQuestion
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
			return q.Predict(askerOf(cmd), args[0])
		},
	}
	cmd.Flags().StringVar(&q.Data, "data", "", "CSV table to predict for")
	cmd.Flags().StringVar(&q.Out, "out", "", "CSV file to write")
	cmd.Flags().StringArrayVar(&q.Keep, "keep", nil, "column of the table that is written beside the predictions, such as an id; repeatable")
	written(cmd, &q.Table)
	trialFlag(cmd, &q.Trial)
	mustHave(cmd, "data", "out")
	return cmd
}

// mustHave marks flags without a default as required.
func mustHave(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagRequired(flag); err != nil {
			panic(err)
		}
	}
}

// trialFlag adds the flag that chooses one of the models of a simulation.
func trialFlag(cmd *cobra.Command, trial *int) {
	cmd.Flags().IntVar(trial, "trial", 0, "number of the trial whose model is used")
}

func newModelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Take a trained model elsewhere, or look at a program that computes one",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelExportCommand(), newModelCheckCommand())
	return cmd
}

func newModelExportCommand() *cobra.Command {
	var q runs.ExportQuestion
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
		RunE:    func(cmd *cobra.Command, args []string) error { return q.Export(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Onnx, "onnx", "", "ONNX file to write")
	trialFlag(cmd, &q.Trial)
	mustHave(cmd, "onnx")
	return cmd
}
