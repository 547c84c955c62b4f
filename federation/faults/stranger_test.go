package faults

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// allBut starts everybody but the last node, and waits until they listen.
func (w *world) allBut() (running []*process, last int) {
	w.t.Helper()
	last = len(w.names) - 1
	for i := range last {
		running = append(running, w.start(i))
	}
	for i := range last {
		w.asked(i)
	}
	return running, last
}

// waits holds that the neighbours of the last node in a ring do not train.
func (w *world) waits() {
	w.t.Helper()
	for _, i := range []int{0, len(w.names) - 2} {
		if s := w.asked(i); s.State != node.Waiting || s.Ledger.Releases > 0 {
			w.t.Errorf("%s does not wait: %+v", w.names[i], s)
		}
	}
}

// A stranger is refused by every node, before and while they train, and is not
// told a byte.
func TestStranger(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 4, steps: 300})
	running, last := w.allBut()
	stranger := newCaller(t, newKey(t), 0, frames)
	knock := func() {
		for i := range running {
			if s, err := stranger.call(w, i); err == nil {
				_, _ = s.Write([]byte{1, 'x'})
				stranger.listen(s) // until it is ended
			}
			_ = stranger.Network().ClosePeer(w.keys[i].Peer().ID())
		}
	}
	knock()
	for i := range running {
		w.until("the stranger is counted", func() bool { return w.metric(i, "hearsay_strangers_total") > 0 })
	}
	w.waits()
	running = append(running, w.start(last))
	w.reaches(0, 1)
	for s, err := w.ask(0); err == nil && s.State == node.Running; s, err = w.ask(0) {
		knock()
	}
	w.ends(running...)
	if n := stranger.heard.Load(); n > 0 {
		t.Errorf("a stranger was told %d bytes", n)
	}
	w.check()
}

// Somebody with another key at a participant's address is told nothing; the
// others wait for the participant.
func TestWrongKey(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, small)
	last := len(w.names) - 1
	impostor := newCaller(t, newKey(t), w.ports[last].Number, frames)
	running, _ := w.allBut()
	w.until("it was dialled several times", func() bool { return w.metric(0, "hearsay_dial_failures_total") >= 6 })
	w.waits()
	if n := impostor.heard.Load(); n > 0 {
		t.Errorf("an impostor was told %d bytes", n)
	}
	if err := impostor.Close(); err != nil {
		t.Error(err)
	}
	w.ends(append(running, w.start(last))...)
	w.check()
}

// hello is the frame that the last node would open a link to node i with, with
// its length before it.
func (w *world) hello(i, incarnation int) []byte {
	f := w.open(i)
	frame, err := wire.AppendHello(nil, &wire.Hello{From: step.NodeID(len(w.names) - 1), To: step.NodeID(i), Incarnation: uint64(incarnation), Spec: f.Hash})
	if err != nil {
		w.t.Fatal(err)
	}
	return frame
}

// framed is a frame with its length before it.
func framed(frame []byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(frame))), frame...)
}

// A participant whose program speaks another version of the frames, or of the
// streams, is told so in the others' logs and counters; they wait until it is
// replaced.
func TestAnotherVersion(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, small)
	running, last := w.allBut()
	other := newCaller(t, w.keys[last], 0, "/hearsay/frames/2")
	hello := w.hello(0, 0)
	hello[2]++
	body := hello[:len(hello)-4]
	other.say(w, 0, framed(binary.LittleEndian.AppendUint32(body, wire.Checksum(body))))
	w.logs(0, "reason=version")
	w.until("the version is counted", func() bool {
		s, err := w.ask(0)
		return err == nil && s.Counters.Refused["version"] == 1
	})
	w.waits()
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	w.ends(append(running, w.start(last))...)
	w.check()
}

// Where a participant has a spec that differs in one field, it and its
// neighbours name the field and exchange nothing; with the right spec the run
// goes on.
func TestAnotherSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t, small)
	running, last := w.allBut()
	text, err := os.ReadFile(w.spec)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(w.dir, "other.yaml")
	w.write(other, strings.Replace(string(text), "step_size: 0.1", "step_size: 0.2", 1))
	wrong := w.startAs(last, other, filepath.Join(w.dir, "other"))
	for _, i := range []int{0, last - 1, last} {
		w.logs(i, "fields=[algorithm.step_size]")
	}
	w.waits()
	wrong.term()
	<-wrong.ended
	w.ends(append(running, w.start(last))...)
	w.check()
}
