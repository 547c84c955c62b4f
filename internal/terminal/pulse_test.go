package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Whatever a command does, it is not silent for longer than two seconds, and
// says how far it is where that is known.
func TestPulseBreaksSilence(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := NewPulse(&out, func() time.Time { return at })
	if _, err := p.Write([]byte("accounting for every pair\n")); err != nil {
		t.Fatal(err)
	}
	at = at.Add(time.Second)
	p.beat()
	if strings.Contains(out.String(), "still") {
		t.Errorf("it speaks after a second: %q", out.String())
	}
	at = at.Add(time.Second)
	p.beat()
	p.Progress(0, 12)
	at = at.Add(30 * time.Second)
	p.Progress(3, 12)
	p.beat()
	p.beat()
	want := "accounting for every pair\nstill accounting for every pair: 2s\nstill accounting for every pair: 30s, 3 of 12 done, about 1m30s left\n"
	if out.String() != want {
		t.Errorf("said\n%swant\n%s", out.String(), want)
	}
}

// Short stages one after the other are not silence: the one that is under way is
// named.
func TestPulseNamesTheStageUnderWay(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := NewPulse(&out, func() time.Time { return at })
	for _, stage := range []string{"step 1", "step 2", "step 3"} {
		p.Enter(stage)
		p.Progress(0, 9)
		at = at.Add(time.Second)
		p.Progress(6, 9)
		p.beat()
	}
	if want := "still step 2: 1s, 6 of 9 done, about 1s left\n"; out.String() != want { // 500 ms, rounded up
		t.Errorf("said\n%swant\n%s", out.String(), want)
	}
}

// A line aside breaks the silence, and the stage stays what it was.
func TestPulseHearsAsides(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := NewPulse(&out, func() time.Time { return at })
	for range 2 {
		p.Enter("training")
		at = at.Add(time.Second)
		_, _ = Aside(p).Write([]byte("score {}\n"))
		at = at.Add(time.Second)
		p.beat()
	}
	at = at.Add(time.Second)
	p.beat()
	if want := "score {}\nscore {}\nstill training: 3s\n"; out.String() != want {
		t.Errorf("said %q, want %q", out.String(), want)
	}
}

// What an earlier run has found is done at once, and says nothing about how fast
// the rest is.
func TestPulseEstimatesFromWhatItSaw(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(1000, 0)
	p := NewPulse(&out, func() time.Time { return at })
	p.stage = "accounting"
	p.Progress(90, 100)
	at = at.Add(10 * time.Second)
	p.beat()
	p.Progress(92, 100)
	at = at.Add(10 * time.Second)
	p.beat()
	want := "still accounting: 10s, 90 of 100 done\nstill accounting: 20s, 92 of 100 done, about 1m20s left\n"
	if out.String() != want {
		t.Errorf("said\n%swant\n%s", out.String(), want)
	}
}
