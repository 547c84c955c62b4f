package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// policyOfConstant returns the named policy, or the one beside NAME.key. It returns nil and notes so
// on Stderr if no policy is named and there is none beside the key.
func policyOfConstant(ask form.Asker, name, given string) (*policy.Policy, error) {
	usual := policyBeside(name + ".key")
	if _, err := os.Stat(usual); given == "" && errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(ask.Stderr, "there is no policy at %s: nothing limits what is shown\n", usual)
		return nil, nil
	}
	return OpenPolicy(ask.Context, given, name+".key")
}

// shownConstant is a constant as it is shown. All of its fields may be published.
type shownConstant struct{ *federation.Constant }

// Print writes the value alone, so that a script can take it.
func (c shownConstant) Print(w io.Writer) error {
	_, err := fmt.Fprintln(w, strconv.FormatFloat(c.Constant.Constant, 'g', -1, 64))
	return err
}

// A ConstantQuestion holds the settings of `hearsay constant`.
type ConstantQuestion struct {
	Name, Data, Dir, Accepts string
	Table                    textfile.Notation // how files are written, if not as the spec says
}

// Show draws the constant of a participant, once, and shows it.
func (q *ConstantQuestion) Show(ask form.Asker, args []string) error {
	s, err := form.LoadSpec(ask.Context, args[0])
	if err != nil {
		return err
	}
	return form.Answer(ask, func() (shownConstant, error) {
		own, err := policyOfConstant(ask, q.Name, q.Accepts)
		if err != nil {
			return shownConstant{}, err
		}
		c, err := federation.ShowConstant(ask.Context, s, q.Name, q.Data, q.Table, cmp.Or(q.Dir, "hearsay-"+q.Name), own)
		if err != nil {
			return shownConstant{}, err
		}
		return shownConstant{c}, nil
	})
}
