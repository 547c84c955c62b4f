package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
)

// acceptFlags are what a participant brings.
type acceptFlags struct {
	as, data, key, dir string
	addresses          []string
	rows               int
}

func newFederationAccept() *cobra.Command {
	var flags acceptFlags
	cmd := &cobra.Command{
		Use:   "accept TEXT|FOLDER",
		Short: "Accept an invitation, with a key, addresses and a number of rows",
		Long: "Accept reads an invitation (a file, or - to paste it), makes a key and a folder, and\n" +
			"writes FOLDER/federation.txt, which goes back to whoever invites. The data file is\n" +
			"read to see that it has the columns that the terms name, and to count its rows:\n" +
			"the count is all that leaves of it, and where participants are protected whole not\n" +
			"even that. Who invites accepts too, with its folder in place of a text; who\n" +
			"accepts again in its folder corrects what it said before.",
		Example: "  hearsay federation accept federation.txt --as nice --data nice.csv --address hearsay.nice.example:4100",
		Args:    argument("text or folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, g, err := flags.folder(cmd, args[0])
			if err != nil {
				return err
			}
			if err := flags.accept(cmd, folder, g); err != nil {
				return err
			}
			return standing(cmd, folder, g)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.as, "as", "", "which of the names that were invited this is")
	f.StringVar(&flags.data, "data", "", "this participant's CSV file")
	f.StringArrayVar(&flags.addresses, "address", nil, "where others reach its node: host:port or a multiaddress; repeatable; none: it dials the others")
	f.IntVar(&flags.rows, "rows", 0, "say so many rows, where the file has more (default all)")
	f.StringVar(&flags.dir, "dir", "", "the folder to make (default federation-NAME)")
	f.StringVar(&flags.key, "key", "", "its key file, made if need be (default NAME.key in the folder)")
	mustHave(cmd, "data")
	return cmd
}

// folder is the participant's, which is made for a text.
func (a *acceptFlags) folder(cmd *cobra.Command, from string) (*assembly.Folder, *assembly.Gathering, error) {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		if a.as != "" || a.dir != "" || a.key != "" {
			return nil, nil, fault.New("a folder says already who this is, and which is its key", "leave --as, --dir and --key out, or give the text that was sent")
		}
		folder, err := assembly.OpenFolder(from)
		if err != nil {
			return nil, nil, err
		}
		g, err := folder.Gathering()
		return folder, g, err
	}
	text, err := readText(cmd.InOrStdin(), from)
	if err != nil {
		return nil, nil, err
	}
	g, err := form.Within(cmd.Context(), func() (*assembly.Gathering, error) { return assembly.Read(text) })
	if err != nil {
		return nil, nil, err
	}
	if err := g.Invited(a.as); err != nil {
		return nil, nil, err
	}
	if _, err := a.count(cmd, g); err != nil { // before anything is made
		return nil, nil, err
	}
	if _, err := assembly.Reach(a.addresses); err != nil {
		return nil, nil, err
	}
	setDefault(&a.dir, "federation-"+a.as)
	folder, err := assembly.NewFolder(a.dir, assembly.Own{Name: a.as, Key: a.key})
	return folder, g, err
}

// accept says what this participant brings.
func (a *acceptFlags) accept(cmd *cobra.Command, folder *assembly.Folder, g *assembly.Gathering) error {
	rows, err := a.count(cmd, g)
	if err != nil {
		return err
	}
	addresses, err := assembly.Reach(a.addresses)
	if err != nil {
		return err
	}
	key, err := ownKey(folder.Own.Key)
	if err != nil {
		return err
	}
	if err := g.Accept(key, folder.Own.Name, addresses, rows); err != nil {
		return err
	}
	said := "nothing, not even how many rows it has"
	if g.Records() {
		said = fmt.Sprintf("that it has %d rows, and the columns that the terms name", rows)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "of %s the others learn %s\n", a.data, said)
	folder.Own.Data = a.data
	return folder.SaveOwn()
}

// count is how many rows are said, 0 where that is protected. The file is read either way:
// it must have what the terms name.
func (a *acceptFlags) count(cmd *cobra.Command, g *assembly.Gathering) (int, error) {
	rows, err := form.Within(cmd.Context(), func() (int, error) { return g.Rows(a.data) })
	switch {
	case err != nil:
		return 0, err
	case a.rows < 0 || a.rows > rows:
		return 0, fault.New(fmt.Sprintf("--rows %d, and %s has %d", a.rows, a.data, rows), "say as many as it has, or fewer")
	case !g.Records() && a.rows != 0:
		return 0, fault.New("--rows, but how many rows a participant has is protected with all else of it", "leave --rows out")
	case !g.Records():
		return 0, nil
	case a.rows > 0:
		return a.rows, nil
	}
	return rows, nil
}
