package federation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// bars are pictures of 8 x 8 pixels with a bar that lies or stands.
func bars(seed uint64) string {
	random, text := rand.New(rand.NewPCG(seed, 2)), "bar"
	for k := range 64 {
		text += fmt.Sprintf(",r%dc%d", k/8, k%8)
	}
	for i := range 60 {
		text += "\n" + []string{"lies", "stands"}[i%2]
		at := random.IntN(8)
		for k := range 64 {
			value := 0.2 * random.Float64()
			if place := []int{k / 8, k % 8}[i%2]; place == at {
				value = 1
			}
			text += fmt.Sprintf(",%.3f", value)
		}
	}
	return text + "\n"
}

// TestFourLearnFromFeaturesOfPictures lets four participants learn over the network from features that each computes of its own
// pictures. The model says how rows are encoded, and is right about rows that nobody learnt from.
func TestFourLearnFromFeaturesOfPictures(t *testing.T) {
	s := newStageOf(t, []string{"lyon", "nice", "paris", "brest"}, "complete:4", `seed: 2
data: {source: csv, target: bar, classes: [lies, stands], ranges: {"r{0..7}c{0..7}": [0, 1]}, shape: [1, 8, 8], features: [{scatter: {scales: 1, angles: 4}}, {project: 40}]}
model: {kind: logistic, intercept: false}
algorithm: {kind: gossip-gd, steps: 10, step_size: 4, momentum: 0.5, clip: 0.3, pairwise: 10}
privacy: {accountant: pairwise, sigma: 0.2}
federation: {linger: 30s}
`)
	for i, name := range s.names {
		if err := os.WriteFile(s.file(name), []byte(bars(uint64(i))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, o := range s.all(ctx) {
		if !o.Ended || o.Model == nil || len(o.Model.parameters) != 40 || o.Statement.Accountant != "pairwise" {
			t.Fatalf("%s: ended %t, %+v", o.Name, o.Ended, o.Statement)
		}
		text, err := os.ReadFile(o.Folder + "/model.json")
		if err != nil || !strings.Contains(string(text), `"encoding"`) {
			t.Errorf("%s: %v, the model does not say how rows are encoded", o.Name, err)
		}
		if o.Own == nil || o.Own.Accuracy == nil || *o.Own.Accuracy < 0.7 {
			t.Errorf("%s: %+v of its own test rows", o.Name, o.Own)
		}
	}
}
