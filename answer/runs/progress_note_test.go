package runs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/web"
)

// While a run is being made its note says how far it is, at most once a second; at the end
// nothing is left.
func TestProgressIsNoted(t *testing.T) {
	dir := t.TempDir()
	n := newProgressNote(filepath.Join(dir, "first")+"/", "a run")
	n.stop()
	at := time.Unix(100, 0)
	n.now = func() time.Time { return at }
	read := func() (p web.Progress) {
		text, err := os.ReadFile(filepath.Join(dir, ".first.progress.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	n.stage("training")
	tick := n.training(func(experiment.Tick) {})
	for done := 1; done <= 4; done++ {
		at = at.Add(400 * time.Millisecond)
		tick(experiment.Tick{Trial: 0, Step: 10 * done, Done: 10 * done, Total: 80, TrainLoss: map[bool]float64{true: math.NaN(), false: 0.5}[done == 2]})
	}
	if p := read(); p.Name != "a run" || p.Stage != "training" || p.Done != 30 || p.Total != 80 || len(p.Step) != 2 || p.Step[1] != 30 || p.Loss[1] != 0.5 {
		t.Errorf("it says %+v", p)
	}
	n.remove()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// A note that cannot be written stops nothing.
func TestProgressNeedsNoFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "none", "first")
	n := newProgressNote(out, "a run")
	n.stage("training")
	n.remove()
	if _, err := os.Lstat(filepath.Dir(out)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the note was made: %v", err)
	}
	newProgressNote("", "a run").stage("training") // no folder at all
}
