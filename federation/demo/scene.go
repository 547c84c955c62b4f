package demo

import (
	"fmt"
	"io"
	randv2 "math/rand/v2"
	"strings"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// A scene describes the participants, their data and their spec.
type scene struct {
	names   []string
	rows    []int                          // of each participant
	turns   int                            // of the whole run
	data    func(w io.Writer, i int) error // writes the rows of participant i as a CSV file
	test    func(w io.Writer) error        // writes rows that nobody trains on; nil: each participant keeps some of its own
	spec    func(participants string) string
	hopping bool   // a token is at one node at a time; otherwise all take every turn
	about   string // summary in one sentence
}

// scene returns the scene that c selects.
func (c Config) scene() (*scene, error) {
	if c.Clinics > 0 {
		return clinics(c), nil
	}
	return hospitals(c.Heart)
}

// rounds and averaged are the steps of the hospitals, and the turns of averaging after each step.
const rounds, averaged = 20, 40

// hospitals returns the scene of examples/hospitals on this machine. It uses the patients of the
// heart disease study if path is a folder that has them. With an empty path it uses synthetic data
// of the same shape.
func hospitals(path string) (*scene, error) {
	o, err := dataset.Defaults("heart")
	if err != nil {
		return nil, err
	}
	o.Path = path
	table, err := dataset.Load(o)
	if err != nil {
		return nil, err
	}
	s := &scene{names: table.GroupNames, rows: make([]int, len(table.GroupNames)), turns: rounds * averaged,
		data:  func(w io.Writer, i int) error { return table.WriteGroup(w, i, nil) },
		about: fmt.Sprintf("%d hospitals learn from the heart disease data who is ill", len(table.GroupNames)),
	}
	if path == "" {
		s.about = fmt.Sprintf("%d hospitals learn who has heart disease, on a synthetic stand-in (hearsay data fetch heart brings the data)", len(table.GroupNames))
	}
	learnt := 0
	for _, g := range table.Groups {
		s.rows[g]++
	}
	for _, n := range s.rows {
		learnt = max(learnt, dataset.Learnt(n, kept))
	}
	s.spec = func(participants string) string { return hospitalSpec(participants, len(s.names), learnt) }
	return s, nil
}

// kept is the share of its rows that a hospital keeps for testing.
const kept = 0.2

// hospitalSpec returns the spec of examples/hospitals for at most learnt rows of training data.
func hospitalSpec(participants string, hospitals, learnt int) string {
	return fmt.Sprintf(`name: a demonstration of %d hospitals
participants:
%sgraph: ring:%d
data:
  source: csv
  target: num
  classes: [healthy, heart disease]
  ranges: {age: [35, 75], sex: [0, 1], cp: [2, 4], trestbps: [90, 170], chol: [0, 400], fbs: [-1, 1], restecg: [-2, 2], thalach: [100, 180], exang: [0, 1], oldpeak: [-2, 2]}
  normalise: none
  test: %g
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: %d, gossip_steps: %d, step_size: 0.7, clip: 1, weigh_rows: %d}
privacy: {unit: record, record_name: patient, accountant: local, calibrate: {max: 1}}
federation: {linger: 5s}
`, hospitals, participants, hospitals, kept, rounds, averaged, learnt)
}

// clinicRows is the number of rows of each clinic, and of the test file.
const clinicRows = 400

// towns lists the names of the clinics.
var towns = strings.Fields("amiens brest calais dijon evry fougeres grenoble honfleur issoire juvisy kemper lyon metz nice " +
	"orleans paris quiberon rennes strasbourg tours uzes vannes wissant xaintrie yvetot zonza")

// clinics returns the scene in which clinics pass a token around. Each has rows that are drawn for
// it.
func clinics(c Config) *scene {
	random := randv2.New(randv2.NewPCG(c.Seed, 0))
	test := patients(random)
	s := &scene{names: towns[:c.Clinics], turns: c.Steps, hopping: true,
		about: fmt.Sprintf("%d clinics hand a model around", c.Clinics),
		data:  func(w io.Writer, _ int) error { _, err := io.WriteString(w, patients(random)); return err },
		test:  func(w io.Writer) error { _, err := io.WriteString(w, test); return err },
		spec:  func(participants string) string { return clinicSpec(c, participants) },
	}
	for range s.names {
		s.rows = append(s.rows, clinicRows)
	}
	return s
}

// clinicSpec returns the clinics' spec. Its noise gives each patient epsilon 1 at delta 1e-6
// towards all others together, whatever the number of steps.
func clinicSpec(c Config, participants string) string {
	graph := fmt.Sprintf("complete:%d", c.Clinics) // priced quickly; a long ring takes a minute
	if k := math.Log2(float64(c.Clinics)); k == math.Trunc(k) {
		graph = fmt.Sprintf("hypercube:%g", k)
	}
	each := float64(c.Steps) / float64(c.Clinics)
	contributions := math.Ceil(each + float64(2*math.Sqrt(each)))
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
`, c.Clinics, participants, graph, c.Steps, 40/float64(c.Steps), contributions, math.Sqrt(contributions)/0.236)
}

// patients returns a CSV file of random persons, half of them ill.
func patients(r *randv2.Rand) string {
	var text strings.Builder
	text.WriteString("age,pressure,cholesterol,state\n")
	draw := func(mean, shift, spread, low, high float64) float64 {
		return min(high, max(low, mean+float64(shift)+float64(spread*step.Normal(r))))
	}
	for range clinicRows {
		state, z := "healthy", -1.0
		if r.IntN(2) == 1 {
			state, z = "ill", 1
		}
		fmt.Fprintf(&text, "%.1f,%.1f,%.1f,%s\n", draw(54, 14*z, 12, 18, 90), draw(140, 18*z, 16, 80, 200), draw(200, 35*z, 30, 100, 300), state)
	}
	return text.String()
}
