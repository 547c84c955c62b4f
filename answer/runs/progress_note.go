package runs

import (
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/web"
)

// A progressNote shows the dashboard the progress of a run whose folder does not exist yet. It keeps a file
// beside that folder and removes the file at the end. It ignores write errors, because they must not stop the work.
type progressNote struct {
	path string // "": no file
	now  func() time.Time
	stop func()

	mu    sync.Mutex
	last  time.Time
	ended bool
	web.Progress
}

func newProgressNote(out, name string) *progressNote {
	n := &progressNote{now: time.Now, Progress: web.Progress{Name: name, Stage: "beginning"}}
	n.Started = n.now().UTC()
	if n.stop = func() {}; out != "" {
		n.path = web.ProgressFile(out)
		beat := time.NewTicker(noteAlive)
		over := make(chan struct{})
		n.stop = sync.OnceFunc(func() { beat.Stop(); close(over) })
		go n.live(beat.C, over)
	}
	return n
}

// live writes the note at every beat, so that a long stage is not taken for a stopped run.
func (n *progressNote) live(beat <-chan time.Time, over <-chan struct{}) {
	for {
		select {
		case <-beat:
			n.mu.Lock()
			n.write()
			n.mu.Unlock()
		case <-over:
			return
		}
	}
}

// stage begins a new stage and writes the note.
func (n *progressNote) stage(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Stage, n.Done, n.Total, n.Unit = what, 0, 0, ""
	n.write()
}

const (
	noteEvery   = time.Second     // shortest time between two writes for progress
	noteAlive   = 5 * time.Second // period of the writes by live
	mostOfCurve = 500             // largest number of points of the curve
)

// counting returns a progress function that calls show and notes the progress of the stage.
func (n *progressNote) counting(show experiment.Progress) experiment.Progress {
	return func(t experiment.Tick) {
		show(t)
		n.mu.Lock()
		defer n.mu.Unlock()
		n.Done, n.Total, n.Unit = t.Done, t.Total, t.Unit
		if n.now().Sub(n.last) >= noteEvery {
			n.write()
		}
	}
}

// training returns the function of counting, which also notes the training losses of the first trial.
func (n *progressNote) training(show experiment.Progress) experiment.Progress {
	count := n.counting(show)
	return func(t experiment.Tick) {
		n.mu.Lock()
		if t.Trial == 0 && t.Done > 0 && finiteLoss(t.TrainLoss) && len(n.Step) < mostOfCurve && (len(n.Step) == 0 || t.Step > n.Step[len(n.Step)-1]) {
			n.Step, n.Loss = append(n.Step, t.Step), append(n.Loss, t.TrainLoss)
		}
		n.mu.Unlock()
		count(t)
	}
}

// finiteLoss reports whether x is finite, because JSON has no other numbers.
func finiteLoss(x float64) bool { return x-x == 0 }

// write replaces the file. It does not sync, because the note is worthless after a crash.
// The caller must hold n.mu.
func (n *progressNote) write() {
	if n.path == "" || n.ended {
		return
	}
	n.last = n.now()
	n.Written = n.last.UTC()
	text, err := json.Marshal(n.Progress)
	if err != nil {
		return
	}
	fresh := n.path + ".new"
	if os.WriteFile(fresh, text, 0o644) != nil || os.Rename(fresh, n.path) != nil {
		_ = os.Remove(fresh)
	}
}

// remove removes the file and ends the writes.
func (n *progressNote) remove() {
	n.stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended = true; n.path != "" {
		_ = os.Remove(n.path)
	}
}
