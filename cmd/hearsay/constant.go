package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/policy"
)

func newConstantCommand() *cobra.Command {
	var name, data, dir, accepts string
	cmd := &cobra.Command{
		Use:   "constant SPEC.yaml",
		Short: "Draw what a participant of a weighted walk shows of its data, once",
		Long: "Constant works out how fast the gradients of this participant's losses change,\n" +
			"draws a noisy value as the spec's algorithm.constants says, keeps it in the\n" +
			"folder and prints it. Asked again it prints the same value. Everybody's values go\n" +
			"into the spec, as constant: of each participant, before anybody starts a node.\n" +
			"What the value alone tells everybody is held against the policy, if there is one.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSpec(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return answering(func() (shownConstant, error) {
				own, err := policyOfConstant(cmd, name, accepts)
				if err != nil {
					return shownConstant{}, err
				}
				c, err := federation.ShowConstant(cmd.Context(), s, name, data, cmp.Or(dir, "hearsay-"+name), own)
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
	f.StringVar(&accepts, "policy", "", "what this participant accepts (default NAME.policy.yaml, if it is there)")
	for _, required := range []string{"name", "data"} {
		_ = cmd.MarkFlagRequired(required) // fails only for a flag that is not there
	}
	return cmd
}

// policyOfConstant is the policy that is named, or the one beside NAME.key; nil, which is
// said, where there is none.
func policyOfConstant(cmd *cobra.Command, name, given string) (*policy.Policy, error) {
	usual := policyBeside(name + ".key")
	if _, err := os.Stat(usual); given == "" && errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(cmd.ErrOrStderr(), "there is no policy at %s: nothing limits what is shown\n", usual)
		return nil, nil
	}
	return openPolicy(cmd.Context(), given, name+".key")
}

// shownConstant is what may be told of a constant: all of it.
type shownConstant struct{ *federation.Constant }

// Print writes the value alone, so that a script can take it.
func (c shownConstant) Print(w io.Writer) error {
	_, err := fmt.Fprintln(w, strconv.FormatFloat(c.Constant.Constant, 'g', -1, 64))
	return err
}
