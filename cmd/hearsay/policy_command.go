package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newPolicyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "policy",
		Short: "Print a participant's policy with every key, to be edited",
		Args:  cobra.NoArgs,
		RunE:  answering(func() (nodes.ExampleFile, error) { return nodes.NewExamplePolicy(), nil }),
	}
}
