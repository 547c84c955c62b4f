package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// An ExampleFile is the text of a file with every key, to be edited.
type ExampleFile struct {
	Text string `json:"text"`
}

// NewExamplePolicy returns a policy with every key, to be edited.
func NewExamplePolicy() ExampleFile { return ExampleFile{policy.Example} }

// Print writes the text as it stands in a file.
func (f ExampleFile) Print(w io.Writer) error {
	_, err := io.WriteString(w, f.Text)
	return err
}

// OpenPolicy reads a participant's policy: the file given, or else the one beside its key. It returns an
// error if there is none, because nobody joins a run without a policy, and as soon as ctx ends.
func OpenPolicy(ctx context.Context, given, key string) (*policy.Policy, error) {
	path := given
	if path == "" {
		path = policyBeside(key)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("there is no policy at "+path+", and without one nothing is joined",
			fmt.Sprintf("hearsay policy > %s writes one with every key; edit what it accepts, then start again", path))
	}
	return form.Within(ctx, func() (*policy.Policy, error) { return policy.Load(path) })
}

// policyBeside returns the default path of the policy of a key: lyon.policy.yaml for lyon.key.
func policyBeside(key string) string {
	return strings.TrimSuffix(key, filepath.Ext(key)) + ".policy.yaml"
}
