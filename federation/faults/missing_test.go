package faults

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/step"
)

// withoutOne is a run of gossip in which one may miss each step.
func withoutOne(nodes, steps int) script {
	what := fmt.Sprintf(labelled, "logistic, intercept: false") +
		fmt.Sprintf("algorithm: {kind: gossip-gd, steps: %d, step_size: 0.1, clip: 0.1, pairwise: 100, absent: 1}\nprivacy: {sigma: 0.3}\n", steps)
	return script{nodes: nodes, graph: fmt.Sprintf("complete:%d", nodes), what: what, apart: true, options: "patience: 2s, pace: 100ms", linger: time.Second}
}

// planned holds that those who are left ended with models that agree, although they share a hundred times as much noise as is their
// own, and that each has spent what was planned: nothing of it came late.
func (w *world) planned(without int) {
	w.t.Helper()
	var first []float64
	for i := range w.names {
		if i == without {
			continue
		}
		s := w.report(i).Statement
		if s.Late != 0 || s.Alarm != "" || s.Contributed != s.Contributions {
			w.t.Errorf("%s: %d late, %d contributions of %d, %s", w.names[i], s.Late, s.Contributed, s.Contributions, s.Alarm)
		}
		for _, spent := range s.Spent {
			if spent.Epsilon > spent.Allowed {
				w.t.Errorf("%s has spent %g towards %s, and planned %g", w.names[i], spent.Epsilon, spent.Name, spent.Allowed)
			}
		}
		theta := w.model(i)
		if first == nil {
			first = theta
		}
		for j, x := range theta {
			if math.Abs(x-first[j]) > 1e-9*(1+math.Abs(x)) {
				w.t.Errorf("%s ended with %v, the first with %v", w.names[i], theta, first)
			}
		}
	}
}

// A federation of 16 in which one stops for good ends with the numbers that were planned, and with one model.
func TestSixteenGoOnWithoutOneThatStops(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, withoutOne(16, 20))
	running := w.startAll()
	w.reaches(5, 2)
	running[5].kill()
	<-running[5].ended
	running = slices.Delete(running, 5, 6)
	w.ends(running...)
	w.dead[5] = true
	if n := len(w.contributions(5)); n == 0 || n == 20 {
		t.Fatalf("n05 stopped after %d of 20 contributions", n)
	}
	w.planned(5)
	w.verify()
	w.spent()
}

// contributions are the turns in which a node has sent its own.
func (w *world) contributions(i int) map[step.Turn]bool {
	turns := map[step.Turn]bool{}
	for _, r := range w.rows(i) {
		if r.Contributed && r.To != r.From {
			turns[r.Turn] = true
		}
	}
	return turns
}

// Nodes that are killed and started again, and one that stands still for longer than others wait, end with the others. What may
// have come late is charged, twice at most, and is in the ledger.
func TestThoseWhoComeBackEndWithTheOthers(t *testing.T) {
	notShort(t)
	t.Parallel()
	run := withoutOne(6, 80)
	run.linger = missed / 3 // whoever is slow to start again is told of the end
	w := newWorld(t, run)
	running := w.startAll()
	w.reaches(3, 2)
	running[2].freeze(t, func() { w.reaches(3, int(w.asked(3).Turn)+3) })
	for k := range 4 {
		i := []int{2, 4, 0, 2}[k]
		running[i].kill()
		<-running[i].ended
		dying := w.start(i, "HEARSAY_FAILPOINT="+[]string{node.FailBeforeCommit, node.FailAfterCommit, node.FailAfterSend, node.FailBeforeCommit}[k]+":9")
		if !w.endsBefore(time.After(patience), dying) {
			t.Fatalf("%s has neither died nor ended", dying.name)
		}
		running[i] = w.start(i)
		w.reaches(i, 3)
	}
	w.ends(running...)
	w.verify()
	w.spent()
	for i := range w.names {
		s, late := w.report(i).Statement, 0
		for _, r := range w.rows(i) {
			if r.To == r.From && r.Contributed {
				late++
			}
		}
		if s.Late != late || late > s.MostLate {
			t.Errorf("%s says %d late values, its ledger holds %d", w.names[i], s.Late, late)
		}
		for _, spent := range s.Spent {
			if spent.Epsilon > spent.Allowed && late == 0 {
				t.Errorf("%s has %d late values and has spent %g towards %s of %g", w.names[i], late, spent.Epsilon, spent.Name, spent.Allowed)
			}
		}
		t.Logf("%s: %d contributions, %d late", w.names[i], s.Contributed, late)
	}
}
