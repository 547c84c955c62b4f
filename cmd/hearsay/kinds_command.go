package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/tables"
)

func newKindsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "kinds",
		Short: "List the algorithms, their accountants and their own keys",
		Long: "Kinds lists every value of algorithm.kind: whether it reads a graph, whether real nodes run it,\n" +
			"the accountants that may price it with the status of their numbers, the one to rely on first,\n" +
			"and the keys that only its family has, as they are in a spec that gives none of them.",
		Example: "  hearsay kinds\n  hearsay kinds --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return tables.Kinds(askerOf(cmd)) },
	}
}
