package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status [ADDRESS|DIR]",
		Short: "Ask a running node how it is",
		Long: "Status asks the health endpoint of a running node: by the address that it\n" +
			"logged, or by the folder of its ledger (the current one by default).",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where := "."
			if len(args) == 1 {
				where = args[0]
			}
			return nodes.AskStatus(askerOf(cmd), where)
		},
	}
}
