package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/designs"
)

func newDesignCommand() *cobra.Command {
	var q designs.Question
	cmd := &cobra.Command{
		Use:   "design WISHES.yaml --out spec.yaml",
		Short: "Choose a plan that every policy accepts, from who trusts whom",
		Long: "Design reads what participants accept, who may exchange messages and share secrets with whom, the data\n" +
			"and the limits of a run. It prices plans of all families with the sound accountants, rehearses them on\n" +
			"rows that the report does not score on, writes the best one as a spec, and checks that spec against every\n" +
			"policy. If wishes contradict each other, it names the smallest set that does and what to change.\n\n" +
			"  hearsay design examples/design/hospitals.yaml --out out/spec.yaml",
		Args: argument("wishes file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Design(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Out, "out", "spec.yaml", "file for the spec; its edges are written beside it")
	return cmd
}
