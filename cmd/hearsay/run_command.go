package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/runs"
)

func newRunCommand() *cobra.Command {
	var q runs.RunQuestion
	cmd := &cobra.Command{
		Use:   "run SPEC.yaml",
		Short: "Simulate a federation and say who learnt what about whom",
		Long: "Run simulates the spec's trials, accounts for the privacy of every pair and\n" +
			"prints a summary. With --out it writes result.json, metrics.csv, privacy.csv,\n" +
			"the model, the resolved spec and report.html.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Run(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Out, "out", "", "folder for the results and the page")
	cmd.Flags().BoolVar(&q.Scores, "scores", false, `say each score on stderr as it appears: a line of "score" and JSON, with trial, step, losses and accuracy`)
	settings(cmd, &q.Set)
	programs(cmd, &q.Model)
	registerCache(cmd, &q.Cache)
	return cmd
}
