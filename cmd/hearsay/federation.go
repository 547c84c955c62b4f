package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node/identity"
)

func newFederationCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "federation",
		Short: "Assemble a federation: invite, accept, sign the same spec",
		Long: "Federation brings participants together without anybody editing a spec by hand.\n" +
			"One invites, each accepts for itself with its key, its addresses and how many rows\n" +
			"it has, and all sign the same spec. What is sent are texts, in mails or as files:\n" +
			"each has a folder whose federation.txt holds all messages that it knows, and adds\n" +
			"those of others in any order. Status says who is missing and what to do next, and\n" +
			"shows the spec as words to compare on the telephone. Nodes of a spec that was\n" +
			"assembled so start when all have signed it.",
		Example: "  hearsay federation new heart --as lyon --target num --classes healthy,ill --range age=35:75\n" +
			"  hearsay federation invite heart nice paris brest         then send heart/federation.txt\n" +
			"  hearsay federation accept heart --data lyon.csv --address hearsay.lyon.example:4100\n" +
			"  hearsay federation accept federation.txt --as nice --data nice.csv     in Nice\n" +
			"  hearsay federation add heart nice.txt paris.txt brest.txt\n" +
			"  hearsay federation sign heart\n" +
			"  hearsay federation status heart",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFederationNew(), newFederationInvite(), newFederationAccept(), newFederationAdd(), newFederationSign(), newFederationStatus())
	return cmd
}

func newFederationInvite() *cobra.Command {
	return &cobra.Command{
		Use:   "invite FOLDER NAME...",
		Short: "Invite participants, by name, to the terms of a folder",
		Long: "Invite writes the invitation into FOLDER/federation.txt: a text to send to all who\n" +
			"are named. From then on the terms are as they are. They can be read, and changed,\n" +
			"in FOLDER/terms.yaml before.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("%s takes a folder and the names of those who are invited", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := assembly.OpenFolder(args[0])
			if err != nil {
				return err
			}
			g, err := folder.Invite(cmd.Context(), args[1:])
			if err != nil {
				return err
			}
			return standing(cmd, folder, g)
		},
	}
}

func newFederationAdd() *cobra.Command {
	var keep []string
	cmd := &cobra.Command{
		Use:   "add FOLDER TEXT...",
		Short: "Add what others have sent",
		Long: "Add takes the messages out of texts, files or - for standard input, in any order\n" +
			"and as often as you like. What is around them in a mail does no harm. Messages of\n" +
			"another federation, of nobody who was invited, or changed on the way are refused.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("%s takes a folder and the texts to add", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, g, err := gathered(cmd, args[0], args[1:], keep)
			if err != nil {
				return err
			}
			return standing(cmd, folder, g)
		},
	}
	keepFlag(cmd, &keep)
	return cmd
}

func keepFlag(cmd *cobra.Command, keep *[]string) {
	cmd.Flags().StringArrayVar(keep, "keep", nil, "NAME=KEY: which of two keys that accept under one name is that participant's")
}

// gathered opens a folder and adds texts to what it holds.
func gathered(cmd *cobra.Command, path string, texts, keep []string) (*assembly.Folder, *assembly.Gathering, error) {
	folder, err := assembly.OpenFolder(path)
	if err != nil {
		return nil, nil, err
	}
	g, err := folder.Gathering()
	if err != nil {
		return nil, nil, err
	}
	kept, err := keptKeys(keep)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range texts {
		text, err := readText(cmd.InOrStdin(), path)
		if err != nil {
			return nil, nil, err
		}
		if err := g.Add(text, kept); err != nil {
			return nil, nil, fault.Wrap(err, path, fault.Hint(err))
		}
	}
	return folder, g, nil
}

func keptKeys(flags []string) (map[string]identity.Peer, error) {
	kept := map[string]identity.Peer{}
	for _, flag := range flags {
		name, text, _ := strings.Cut(flag, "=")
		peer, err := identity.ParsePeer(text)
		if err != nil {
			return nil, fault.Wrap(err, "--keep "+name, fault.Hint(err))
		}
		kept[name] = peer
	}
	return kept, nil
}

// readText reads a text with messages: a file, standard input, or that of a folder.
func readText(stdin io.Reader, path string) ([]byte, error) {
	if path == "-" {
		text, err := io.ReadAll(io.LimitReader(stdin, assembly.MostText+1))
		if err != nil {
			return nil, fault.Wrap(err, "standard input", "paste the text, or give it as a file")
		}
		return text, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, assembly.TextFile)
	}
	text, err := regular.Read(path, assembly.MostText)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the text", "give a file with what was sent, or - to paste it")
	}
	return text, nil
}

// standing keeps what a folder has come to and says it.
func standing(cmd *cobra.Command, folder *assembly.Folder, g *assembly.Gathering) error {
	hash, err := hashOf(cmd, g)
	if kept := folder.Keep(g, hash); err == nil { // what was said is kept, also where no spec comes of it yet
		err = kept
	}
	if err != nil {
		return err
	}
	return answering(func() (*assembly.Status, error) { return g.Status(hash, &folder.Own), nil })(cmd, nil)
}

// hashOf is the hash of the spec, nil while somebody has not accepted.
func hashOf(cmd *cobra.Command, g *assembly.Gathering) (*assembly.ID, error) {
	if len(g.Silent()) > 0 {
		return nil, nil
	}
	watch, err := form.Cache("").Plain(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	f, err := g.Open(experiment.Watching(cmd.Context(), watch))
	if err != nil {
		return nil, err
	}
	hash := assembly.ID(f.Hash)
	return &hash, nil
}

func newFederationStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status FOLDER|TEXT",
		Short: "Who is missing, what to do next, and the spec in words",
		Long: "Status says who has accepted and signed, and what is to be done next. TEXT is a\n" +
			"federation.txt of anybody, or - for standard input. Once all have accepted it shows\n" +
			"the spec's hash as words: everybody who signs sees the same, or has another spec.",
		Args: argument("folder or text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, own, err := looked(cmd, args[0])
			if err != nil {
				return err
			}
			hash, err := hashOf(cmd, g)
			if cmd.Context().Err() != nil {
				return err
			}
			status := g.Status(hash, own)
			if err != nil {
				status.Problem = err.Error() + "; " + fault.Hint(err)
			}
			return answering(func() (*assembly.Status, error) { return status, nil })(cmd, nil)
		},
	}
}

// looked reads a folder, or a text of which nobody is the owner.
func looked(cmd *cobra.Command, path string) (*assembly.Gathering, *assembly.Own, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, err := assembly.OpenFolder(path)
		if err != nil {
			return nil, nil, err
		}
		g, err := folder.Gathering()
		return g, &folder.Own, err
	}
	text, err := readText(cmd.InOrStdin(), path)
	if err != nil {
		return nil, nil, err
	}
	g, err := form.Within(cmd.Context(), func() (*assembly.Gathering, error) { return assembly.Read(text) })
	return g, nil, err
}

// ownKey is the key of a file, which is made where there is none.
func ownKey(path string) (identity.Key, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := makeKey(path); err != nil {
			return identity.Key{}, err
		}
	}
	return identity.Load(path)
}
