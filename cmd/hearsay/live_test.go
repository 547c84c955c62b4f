package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
)

// Where there is no terminal a line shows up every two seconds, without escape
// codes, and the end always; on a terminal it is drawn anew in its place.
func TestLiveLine(t *testing.T) {
	for terminal, want := range map[bool]string{
		false: "40 of 100 steps, 20 a second, 3s left, loss 0.2500\n100 of 100 steps, 40 a second, 0s left, loss 0.2500\n",
		true: "\r\x1b[K1 of 100 steps, 2 a second, 50s left, loss 0.2500\r\x1b[K40 of 100 steps, 20 a second, 3s left, loss 0.2500" +
			"\r\x1b[K100 of 100 steps, 40 a second, 0s left, loss 0.2500\r\x1b[K",
	} {
		var out bytes.Buffer
		at := time.Unix(0, 0)
		live := newLiveLine(&out)
		live.now, live.last, live.terminal = func() time.Time { return at }, at, terminal
		if terminal {
			live.every = 100 * time.Millisecond
		}
		show := live.training()
		for _, step := range []struct {
			done  int
			after time.Duration
		}{{0, 0}, {1, 500 * time.Millisecond}, {40, 1500 * time.Millisecond}, {41, 10 * time.Millisecond}, {100, 490 * time.Millisecond}} {
			at = at.Add(step.after)
			show(experiment.Tick{Done: step.done, Total: 100, TrainLoss: 0.25})
		}
		live.wipe()
		if out.String() != want {
			t.Errorf("terminal %v: said %q, want %q", terminal, out.String(), want)
		}
	}
}
