package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/sweeps"
)

func newCompareCommand() *cobra.Command {
	var q sweeps.CompareQuestion
	cmd := &cobra.Command{
		Use:   "compare DIR DIR...",
		Short: "Put finished runs side by side: what differs in their specs, their scores and losses",
		Long: "Compare reads result.json of folders that hearsay run wrote and shows what their specs differ in,\n" +
			"what each came to, and which no other beats. With --out it writes the table and a page.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("hearsay compare takes two folders or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return q.Compare(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Out, "out", "", "folder for the table and the page")
	return cmd
}
