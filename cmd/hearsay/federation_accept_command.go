package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newFederationAccept() *cobra.Command {
	var flags nodes.AcceptQuestion
	cmd := &cobra.Command{
		Use:   "accept TEXT|FOLDER",
		Short: "Accept an invitation, with a key, addresses and a number of rows",
		Long: "Accept reads an invitation (a file, or - to paste it), makes a key and a folder, and\n" +
			"writes FOLDER/federation.txt, which goes back to whoever invites. The data file is\n" +
			"read to see that it has the columns that the terms name, and to count its rows:\n" +
			"the count is all that leaves of it, and where participants are protected whole not\n" +
			"even that. Of an external model the program is started instead of a file being\n" +
			"read (--model). Who invites accepts too, with its folder in place of a text; who\n" +
			"accepts again in its folder corrects what it said before.",
		Example: "  hearsay federation accept federation.txt --as nice --data nice.csv --address hearsay.nice.example:4100",
		Args:    argument("text or folder"),
		RunE:    func(cmd *cobra.Command, args []string) error { return flags.Run(askerOf(cmd), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.As, "as", "", "name of this participant, as in the invitation")
	f.StringVar(&flags.Data, "data", "", "this participant's CSV file")
	written(cmd, &flags.Table)
	f.StringArrayVar(&flags.Addresses, "address", nil, "address at which others reach this node: host:port or a multiaddress; repeatable; without one this node dials the others")
	f.IntVar(&flags.Rows, "rows", 0, "number of rows to declare, at most those of the file (default all)")
	f.StringVar(&flags.Dir, "dir", "", "the folder to make (default federation-NAME)")
	f.StringVar(&flags.Key, "key", "", "key file of this participant; a missing one is made (default NAME.key in the folder)")
	program(cmd, &flags.Model)
	return cmd
}
