package main

import (
	"crypto/rand"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/node/identity"
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
			return answering(func() (keyFile, error) { return makeKey(out) })(cmd, args)
		},
	}
	cmd.Flags().StringVar(&out, "out", "hearsay.key", "file for the key")
	cmd.AddCommand(&cobra.Command{
		Use:   "show FILE",
		Short: "Print the peer id of a key",
		Args:  argument("key file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answering(func() (keyFile, error) { return showKey(args[0]) })(cmd, args)
		},
	})
	return cmd
}

// keyFile is what may be told of a key.
type keyFile struct {
	Peer identity.Peer `json:"peer"`
	File string        `json:"file"`
}

func makeKey(path string) (keyFile, error) {
	key, err := identity.Generate(rand.Reader)
	if err != nil {
		return keyFile{}, err
	}
	return keyFile{key.Peer(), path}, key.Save(path)
}

func showKey(path string) (keyFile, error) {
	key, err := identity.Load(path)
	if err != nil {
		return keyFile{}, err
	}
	return keyFile{key.Peer(), path}, nil
}

// Print writes the id alone, so that a script can take it.
func (k keyFile) Print(w io.Writer) error {
	_, err := fmt.Fprintln(w, k.Peer)
	return err
}
