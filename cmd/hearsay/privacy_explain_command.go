package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/pair"
)

func newPrivacyExplainCommand() *cobra.Command {
	var q pair.Question
	cmd := &cobra.Command{
		Use:   "explain SPEC.yaml --about U --observer V",
		Short: "Say in words what one node could tell about another, why, and what would lower it",
		Long: `Explain puts the sound loss of one pair of nodes into words: as odds, with what
it takes for granted, the reasons for it, and what would lower it. The numbers
are bounds; where the spec asks for a published formula, it is mentioned as one.`,
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := pair.Explain(askerOf(cmd), args[0], &q)
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd, e)
			}
			return pair.PrintExplanation(cmd.OutOrStdout(), e)
		},
	}
	registerPairOfSpec(cmd, &q)
	return cmd
}
