package faults

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/hearsay-dp/hearsay/experiment"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/step"
)

// report is what a node has written at its end.
func (w *world) report(i int) (o federation.Outcome) {
	text, err := os.ReadFile(filepath.Join(w.folder(i), federation.ReportFile))
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err == nil && (o.Statement == nil || o.Model == nil || !o.Ended) {
		err = errors.New("it has not ended with a model and a statement")
	}
	if err != nil {
		w.t.Fatalf("report of %s: %v", w.names[i], err)
	}
	return o
}

// spent holds that no node has used its data more often than it may, and that
// its statement counts what its ledger holds.
func (w *world) spent() {
	for i := range w.names {
		if w.dead[i] {
			continue
		}
		s := w.report(i).Statement
		if s.Contributed > s.Contributions {
			w.t.Errorf("%s has contributed %d times, %d are allowed", w.names[i], s.Contributed, s.Contributions)
		}
		used := map[federation.Taking]bool{}
		for _, r := range w.rows(i) {
			if r.Contributed && r.From == step.NodeID(i) && (s.MostLate == 0 || r.To != r.From) {
				used[federation.Taking{Lane: r.Lane, Turn: r.Turn}] = true
			}
		}
		if len(used) > s.Contributed {
			w.t.Errorf("%s states %d contributions, its ledger holds %d", w.names[i], s.Contributed, len(used))
		}
	}
}

// open is the federation as node i sees it.
func (w *world) open(i int) *federation.Federation {
	s, err := experiment.Load(w.spec)
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := federation.Open(context.Background(), s, w.names[i])
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// model are the parameters that a node ended with.
func (w *world) model(i int) (theta []float64) {
	m := w.report(i).Model
	for _, name := range m.Features {
		theta = append(theta, float64(m.Coefficients[name]))
	}
	return theta
}

// sameModel holds that all ended with the same model, bit for bit.
func (w *world) sameModel() {
	for i := range w.names {
		if w.dead[i] {
			continue
		}
		if first, theta := w.model(0), w.model(i); len(theta) == 0 || !slices.Equal(first, theta) {
			w.t.Errorf("%s ended with %v, %s with %v", w.names[0], first, w.names[i], theta)
		}
	}
}

// keptMass holds that gossip has kept the sum of what went in: the mean of the
// rows that each participant trains on, and noise of the multiplier times a
// sensitivity of 4. At 8 standard deviations it fails by chance in less than one of 10^14 runs.
func (w *world) keptMass() {
	difference := make([]float64, len(w.model(0)))
	for i := range w.names {
		f := w.open(i)
		shard, err := f.Read(w.file(i, ".csv"), f.Spec.Data.Test.Share)
		if err != nil {
			w.t.Fatal(err)
		}
		rows, d := shard.Train.Rows(), shard.Train.Features
		for k, x := range shard.Train.X {
			difference[k%d] -= x / float64(rows)
		}
		for k, x := range w.model(i) {
			difference[k] += x
		}
	}
	for k, x := range difference {
		if !(math.Abs(x) < 8*4*w.noise()*math.Sqrt(float64(w.nodes))) {
			w.t.Errorf("the values' sum of feature %d has changed by %g", k, x)
		}
	}
}
