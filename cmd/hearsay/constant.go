package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/federation"
)

func newConstantCommand() *cobra.Command {
	var name, data, dir string
	cmd := &cobra.Command{
		Use:   "constant SPEC.yaml",
		Short: "Draw what a participant of a weighted walk shows of its data, once",
		Long: "Constant works out how fast the gradients of this participant's losses change,\n" +
			"draws a noisy value as the spec's algorithm.constants says, keeps it in the\n" +
			"folder and prints it. Asked again it prints the same value. Everybody's values go\n" +
			"into the spec, as constant: of each participant, before anybody starts a node.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSpec(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return answering(func() (shownConstant, error) {
				c, err := federation.ShowConstant(cmd.Context(), s, name, data, cmp.Or(dir, "hearsay-"+name))
				if err != nil {
					return shownConstant{}, err
				}
				return shownConstant{c}, nil
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&name, "name", "", "which participant of the spec this is")
	f.StringVar(&data, "data", "", "this participant's CSV file")
	f.StringVar(&dir, "dir", "", "folder of its ledger and results (default hearsay-NAME)")
	for _, required := range []string{"name", "data"} {
		_ = cmd.MarkFlagRequired(required) // fails only for a flag that is not there
	}
	return cmd
}

// shownConstant is what may be told of a constant: all of it.
type shownConstant struct{ *federation.Constant }

// print writes the value alone, so that a script can take it.
func (c shownConstant) print(w io.Writer) error {
	_, err := fmt.Fprintln(w, strconv.FormatFloat(c.Constant.Constant, 'g', -1, 64))
	return err
}
