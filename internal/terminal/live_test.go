package terminal

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// Where there is no terminal a line shows up every two seconds, without escape
// codes, and the end always; on a terminal it is drawn anew in its place.
func TestLiveLine(t *testing.T) {
	for terminal, want := range map[bool]string{
		false: "40 of 100 steps\n100 of 100 steps\n",
		true: "\r\x1b[K1 of 100 steps\r\x1b[K40 of 100 steps" +
			"\r\x1b[K100 of 100 steps\r\x1b[K",
	} {
		var out bytes.Buffer
		at := time.Unix(0, 0)
		live := NewLiveLine(&out)
		live.Now, live.last, live.terminal = func() time.Time { return at }, at, terminal
		if terminal {
			live.every = 100 * time.Millisecond
		}
		show := func(done int) {
			if done > 0 {
				live.Count(done, 100, func() string { return fmt.Sprintf("%d of 100 steps", done) })
			}
		}
		for _, step := range []struct {
			done  int
			after time.Duration
		}{{0, 0}, {1, 500 * time.Millisecond}, {40, 1500 * time.Millisecond}, {41, 10 * time.Millisecond}, {100, 490 * time.Millisecond}} {
			at = at.Add(step.after)
			show(step.done)
		}
		live.Wipe()
		if out.String() != want {
			t.Errorf("terminal %v: said %q, want %q", terminal, out.String(), want)
		}
	}
}
