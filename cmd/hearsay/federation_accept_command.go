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
	f.StringVar(&flags.As, "as", "", "which of the names that were invited this is")
	f.StringVar(&flags.Data, "data", "", "this participant's CSV file")
	written(cmd, &flags.Table)
	f.StringArrayVar(&flags.Addresses, "address", nil, "where others reach its node: host:port or a multiaddress; repeatable; none: it dials the others")
	f.IntVar(&flags.Rows, "rows", 0, "say so many rows, where the file has more (default all)")
	f.StringVar(&flags.Dir, "dir", "", "the folder to make (default federation-NAME)")
	f.StringVar(&flags.Key, "key", "", "its key file, made if need be (default NAME.key in the folder)")
	program(cmd, &flags.Model)
	return cmd
}
