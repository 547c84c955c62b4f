package experiment

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
)

// Every kind of algorithm has an example, which runs: scores at the end, and a number
// that is a bound.
func TestExamplesOfKinds(t *testing.T) {
	files, err := filepath.Glob("../examples/kinds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		kind := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, err := Load(file)
			if err != nil || s.Algorithm.Kind != kind {
				t.Fatalf("%v, %v", s, err)
			}
			if testing.Short() {
				return // pricing takes long under the race detector
			}
			p, err := Prepare(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			bundle, err := p.Run(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r := bundle.Result; len(r.Curve) < 2 || r.Privacy.Status != report.Sound {
				t.Errorf("curve of %d, privacy %+v", len(r.Curve), r.Privacy)
			}
		})
	}
}

// Examples of pictures are specs that parse; their data are fetched.
func TestExamplesOfPictures(t *testing.T) {
	files, err := filepath.Glob("../examples/images/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		s, err := Load(file)
		if err != nil || s.Data.Features.Steps == nil || s.Privacy.Calibrate == nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// No kind is without an example, but for the baselines, which stand beside all others. Plans tell how a kind trains, before it has.
func TestEveryKindHasAnExample(t *testing.T) {
	past := regexp.MustCompile(`\b(walked|went|kept|held|saw|took|was|were|added noise|every node added)\b`)
	for _, k := range Kinds() {
		if said := past.FindString(k.Story + k.Many); said != "" {
			t.Errorf("%s: the story says %q", k.Name, said)
		}
		if k.Name == "local" || k.Name == "central" {
			continue
		}
		if _, err := os.Stat("../examples/kinds/" + k.Name + ".yaml"); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}
