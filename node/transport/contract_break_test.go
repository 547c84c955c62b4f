package transport

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Who does not receive makes who sends wait, within bounded memory and no
// longer than the context; the link works again afterwards.
func TestBackpressure(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a, b := open(0), open(1)
		linked(t, a, 0, b, 1)
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		const bound = 512 // frames of 64 KiB: 32 MiB
		frame, taken := make([]byte, maxFrame), 0
		for ; taken < bound; taken++ {
			if err := a.Send(ctx, 1, frame); err != nil {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %d frames: %v", taken, err)
				}
				break
			}
		}
		if taken == bound {
			t.Errorf("%d frames were taken from a node that nobody receives at", taken)
		}
		done := make(chan struct{})
		defer func() { <-done }()
		stop, cancelStop := context.WithTimeout(context.Background(), patience)
		defer cancelStop()
		go func() {
			defer close(done)
			for stop.Err() == nil {
				_ = a.Send(stop, 1, []byte("again"))
				time.Sleep(time.Millisecond)
			}
		}()
		for string(nextFrame(t, b).Frame) != "again" {
		}
		cancelStop()
	})
}

// A context that is over, or ends while the node waits, ends the call.
func TestContextEndsCalls(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a, b := open(0), open(1)
		linked(t, a, 0, b, 1)
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := a.Send(over, 1, []byte{1}); !errors.Is(err, context.Canceled) {
			t.Errorf("send: %v", err)
		}
		for { // news of the link may come first
			if _, err := b.Receive(over); err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("receive: %v", err)
				}
				break
			}
		}
	})
}

// A neighbour that is not there is an error at once.
func TestDown(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a := open(0)
		if err := a.Send(limited(t), 1, []byte{1}); !errors.Is(err, ErrDown) || fault.Hint(err) == "" {
			t.Errorf("send: %v", err)
		}
	})
}

// Close ends waiting calls on this side and breaks the link on the other.
func TestCloseDuringCalls(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		a, b := open(0), open(1)
		linked(t, a, 0, b, 1)
		sent, received := make(chan error), make(chan error)
		started := make(chan struct{})
		go func() {
			var err error
			for i := 0; err == nil; i++ { // until it waits for room
				err = a.Send(context.Background(), 1, make([]byte, maxFrame))
				if i == 3 {
					close(started)
				}
			}
			sent <- err
		}()
		go func() {
			var err error
			for err == nil {
				_, err = a.Receive(context.Background())
			}
			received <- err
		}()
		<-started
		closed(t, a)
		if err := <-sent; !errors.Is(err, ErrClosed) {
			t.Errorf("send: %v", err)
		}
		if err := <-received; !errors.Is(err, ErrClosed) {
			t.Errorf("receive: %v", err)
		}
		eventually(t, "node 1 notices", func() bool { return !b.Connected(0) })
		if err := b.Send(limited(t), 0, []byte{1}); !errors.Is(err, ErrDown) {
			t.Errorf("send to a closed node: %v", err)
		}
		if err := a.Send(limited(t), 1, []byte{1}); !errors.Is(err, ErrClosed) {
			t.Errorf("send from a closed node: %v", err)
		}
		closed(t, a)
	})
}

// A neighbour that stops and starts again at its address is linked again,
// whoever stops, and frames flow both ways.
func TestReconnection(t *testing.T) {
	inEachWorld(t, func(t *testing.T, open world) {
		nodes := []Transport{open(0), open(1)}
		for round := range 3 {
			linked(t, nodes[0], 0, nodes[1], 1)
			for from, n := range nodes {
				frame := binary.LittleEndian.AppendUint32([]byte("round"), uint32(round))
				mustSend(t, n, step.NodeID(1-from), frame)
				if in := nextFrame(t, nodes[1-from]); int(in.From) != from || !bytes.Equal(in.Frame, frame) {
					t.Fatalf("round %d, from %d: %+v", round, from, in)
				}
			}
			who := round % 2
			closed(t, nodes[who])
			eventually(t, "the break is noticed", func() bool { return !nodes[1-who].Connected(step.NodeID(who)) })
			nodes[who] = open(step.NodeID(who))
		}
		linked(t, nodes[0], 0, nodes[1], 1)
		if ups := nodes[1].Counters().Ups; ups < 2 {
			t.Errorf("node 1 counted %d links", ups)
		}
	})
}
