package rehearse

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// A model that answers everybody alike is no gain to anybody, whatever own rows alone reach; a guess is taken for a gain
// in 2.5 of 100 rehearsals at most: the interval's upper half.
func TestWhoTellsNothingIsNoGain(t *testing.T) {
	r := &Rehearsal{Measure: Measure{Name: report.BalancedAccuracy, Rising: true, Share: true, Classes: 2}}
	half := []float64{0.5, 0.5, 0.5, 0.5}
	for name, c := range map[string]struct {
		joined []float64
		before Answer
		want   Answer
		nobody bool
	}{
		"constant":              {half, Yes, No, true},
		"constant in one trial": {half[:1], NotClear, No, true},
		"tells":                 {[]float64{0.7, 0.72, 0.69, 0.71}, Yes, Yes, false},
		"tells, and is no gain": {[]float64{0.7, 0.72, 0.69, 0.71}, No, No, false},
		"may tell":              {[]float64{0.5, 0.8, 0.4, 0.7}, Yes, NotClear, false},
		"nothing was measured":  {[]float64{math.NaN()}, Yes, Yes, false},
	} {
		s := &Standing{Joined: spreadOf(c.joined), Gain: Gain{Answer: c.before}}
		s.Above = r.above(&s.Gain, s.Joined, c.joined, half[:len(c.joined)])
		if s.Gain.Answer != c.want || s.tellsNothing() != c.nobody {
			t.Errorf("%s: %v, tells nothing: %v", name, s.Gain.Answer, s.tellsNothing())
		}
	}
	rng, taken, tries := rand.New(rand.NewPCG(7, 7)), 0, 4000
	for range tries {
		joined, nothing := make([]float64, 20), make([]float64, 20)
		for i := range joined {
			joined[i], nothing[i] = 0.5+0.05*rng.NormFloat64(), 0.5
		}
		s := &Standing{Joined: spreadOf(joined), Gain: Gain{Answer: Yes}}
		if r.above(&s.Gain, s.Joined, joined, nothing); s.Gain.Answer == Yes {
			taken++
		}
	}
	if taken > 150 { // 100 are expected: five deviations more
		t.Errorf("a guess is taken for a gain %d times of %d", taken, tries)
	}
}

// Of a rare class, the rehearsal of noise that drowns everything says no and whom it finds; without noise it says what is found.
func TestARareClassIsNotPraisedForItsMajority(t *testing.T) {
	folder, rng := t.TempDir(), rand.New(rand.NewPCG(3, 3))
	text := "data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [20, 90]}, test: 0.5}\nmodel: {kind: logistic, class_weights: {no: 1, yes: 10}}\ngraph: ring:3\n" +
		"algorithm: {kind: gossip-gd, steps: 10, step_size: 0.5, clip: 0.1}\nprivacy: {sigma: 4, accountant: local}\nparticipants:\n"
	files := map[string]string{}
	for i, name := range []string{"p0", "p1", "p2"} {
		var rows strings.Builder
		rows.WriteString("age,ill\n")
		for range 400 {
			age, ill := 20+70*rng.Float64(), "no"
			if rng.Float64() < 0.12*(age-20)/70 {
				ill = "yes"
			}
			fmt.Fprintf(&rows, "%.1f,%s\n", age, ill)
		}
		files[name] = filepath.Join(folder, name+".csv")
		if err := os.WriteFile(files[name], []byte(rows.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("  - {name: %s, key: %s, addresses: [/ip4/127.0.0.1/tcp/%d]}\n", name, keys[i], 2000+i)
	}
	s, err := experiment.Parse([]byte(text), "rare.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), s, Options{Files: files, Trials: 8})
	if err != nil {
		t.Fatal(err)
	}
	var page, printed strings.Builder
	if err := r.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	if err := r.Print(&printed); err != nil {
		t.Fatal(err)
	}
	if r.count(Yes) > 0 || r.Measure.Name != report.BalancedAccuracy {
		t.Errorf("%s by %s", r.Summary, r.Measure.Name)
	}
	for _, want := range []string{"balanced accuracy", "AUC", "Class weights multiply gradients before these are clipped to 0.1", "yes"} {
		if !strings.Contains(page.String(), want) || !strings.Contains(printed.String(), want) {
			t.Errorf("page or text have no %q", want)
		}
	}
	for _, p := range r.Worlds[0].Participants {
		if p.Rare == nil || p.Rare.Class != "yes" || !(p.Rare.Majority > 0.8) || p.Rare.Joined.Found > p.Rare.Rows {
			t.Errorf("%s: %+v", p.Name, p.Rare)
		}
	}
}
