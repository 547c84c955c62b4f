package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/runs"
)

func newModelCheckCommand() *cobra.Command {
	var q runs.CheckQuestion
	cmd := &cobra.Command{
		Use:   "check --model PROGRAM",
		Short: "Probe a program and print what a spec says of it",
		Long: "Check starts a program that computes an external model, asks for gradients of the same rows\n" +
			"in different company, and prints the block of the spec that names its model. It fails where\n" +
			"a row's gradient depends on other rows, on what came before, or on chance.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return q.Check(askerOf(cmd)) },
	}
	program(cmd, &q.Model)
	cmd.Flags().IntVar(&q.Rows, "rows", 64, "how many rows are probed")
	cmd.Flags().IntVar(&q.Isolated, "isolated", 0, "how many of these are computed once more, each in a process that has seen no other row: for an auditor")
	cmd.Flags().Uint64Var(&q.Seed, "seed", 1, "of which rows, and at which parameters")
	return cmd
}
