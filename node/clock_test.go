package node

import (
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// A clock that is put forward and back by hours, as after a suspension or by a time server, changes what ledgers say of when, and
// nothing else: timers do not read it, nobody is given up, and all end with the model of a run on a steady clock.
func TestAJumpingClockChangesNothing(t *testing.T) {
	end := func(now func() time.Time) []float64 {
		f := walkOf(t, 4, 4, 60)
		w := newWorld(t, f, transport.Faults{})
		w.edit = func(_ step.NodeID, c *Config) {
			c.Now, c.Silence, c.Grace = now, 30*time.Second, 30*time.Second
		}
		w.run()
		w.checkWire()
		for v, model := range w.models {
			if model == nil || !slices.Equal(model, w.models[0]) {
				t.Errorf("node %d ends with %v, node 0 with %v", v, model, w.models[0])
			}
		}
		return w.models[0]
	}
	var asked atomic.Int64
	jumps := []time.Duration{0, 5 * time.Hour, -48 * time.Hour, 400 * 24 * time.Hour, -time.Minute, 0}
	jumping := func() time.Time {
		return time.Now().Add(jumps[int(asked.Add(1))%len(jumps)])
	}
	if steady, jumped := end(time.Now), end(jumping); !slices.Equal(steady, jumped) {
		t.Errorf("on a steady clock the run ends with %v, on one that jumps with %v", steady, jumped)
	}
	if asked.Load() < 60 {
		t.Errorf("the clock was asked %d times", asked.Load())
	}
}

// A step with a release takes a whole number of paces, at least one, however long it took by itself.
func TestStepsKeepPace(t *testing.T) {
	const pace = 40 * time.Millisecond
	for _, c := range []struct {
		took, least time.Duration
	}{{0, pace}, {pace / 2, pace}, {pace + pace/4, 2 * pace}, {2*pace + pace/8, 3 * pace}} {
		n := &Node{began: time.Now().Add(-time.Hour), config: Config{Pace: pace, Names: []string{"lyon"}, Log: slog.New(slog.DiscardHandler)}}
		n.out.Releases = []step.Release{{}}
		n.input = n.now() - c.took
		n.keepPace()
		if spent := n.now() - n.input; spent < c.least {
			t.Errorf("a step of %v leaves after %v, before %v", c.took, spent, c.least)
		}
		if n.outOfPace != (c.took > pace) {
			t.Errorf("a step of %v was said to be out of pace: %v", c.took, n.outOfPace)
		}
	}
}
