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
	ports loopback.Ports // reserved for the nodes until all have ended
}

func (c *cast) file(name, end string) string { return filepath.Join(c.dir, name+end) }

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
	if err := c.Check(); err != nil {
		return nil, err
	}
	all = &cast{dir: c.Dir, spec: filepath.Join(c.Dir, "spec.yaml")}
	if all.scene, err = c.scene(); err != nil {
		return nil, err
	}
	if all.test != nil {
		all.tests = filepath.Join(c.Dir, "test.csv")
		if err := writeFile(all.tests, all.test); err != nil {
			return nil, err
		}
	}
	if all.ports, err = loopback.Hold(len(all.names)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = all.ports.Close()
		}
	}()
	var list strings.Builder
	for i, name := range all.names {
		key, err := newKey(all.file(name, ".key"))
		if err != nil {
			return nil, err
		}
		rows := func(w io.Writer) error { return all.data(w, i) }
		if err := errors.Join(writeFile(all.file(name, ".csv"), rows), write(all.file(name, ".policy.yaml"), accepted)); err != nil {
			return nil, err
		}
		fmt.Fprintf(&list, "  - {name: %s, key: %s, addresses: [%s], rows: %d}\n", name, key, all.ports[i].Multiaddress(), all.rows[i])
	}
	return all, write(all.spec, all.scene.spec(list.String()))
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
