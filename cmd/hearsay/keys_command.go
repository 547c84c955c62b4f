package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newKeysCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Make the identity of a participant, or show one",
		Long: "Keys makes a new key, writes it to a file that only its owner can read, and\n" +
			"prints the peer id that goes into the federation's spec. It never replaces a key.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return answering(func() (nodes.KeyFile, error) { return nodes.MakeKey(out) })(cmd, args)
		},
	}
	cmd.Flags().StringVar(&out, "out", "hearsay.key", "file for the key")
	cmd.AddCommand(&cobra.Command{
		Use:   "show FILE",
		Short: "Print the peer id of a key",
		Args:  argument("key file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answering(func() (nodes.KeyFile, error) { return nodes.ShowKey(args[0]) })(cmd, args)
		},
	})
	return cmd
}
