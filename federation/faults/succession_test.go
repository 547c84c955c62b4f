package faults

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node"
)

// followed is a walk that goes around the silent and succeeds the dead. Its
// ticks are short, so that the last ones give up telling the dead of the end.
func followed(t *testing.T, steps, tokens int) *world {
	return newWorld(t, script{
		nodes: 5, tokens: tokens, graph: "complete:5", steps: steps, linger: time.Second,
		options: "tick: 1ms, unreachable: around, patience: 1s, lease: 1s",
	})
}

// A holder of the token that dies for good, at whatever point, is succeeded;
// the others end, and no turn of an epoch is taken twice.
func TestHolderDiesForGood(t *testing.T) {
	notShort(t)
	t.Parallel()
	for name, tokens := range map[string]int{node.FailBeforeCommit: 1, node.FailAfterCommit: 1, node.FailAfterSend: 1, node.FailAfterCommit + ", tokens": 3} {
		t.Run(name, func(t *testing.T) {
			place, _, _ := strings.Cut(name, ",")
			if place != node.FailAfterCommit {
				onlyHeavy(t)
			}
			t.Parallel()
			w := followed(t, 100/tokens, tokens) // the third turn of one of five comes in all but one of 10^7 runs
			var running []*process
			for i := range w.names {
				if i != 2 {
					running = append(running, w.start(i))
				}
			}
			dead := w.start(2, "HEARSAY_FAILPOINT="+place+":3")
			w.dead[2] = true
			<-dead.ended
			if !dead.killed() {
				t.Fatalf("%s was not killed: %v", dead.name, dead.err)
			}
			w.ends(running...)
			w.check()
			for _, i := range []int{0, 1, 3, 4} { // all are neighbours of the dead one
				if o := w.report(i); o.Complete || !slices.Contains(o.Missing, "n02") || !strings.Contains(w.log(i), "INCOMPLETE: ") {
					t.Errorf("%s: complete %t, missing %v", w.names[i], o.Complete, o.Missing)
				}
			}
		})
	}
}

// A holder that comes back after it was succeeded brings a token that is void:
// nobody takes its turns again in the epoch that goes on, and all end with the
// same model.
func TestHolderComesBackTooLate(t *testing.T) {
	notShort(t)
	t.Parallel()
	for _, place := range []string{node.FailAfterCommit, node.FailAfterSend} {
		t.Run(place, func(t *testing.T) {
			if place != node.FailAfterCommit {
				onlyHeavy(t)
			}
			t.Parallel()
			w := followed(t, 2000, 1)
			running := make([]*process, len(w.names))
			for i := range w.names {
				if i != 2 {
					running[i] = w.start(i)
				}
			}
			late := w.start(2, "HEARSAY_FAILPOINT="+place+":3")
			<-late.ended
			at := w.furthest(0, 1, 3, 4)
			w.until("the token was succeeded", func() bool { return w.furthest(0, 1, 3, 4) > at+2 || w.over() })
			running[2] = w.start(2)
			w.ends(running...)
			w.check()
		})
	}
}

// furthestOfAll is the last turn that any node knows of, when all have answered.
func (w *world) furthestOfAll() (turn int) {
	w.t.Helper()
	for i := range w.names {
		turn = max(turn, int(w.asked(i).Turn))
	}
	return turn
}

// furthest is the last turn that any of some nodes knows of.
func (w *world) furthest(nodes ...int) (turn int) {
	for _, i := range nodes {
		if s, err := w.ask(i); err == nil {
			turn = max(turn, int(s.Turn))
		}
	}
	return turn
}
