package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
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
	cmd.AddCommand(newFederationNew(), newFederationInvite(), newFederationAccept(), newFederationAdd(), newFederationSign(), newFederationStatus(), newFederationLeave())
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
		RunE: func(cmd *cobra.Command, args []string) error { return nodes.Invite(askerOf(cmd), args) },
	}
}

func newFederationAdd() *cobra.Command {
	var q nodes.AddQuestion
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
		RunE: func(cmd *cobra.Command, args []string) error { return q.Add(askerOf(cmd), args) },
	}
	keepFlag(cmd, &q.Keep)
	return cmd
}

func keepFlag(cmd *cobra.Command, keep *[]string) {
	cmd.Flags().StringArrayVar(keep, "keep", nil, "NAME=KEY: which of two keys that accept under one name is that participant's")
}

func newFederationStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status FOLDER|TEXT",
		Short: "Who is missing, what to do next, and the spec in words",
		Long: "Status says who has accepted and signed, and what is to be done next. TEXT is a\n" +
			"federation.txt of anybody, or - for standard input. Once all have accepted it shows\n" +
			"the spec's hash as words: everybody who signs sees the same, or has another spec.",
		Args: argument("folder or text"),
		RunE: func(cmd *cobra.Command, args []string) error { return nodes.ShowStatus(askerOf(cmd), args) },
	}
}
