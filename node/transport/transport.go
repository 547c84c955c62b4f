// Package transport carries frames between neighbours: over libp2p (QUIC and
// TCP) between processes, or through memory between the nodes of a test. Both
// keep the guarantees of Transport, and one contract test holds them to it.
//
// It knows nothing of what a frame means (package wire does) and holds no
// policy. Who may connect is decided by the key a peer proves to own, before
// it can say anything.
package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Transport moves frames between this node and its neighbours. All methods may
// be called at the same time from any goroutine.
//
// What it guarantees:
//
//   - A frame arrives whole and unaltered, or not at all. It may be lost
//     without a word, also after Send returned nil: who needs certainty asks
//     for an acknowledgement.
//   - Frames from one neighbour arrive in the order sent while the link stays
//     up. Across a reconnection they may be reordered.
//   - Inbound.From is authenticated: the sender proved to own the key that the
//     federation lists for that node.
//   - Only neighbours connect. No byte of a frame goes to or comes from
//     anybody else.
//   - Memory is bounded whatever neighbours and strangers do. A node that does
//     not Receive makes its neighbours' Sends wait (backpressure).
//   - After Close returns, no goroutine and no socket of the transport is left.
//
// A link that breaks is taken up again, for ever, with growing pauses.
type Transport interface {
	// Send hands a frame to the link to a neighbour. It waits only for room
	// on the link, and never longer than ctx; a neighbour that is not
	// connected is an error at once. A frame that ctx cuts short breaks the
	// link, which is then opened again. The frame may be reused when Send
	// returns. Errors wrap ErrStranger, ErrSize, ErrDown, ErrClosed or
	// ctx.Err(); after any other than the first two the frame may or may not
	// arrive.
	Send(ctx context.Context, to step.NodeID, frame []byte) error

	// Receive waits for the next event. Errors wrap ErrClosed or ctx.Err().
	Receive(ctx context.Context) (Inbound, error)

	// Connected reports whether the link to a neighbour is up, as far as is
	// known: a peer that vanished without a word is noticed within 40 s.
	Connected(to step.NodeID) bool

	// Trouble is why the link to a neighbour is not up, in a few words such as
	// "connection refused"; "" where it is up or nothing is known yet.
	Trouble(to step.NodeID) string

	// Counters is what happened so far.
	Counters() Counters

	// Close ends all links and waiting calls. It may be called again.
	Close() error
}

// Inbound is one event: a frame, or the news that a link is up.
type Inbound struct {
	From  step.NodeID
	Frame []byte // owned by the receiver; nil if Up
	Up    bool   // the link to From was opened (again): say hello

	spare spares
}

// Release gives the frame's memory back for another one, if the receiver does
// not need it any more. It may be left out, and must not be called on a copy
// of an Inbound that was released.
func (in *Inbound) Release() {
	if in.Frame != nil && in.spare != nil {
		in.spare.put(in.Frame)
	}
	in.Frame = nil
}

// spares is memory for frames that is not in use: a few slices at most.
type spares chan []byte

const maxSpares = 4

// get is a slice of n bytes of any content.
func (s spares) get(n int) []byte {
	select {
	case b := <-s:
		if cap(b) >= n {
			return b[:n]
		}
	default:
	}
	return make([]byte, n)
}

func (s spares) put(b []byte) {
	select {
	case s <- b:
	default:
	}
}

// Why a frame is not sent.
var (
	ErrStranger = errors.New("not a neighbour")
	ErrSize     = errors.New("wrong size of frame")
	ErrDown     = errors.New("link is down")
	ErrClosed   = errors.New("transport is closed")
)

func errStranger(to step.NodeID) error {
	return fault.Wrap(ErrStranger, fmt.Sprintf("frame to node %d", to), "only the edges of the spec's graph carry frames")
}

func errDown(to step.NodeID) error {
	return fault.Wrap(ErrDown, fmt.Sprintf("frame to node %d", to),
		"the link is taken up again as soon as the neighbour answers; check that it runs and its address")
}

func errClosed() error { return fault.Wrap(ErrClosed, "node is stopping", "start it again") }

// checkSize refuses a frame that has no bytes or more than most.
func checkSize(frame []byte, most int) error {
	if len(frame) > 0 && len(frame) <= most {
		return nil
	}
	return fault.Wrap(ErrSize, fmt.Sprintf("frame of %d bytes, 1 to %d are allowed", len(frame), most), "both nodes must be given the same spec")
}
