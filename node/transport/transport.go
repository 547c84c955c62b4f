// Package transport carries frames between neighbours: over libp2p (QUIC and TCP) between processes, or through
// memory between the nodes of a test. Both keep the guarantees of Transport, which one contract test checks.
//
// The contents of a frame are the business of package wire. This package holds no policy. A peer may connect only
// if it proves to own a listed key, before it can send anything.
package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Transport moves frames between this node and its neighbours. All methods are safe for concurrent use.
//
// Its guarantees:
//
//   - A frame arrives whole and unaltered, or not at all. It may be lost
//     silently, also after Send returned nil. A sender that needs certainty asks
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
// A link that breaks is reopened, without end, with growing pauses.
type Transport interface {
	// Send hands a frame to the link to a neighbour. It waits only for room on the link, and never longer than
	// ctx. It returns an error at once if the neighbour is not connected. A frame that ctx cuts short breaks the
	// link, which is then opened again. The caller may reuse frame when Send returns. Errors wrap ErrStranger,
	// ErrSize, ErrDown, ErrClosed or ctx.Err(). After an error other than the first two the frame may or may not
	// arrive.
	Send(ctx context.Context, to step.NodeID, frame []byte) error

	// Receive waits for the next event. Errors wrap ErrClosed or ctx.Err().
	Receive(ctx context.Context) (Inbound, error)

	// Connected reports whether the link to a neighbour is up. A peer that vanished without a goodbye is noticed
	// within 40 s.
	Connected(to step.NodeID) bool

	// Trouble returns the reason why the link to a neighbour is down, in a few words such as "connection refused".
	// It returns "" if the link is up or no reason is known yet.
	Trouble(to step.NodeID) string

	// Counters returns the event counts since the start.
	Counters() Counters

	// Close ends all links and waiting calls. It may be called again.
	Close() error
}

// Inbound is one event: a frame, or the opening of a link.
type Inbound struct {
	From  step.NodeID
	Frame []byte // owned by the receiver; nil if Up
	Up    bool   // the link to From was opened (again), so a hello is due

	spare spares
}

// Release returns the frame's memory for reuse, if the receiver does not need it any more. The call is optional.
// It must not be made on a copy of an Inbound that was released.
func (in *Inbound) Release() {
	if in.Frame != nil && in.spare != nil {
		in.spare.put(in.Frame)
	}
	in.Frame = nil
}

// spares holds a few unused slices for frames.
type spares chan []byte

const maxSpares = 4

// get returns a slice of n bytes with arbitrary contents.
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

// The reasons for which a frame is not sent.
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
