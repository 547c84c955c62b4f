package faults

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"math"
	randv2 "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/report"
)

// A script says what a federation is to do.
type script struct {
	nodes   int
	graph   string                                         // "": a ring
	gossip  bool                                           // average the participants' means instead of walking
	what    string                                         // instead of a walk or gossip: what the spec says below the participants
	apart   bool                                           // with what: everybody takes all turns and ends with a model of its own
	sums    bool                                           // one node sums what others answer: everybody takes the turns that it is drawn in
	shows   bool                                           // with what: participants show constants before they start
	tokens  int                                            // that walk at once; 0: one
	steps   int                                            // turns of the walk, of each token, rounds of gossip
	options string                                         // what the spec's federation: says besides linger
	priced  bool                                           // a walk by the accountant of its pairs, which takes a start longer
	limit   time.Duration                                  // the spec's deadline; 0: 30 minutes
	linger  time.Duration                                  // 0: 5 s
	reach   reach                                          // nil: TCP on the loopback interface
	wrap    func(i int, command []string) []string         // the command line of a node; nil: as it is
	status  func(w *world, i int) (text string, err error) // nil: over the loopback interface
}

// reach says at which multiaddress node i is reached, and on which it listens, ""
// for the same, given a port that is kept for it.
type reach func(i int, held *loopback.Port) (spec, listen string)

// noise is the noise multiplier of gossip: so little that the sum of what went in
// can be read off the sum of what came out, and enough for the grid that it lies
// on, which must hold what so many rounds could make of it.
func (s *script) noise() float64 {
	if s.steps > 100 {
		return 1e-3
	}
	return 1e-4
}

// newWorld writes keys, policies, data and the spec of a federation, without
// starting anybody.
func newWorld(t testing.TB, s script) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "hearsay-faults")
	if err != nil {
		t.Fatal(err)
	}
	if s.graph == "" {
		s.graph = fmt.Sprintf("ring:%d", s.nodes)
	}
	if s.linger == 0 {
		s.linger = 5 * time.Second
	}
	if s.limit == 0 {
		s.limit = 30 * time.Minute
	}
	if s.reach == nil {
		s.reach = func(_ int, held *loopback.Port) (string, string) { return held.Multiaddress(), "" }
	}
	w := &world{script: s, t: t, dir: dir, dead: map[int]bool{}}
	if w.ports, err = loopback.Hold(s.nodes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	var list []string
	for i := range s.nodes {
		name := fmt.Sprintf("n%02d", i)
		w.names = append(w.names, name)
		address, listen := s.reach(i, w.ports[i])
		w.listen = append(w.listen, listen)
		list = append(list, fmt.Sprintf("name: %s, key: %s, addresses: [%s]", name, w.newKey(name), address))
		w.write(w.file(i, ".csv"), people(uint64(i)))
		w.write(w.file(i, ".policy.yaml"), "delta: 1.0e-6\nepsilon: {neighbours: 1.0e+15, others: 1.0e+15}\n")
	}
	w.spec = filepath.Join(dir, "spec.yaml")
	w.write(w.spec, s.text(list))
	if s.shows {
		w.show(list)
	}
	return w
}

func (w *world) write(path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// newKey makes the key file of a participant.
func (w *world) newKey(name string) identity.Peer {
	key, err := identity.Generate(rand.Reader)
	if err == nil {
		err = key.Save(filepath.Join(w.dir, name+".key"))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.keys = append(w.keys, key)
	return key.Peer()
}

// text is the spec. Its deadline ends nodes that a test could not end.
func (s *script) text(participants []string) string {
	const walk = `data: {source: csv, target: state, classes: [healthy, ill], ranges: {age: [18, 90], pressure: [80, 200]}}
model: {kind: logistic, intercept: false}
algorithm: {kind: walk, steps: %d, step_size: 0.1, clip: 0.1, contributions: %d}
privacy: {sigma: 3, release: final, accountant: %s}
`
	const gossip = `data: {source: csv, normalise: none, ranges: {age: [18, 90], pressure: [80, 200]}}
model: {kind: mean}
algorithm: {kind: gossip, steps: %d, clip: 2}
privacy: {sigma: %g}
`
	each, accountant := float64(s.steps)/float64(s.nodes), report.LocalAccountant
	if s.priced {
		accountant = "sound"
	}
	what := fmt.Sprintf(walk, s.steps, max(1, s.tokens)*int(math.Ceil(each+2*math.Sqrt(each))), accountant)
	if s.tokens > 1 {
		what = strings.Replace(what, "kind: walk,", fmt.Sprintf("kind: walk, tokens: %d, skip: 0.1,", s.tokens), 1)
	}
	if s.gossip {
		what = fmt.Sprintf(gossip, s.steps, s.noise())
	}
	what = cmp.Or(s.what, what)
	more := ""
	if s.options != "" {
		more = ", " + s.options
	}
	return fmt.Sprintf("name: faults\nparticipants:\n  - {%s}\ngraph: %s\n%sfederation: {linger: %v, deadline: %v%s}\n",
		strings.Join(participants, "}\n  - {"), s.graph, what, s.linger, s.limit, more)
}

// people is a CSV file of 60 people within the spec's ranges, half of them ill.
func people(seed uint64) string {
	r := randv2.New(randv2.NewPCG(seed, 1))
	var text strings.Builder
	text.WriteString("age,pressure,state\n")
	for i := range 60 {
		state, z := "healthy", -1.0
		if i%2 == 1 {
			state, z = "ill", 1
		}
		fmt.Fprintf(&text, "%.1f,%.1f,%s\n", 54+15*z+10*r.Float64(), 140+20*z+20*r.Float64(), state)
	}
	return text.String()
}
