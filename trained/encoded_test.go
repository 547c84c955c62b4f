package trained_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
	"github.com/hearsay-dp/hearsay/trained"
)

// stripes are pictures of 8 by 8 pixels with upright or level stripes, anywhere: no linear rule of pixels tells them apart.
func stripes(rows int) string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(5, 6))
	b.WriteString("way")
	for p := range 64 {
		fmt.Fprintf(&b, ",p%02d", p)
	}
	b.WriteString("\n")
	for range rows {
		way, shift := rng.IntN(2), rng.Float64()*4
		b.WriteString([]string{"upright", "level"}[way])
		for p := range 64 {
			at := []int{p % 8, p / 8}[way]
			fmt.Fprintf(&b, ",%.3f", math.Sin(math.Pi/2*(float64(at)+shift))+0.3*rng.NormFloat64())
		}
		b.WriteString("\n")
	}
	return b.String()
}

const striped = `data: {source: csv, path: %s, target: way, classes: [upright, level], test: 0, scale: none, shape: [1, 8, 8], features: %s}
graph: complete:4
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: 60, step_size: 4, clip: 1, fill: false}
privacy: {sigma: 0.001, accountant: local, metric: {epsilon_at_delta: 1.0e-6}}
`

// Predictions from the file of a run on encoded rows are those of the run, and wavelets tell what pixels do not.
func TestEncodedRowsPredictAsTheyWereTrained(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "stripes.csv")
	write(t, path, []byte(stripes(200)))
	accuracy := map[string]float64{}
	for _, steps := range []string{"[]", "[{scatter: {scales: 1, angles: 4}}]", "[{project: 9}]", "[{sums: true}]", "[{scatter: {scales: 1, angles: 4}}, {project: 64}]"} {
		s, err := experiment.Parse(fmt.Appendf(nil, striped, path, steps), "spec.yaml")
		if err != nil {
			t.Fatal(err)
		}
		p, err := experiment.Prepare(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out")
		if err := report.WriteDir(t.Context(), out, b); err != nil {
			t.Fatal(err)
		}
		m, err := trained.Open(out, 0)
		if err != nil {
			t.Fatal(steps, err)
		}
		layout := m.Layout()
		sheet, err := layout.Read(strings.NewReader(stripes(200)), "stripes.csv")
		if err != nil {
			t.Fatal(err)
		}
		score := m.Score(sheet)
		if strings.Contains(steps, "9}") {
			p, err := m.Personalise(t.Context(), sheet, "stripes.csv", nil)
			if err != nil || p.File.Encoding == nil || p.File.Version != report.LaterVersion || len(p.File.Values) != len(m.Theta) {
				t.Errorf("at home, of encoded rows: %+v, %v", p, err)
			}
		}
		if want := float64(b.Result.Final.TrainLoss); math.Abs(score.Loss-want) > 1e-12*(1+want) {
			t.Errorf("%s: the loss is %g, and that of the run %g", steps, score.Loss, want)
		}
		accuracy[steps] = *score.Accuracy
		if _, err := m.ONNX(); (err == nil) != (steps == "[]") || err != nil && fault.Hint(err) == "" {
			t.Errorf("%s: ONNX: %v", steps, err)
		}
	}
	if accuracy["[{scatter: {scales: 1, angles: 4}}]"] < 0.95 || accuracy["[]"] > 0.8 {
		t.Errorf("shares of right answers are %v", accuracy)
	}
}

// A participant's rows are what a simulation makes of the same rows, whatever stands beside them.
func TestShardsAreEncodedAsSimulations(t *testing.T) {
	text := stripes(12)
	ranges := ""
	for p := range 64 {
		ranges += fmt.Sprintf("p%02d: [-2, 2], ", p)
	}
	s, err := experiment.Parse(fmt.Appendf(nil, strings.Replace(striped, "scale: none", "scale: ranges, normalise: unit, ranges: {"+ranges+"}", 1), "x.csv", "[{scatter: {scales: 1, angles: 4}}, {project: 9}]"), "spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shape := experiment.PublicShape(s)
	shard, err := shape.ReadShard(strings.NewReader(text), "all", 0, 1, step.NodeID(0))
	if err != nil {
		t.Fatal(err)
	}
	if shard.Train.Features != 9 || len(shard.Train.X) != 12*9 {
		t.Fatalf("rows have %d numbers", shard.Train.Features)
	}
	lines := strings.SplitAfter(text, "\n")
	for i := range 12 {
		one, err := shape.ReadShard(strings.NewReader(lines[0]+lines[i+1]), "one", 0, 1, step.NodeID(0))
		if err != nil {
			t.Fatal(err)
		}
		if !holds(shard.Train, one.Train.Row(0)) {
			t.Errorf("row %d alone becomes another one", i)
		}
	}
}

func holds(b dataset.Block, row []float64) bool {
	for i := range b.Rows() {
		same := true
		for j, v := range b.Row(i) {
			same = same && v == row[j]
		}
		if same {
			return true
		}
	}
	return false
}
