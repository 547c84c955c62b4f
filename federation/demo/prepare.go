package demo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// A cast is a scene with the files of its participants.
type cast struct {
	*scene
	spec  string // file of the spec
	tests string // file of rows that nobody trains on; "": each participant keeps some of its own
	dir   string
	apart bool           // each participant's files are in a folder of its own
	ports loopback.Ports // reserved for the nodes until all have ended
}

func (c *cast) file(name, end string) string {
	if c.apart {
		return filepath.Join(c.dir, name, name+end)
	}
	return filepath.Join(c.dir, name+end)
}

// Check returns an error for parameters that no demonstration supports.
func (c Config) Check() error {
	if c.Clinics == 0 {
		return nil
	}
	if c.Clinics < 4 || c.Clinics > len(towns) {
		return fault.New(fmt.Sprintf("a demonstration of %d nodes", c.Clinics), fmt.Sprintf("give 4 to %d", len(towns)))
	}
	if c.Steps < 50 || c.Steps > 1e6 {
		return fault.New(fmt.Sprintf("a demonstration of %d steps", c.Steps), "give 50 to 1000000")
	}
	return nil
}

// prepare writes keys, policies, data and the spec, and reserves a port for every node.
func prepare(c Config) (all *cast, err error) {
	if all, err = c.cast(); err != nil {
		return nil, err
	}
	all.spec = filepath.Join(c.Dir, "spec.yaml")
	if all.test != nil {
		all.tests = filepath.Join(c.Dir, "test.csv")
		if err := writeFile(all.tests, all.test); err != nil {
			return nil, err
		}
	}
	if all.ports, err = loopback.Hold(len(all.names)); err != nil {
		return nil, err
	}
	text, err := all.enlist(func(i int) string { return all.ports[i].Multiaddress() })
	if err == nil {
		err = write(all.spec, text)
	}
	if err != nil {
		_ = all.ports.Close()
	}
	return all, err
}

// Prepare writes one folder for each participant, with its key, policy, data and the spec. In the spec each participant listens on
// port 4100 of a machine with its name, as in deploy/compose.yaml. Prepare returns the names of the participants.
func Prepare(c Config) ([]string, error) {
	all, err := c.cast()
	if err != nil {
		return nil, err
	}
	all.apart = true
	for _, name := range all.names {
		if err := os.Mkdir(all.folder(name), 0o700); err != nil {
			return nil, err
		}
	}
	text, err := all.enlist(func(i int) string { return "/dns4/" + all.names[i] + "/tcp/4100" })
	for _, name := range all.names {
		err = errors.Join(err, write(filepath.Join(all.folder(name), "spec.yaml"), text))
	}
	return all.names, err
}

// cast returns the scene of c without any file.
func (c Config) cast() (*cast, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s, err := c.scene()
	return &cast{scene: s, dir: c.Dir}, err
}

// enlist writes the key, policy and data of each participant, and returns the text of the spec. address returns where participant i
// listens.
func (c *cast) enlist(address func(i int) string) (spec string, err error) {
	var list strings.Builder
	for i, name := range c.names {
		key, err := newKey(c.file(name, ".key"))
		if err != nil {
			return "", err
		}
		rows := func(w io.Writer) error { return c.data(w, i) }
		if err := errors.Join(writeFile(c.file(name, ".csv"), rows), write(c.file(name, ".policy.yaml"), accepted)); err != nil {
			return "", err
		}
		fmt.Fprintf(&list, "  - {name: %s, key: %s, addresses: [%s], rows: %d}\n", name, key, address(i), c.rows[i])
	}
	return c.scene.spec(list.String()), nil
}

// writeFile writes the output of rows to a file.
func writeFile(path string, rows func(w io.Writer) error) error {
	var text strings.Builder
	if err := rows(&text); err != nil {
		return err
	}
	return write(path, text.String())
}

// newKey creates a key file, or loads an existing one.
func newKey(path string) (identity.Peer, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		key, err := identity.Load(path)
		return key.Peer(), err
	}
	key, err := identity.Generate(rand.Reader)
	if err != nil {
		return identity.Peer{}, err
	}
	return key.Peer(), key.Save(path)
}

// accepted is the policy of every participant.
const accepted = `# What this participant accepts.
unit: record
delta: 1.0e-6
epsilon: {neighbours: 1, others: 1, coalitions: [{size: 2, epsilon: 1}], deviators: 1}
least: {sigma: 1}
models: [logistic]
`
