package demo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math"
	randv2 "math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// rows is how many rows each participant holds, and how many are in the test
// file.
const rows = 400

// towns are the names of the participants.
var towns = strings.Fields("amiens brest calais dijon evry fougeres grenoble honfleur issoire juvisy kemper lyon metz nice " +
	"orleans paris quiberon rennes strasbourg tours uzes vannes wissant xaintrie yvetot zonza")

// A cast is who takes part and where their files are.
type cast struct {
	names []string
	spec  string
	test  string // rows that nobody trains on
	dir   string
	ports loopback.Ports // kept for the nodes until all have ended
}

func (c *cast) file(name, end string) string { return filepath.Join(c.dir, name+end) }

// Check refuses what cannot be shown.
func (c Config) Check() error {
	if c.Nodes < 4 || c.Nodes > len(towns) {
		return fault.New(fmt.Sprintf("a demonstration of %d nodes", c.Nodes), fmt.Sprintf("give 4 to %d", len(towns)))
	}
	if c.Steps < 50 || c.Steps > 1e6 {
		return fault.New(fmt.Sprintf("a demonstration of %d steps", c.Steps), "give 50 to 1000000")
	}
	return nil
}

// prepare makes keys, policies, data and the spec, and keeps a port for every
// node.
func prepare(c Config) (all *cast, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	all = &cast{names: towns[:c.Nodes], dir: c.Dir, spec: filepath.Join(c.Dir, "spec.yaml"), test: filepath.Join(c.Dir, "test.csv")}
	random := randv2.New(randv2.NewPCG(c.Seed, 0))
	if err := write(all.test, patients(random)); err != nil {
		return nil, err
	}
	if all.ports, err = loopback.Hold(c.Nodes); err != nil {
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
		if err := errors.Join(write(all.file(name, ".csv"), patients(random)), write(all.file(name, ".policy.yaml"), accepted)); err != nil {
			return nil, err
		}
		fmt.Fprintf(&list, "  - {name: %s, key: %s, addresses: [%s], rows: %d}\n", name, key, all.ports[i].Multiaddress(), rows)
	}
	return all, write(all.spec, specOf(c, list.String()))
}

// newKey makes a key file, or takes the one that is there.
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

// specOf is the spec: noise that leaves each patient epsilon 1 at delta 1e-6 towards
// everybody together, whatever the number of steps.
func specOf(c Config, participants string) string {
	graph := fmt.Sprintf("complete:%d", c.Nodes) // priced at once; a long ring takes a minute
	if k := math.Log2(float64(c.Nodes)); k == math.Trunc(k) {
		graph = fmt.Sprintf("hypercube:%g", k)
	}
	each := float64(c.Steps) / float64(c.Nodes)
	contributions := math.Ceil(each + 2*math.Sqrt(each))
	return fmt.Sprintf(`name: a demonstration of %d clinics
participants:
%sgraph: %s
data:
  source: csv
  target: state
  classes: [healthy, ill]
  ranges: {age: [18, 90], pressure: [80, 200], cholesterol: [100, 300]}
model: {kind: logistic, intercept: false}
algorithm: {kind: walk, steps: %d, step_size: %.4g, clip: 0.1, contributions: %g}
privacy: {unit: record, record_name: patient, sigma: %.4g, release: final}
federation: {linger: 5s}
`, c.Nodes, participants, graph, c.Steps, 40/float64(c.Steps), contributions, math.Sqrt(contributions)/0.236)
}

// patients is a CSV file of people, half of them ill.
func patients(r *randv2.Rand) string {
	var text strings.Builder
	text.WriteString("age,pressure,cholesterol,state\n")
	draw := func(mean, shift, spread, low, high float64) float64 {
		return min(high, max(low, mean+shift+spread*r.NormFloat64()))
	}
	for range rows {
		state, z := "healthy", -1.0
		if r.IntN(2) == 1 {
			state, z = "ill", 1
		}
		fmt.Fprintf(&text, "%.1f,%.1f,%.1f,%s\n", draw(54, 14*z, 12, 18, 90), draw(140, 18*z, 16, 80, 200), draw(200, 35*z, 30, 100, 300), state)
	}
	return text.String()
}
