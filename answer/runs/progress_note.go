package runs

import (
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/web"
)

// A progressNote tells the dashboard how far a run is whose folder is not there yet: in a file
// beside it, which is removed at the end. What cannot be written must not stop the work.
type progressNote struct {
	path string // "": there is none
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

// live writes the note again and again, so that a long stage is not taken for a run that was stopped.
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

// stage begins another one.
func (n *progressNote) stage(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Stage, n.Done, n.Total, n.Unit = what, 0, 0, ""
	n.write()
}

const (
	noteEvery   = time.Second     // between two writings
	noteAlive   = 5 * time.Second // after which it is written again, whatever happens
	mostOfCurve = 500             // points of the curve
)

// counting notes how far a stage is, besides what show does.
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

// training is counting, with the training loss of the first trial.
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

// finiteLoss reports whether JSON has such a number.
func finiteLoss(x float64) bool { return x-x == 0 }

// write replaces the file. It is not synced: it is worth nothing after a crash.
// n.mu is held.
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

// remove takes the file away.
func (n *progressNote) remove() {
	n.stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended = true; n.path != "" {
		_ = os.Remove(n.path)
	}
}
