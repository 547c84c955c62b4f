package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/model"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Whatever a command does, it is not silent for longer than two seconds, and
// says how far it is where that is known.
func TestPulseBreaksSilence(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := newPulse(&out, func() time.Time { return at })
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
	p.progress(0, 12)
	at = at.Add(30 * time.Second)
	p.progress(3, 12)
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
	p := newPulse(&out, func() time.Time { return at })
	for _, stage := range []string{"step 1", "step 2", "step 3"} {
		p.enter(stage)
		p.progress(0, 9)
		at = at.Add(time.Second)
		p.progress(6, 9)
		p.beat()
	}
	if want := "still step 2: 1s, 6 of 9 done, about 1s left\n"; out.String() != want { // 500 ms, rounded up
		t.Errorf("said\n%swant\n%s", out.String(), want)
	}
}

// What an earlier run has found is done at once, and says nothing about how fast
// the rest is.
func TestPulseEstimatesFromWhatItSaw(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(1000, 0)
	p := newPulse(&out, func() time.Time { return at })
	p.stage = "accounting"
	p.progress(90, 100)
	at = at.Add(10 * time.Second)
	p.beat()
	p.progress(92, 100)
	at = at.Add(10 * time.Second)
	p.beat()
	want := "still accounting: 10s, 90 of 100 done\nstill accounting: 20s, 92 of 100 done, about 1m20s left\n"
	if out.String() != want {
		t.Errorf("said\n%swant\n%s", out.String(), want)
	}
}

// A kept law is used for its own pair, key and program only, and not once a bit
// of it has changed.
func TestCacheGivesBackWhatItKept(t *testing.T) {
	var said bytes.Buffer
	c, err := openCache(filepath.Join(t.TempDir(), "laws"), &said)
	if err != nil {
		t.Fatal(err)
	}
	walk := pathloss.Walk{Walk: schedule.Walk{Nodes: 5, Start: pathloss.AnyStart, Turns: 30, Cap: 3, Update: unknownModel().Update(model.Descent{})}}
	law, err := walk.Law(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	pair, key := pathloss.Pair{U: 0, V: 1}, [32]byte{7}
	if c.recall(pair, key) != nil {
		t.Error("a law from nowhere")
	}
	c.keep(pair, key, law)
	if back := c.recall(pair, key); back == nil || back.Delta(1, 2) != law.Delta(1, 2) {
		t.Errorf("kept and lost: %v", back)
	}
	other := *c
	other.program[3]++
	for what, l := range map[string]*pathloss.Law{
		"another pair": c.recall(pathloss.Pair{U: 1, V: 0}, key), "another key": c.recall(pair, [32]byte{8}),
		"another program": other.recall(pair, key),
	} {
		if l != nil {
			t.Errorf("the law of %s", what)
		}
	}
	path := c.path(c.name(pair, key))
	stranger := c.path(c.name(pathloss.Pair{U: 2, V: 3}, key))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stranger, text, 0o600); err != nil { // a file under another's name
		t.Fatal(err)
	}
	if c.recall(pathloss.Pair{U: 2, V: 3}, key) != nil {
		t.Error("a renamed file is used")
	}
	for _, at := range []int{0, 40, len(text) - 1} {
		damaged := bytes.Clone(text)
		damaged[at] ^= 1
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.recall(pair, key) != nil {
			t.Errorf("byte %d is damaged, and the law is used", at)
		}
	}
	if !strings.Contains(said.String(), "damaged") {
		t.Errorf("nothing is said of damage: %q", said.String())
	}
	forget(c.folder)
	if _, err := os.Stat(c.folder); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
}
