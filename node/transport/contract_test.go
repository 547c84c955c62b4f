package transport

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Frames of all sizes arrive whole, unaltered and in order; they are counted.
func TestDelivery(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a, b := open(0), open(1)
		linked(t, a, 0, b, 1)
		random := rand.New(rand.NewPCG(1, 2))
		frames := make([][]byte, 60)
		for i := range frames {
			frames[i] = make([]byte, 1+random.IntN(1<<random.IntN(17)))
			for j := range frames[i] {
				frames[i][j] = byte(random.Uint32())
			}
		}
		frames[30] = bytes.Repeat([]byte{7}, maxFrame)
		go func() {
			scratch := make([]byte, 0, maxFrame)
			for _, f := range frames {
				scratch = append(scratch[:0], f...)
				if err := a.Send(context.Background(), 1, scratch); err != nil {
					t.Errorf("send: %v", err)
				}
				clear(scratch) // the frame may be reused
			}
		}()
		total := 0
		for i, f := range frames {
			if in := nextFrame(t, b); in.From != 0 || !bytes.Equal(in.Frame, f) {
				t.Fatalf("frame %d of %d bytes from node %d differs from what was sent (%d bytes)", i, len(in.Frame), in.From, len(f))
			}
			total += len(f) + prefixSize(len(f))
		}
		eventually(t, "frames counted", func() bool { return a.Counters().FramesOut == 60 })
		if out, in := a.Counters(), b.Counters(); in.FramesIn != 60 || out.BytesOut != uint64(total) || in.BytesIn != uint64(total) {
			t.Errorf("counted %+v and %+v, want 60 frames of %d bytes", out, in, total)
		}
	})
}

// A node knows which neighbour a frame came from, and who is no neighbour gets
// nothing.
func TestIdentity(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a, b, c := open(0), open(1), open(2)
		linked(t, a, 0, b, 1)
		linked(t, c, 2, b, 1)
		for range 3 {
			mustSend(t, a, 1, []byte{0})
			mustSend(t, c, 1, []byte{2})
		}
		for range 6 {
			if in := nextFrame(t, b); int(in.From) != int(in.Frame[0]) {
				t.Errorf("frame of node %d is said to come from %d", in.Frame[0], in.From)
			}
		}
		for _, to := range []step.NodeID{0, 2, 7, -1} {
			if err := a.Send(limited(t), to, []byte{0}); !errors.Is(err, ErrStranger) || fault.Hint(err) == "" {
				t.Errorf("node 0 sends to %d: %v", to, err)
			}
			if a.Connected(to) {
				t.Errorf("node 0 is connected to %d", to)
			}
		}
		if got := c.Counters().FramesIn; got != 0 {
			t.Errorf("node 2 was sent nothing and received %d frames", got)
		}
	})
}

// Every link that comes up is announced, to both sides.
func TestUpIsAnnounced(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a, b := open(0), open(1)
		for id, n := range []Transport{a, b} {
			if in, err := n.Receive(limited(t)); err != nil || !in.Up || in.From != step.NodeID(1-id) || in.Frame != nil {
				t.Errorf("node %d: %+v, %v", id, in, err)
			}
		}
	})
}

// Frames without bytes or above the limit are refused, and harm nothing.
func TestSizeIsLimited(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a, b := open(0), open(1)
		linked(t, a, 0, b, 1)
		for _, size := range []int{0, maxFrame + 1, 100 << 20} {
			if err := a.Send(limited(t), 1, make([]byte, size)); !errors.Is(err, ErrSize) || fault.Hint(err) == "" {
				t.Errorf("frame of %d bytes: %v", size, err)
			}
		}
		mustSend(t, a, 1, []byte("after"))
		if in := nextFrame(t, b); string(in.Frame) != "after" {
			t.Errorf("received %d bytes", len(in.Frame))
		}
	})
}
