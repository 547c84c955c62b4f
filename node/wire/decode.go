package wire

import (
	"encoding/binary"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// Decode decodes the message frame data, which must be complete, into f. It reuses the memory of f.Msg.Body, and
// allocates at most 8*MaxParams bytes if that is too short. On an error f is undefined except that its body's
// memory stays.
//
// The error wraps the first reason that applies, in this order: ErrTruncated,
// ErrMalformed, ErrVersion (the first four bytes), ErrTooLarge (the count, before
// anything is allocated), ErrTruncated and ErrMalformed (the length),
// ErrChecksum, ErrForeign, ErrMalformed (a number that is not finite).
func (c Codec) Decode(data []byte, f *Frame) error {
	kind, err := Peek(data)
	if err != nil {
		return err
	}
	if kind == KindHello {
		return refuse(ErrMalformed, hintBroken, "hello frame where a message is expected")
	}
	body, err := c.header(data, kind, f)
	if err != nil {
		return err
	}
	if err := checkSeal(data, c.Federation); err != nil {
		return err
	}
	finite := false
	if f.Msg.Body, finite = floats(f.Msg.Body, body); !finite {
		return errNotFinite(&f.Msg)
	}
	return nil
}

// header reads all fields before the numbers, and returns the bytes of the numbers.
func (c Codec) header(data []byte, kind Kind, f *Frame) ([]byte, error) {
	if len(data) < prefixSize+1 {
		return nil, refuse(ErrTruncated, hintBroken, "message frame of %d bytes", len(data))
	}
	r := cursor{rest: data[prefixSize+1:]}
	*f = Frame{Kind: kind, Msg: step.Msg{Kind: step.Kind(data[prefixSize]), Body: f.Msg.Body}}
	f.At = r.position()
	f.Msg.From, f.Msg.To = step.NodeID(r.uvarint(math.MaxInt32)), step.NodeID(r.uvarint(math.MaxInt32))
	f.Incarnation, f.Sequence, f.Epoch = r.uvarint(math.MaxUint64), r.uvarint(math.MaxUint64), r.uvarint(math.MaxUint64)
	f.Msg.Lane = step.Lane(r.uvarint(math.MaxUint32))
	f.Msg.Turn = step.Turn(r.uvarint(math.MaxInt64))
	count := r.uvarint(math.MaxUint64)
	switch {
	case r.err != nil:
		return nil, r.err
	case count > uint64(max(0, min(c.MaxParams, math.MaxInt32))):
		return nil, refuse(ErrTooLarge, hintLimit, "frame of %d numbers, at most %d are allowed", count, c.MaxParams)
	}
	return r.end(8 * int(count))
}

// checkSeal checks the checksum at the end, then the federation.
func checkSeal(data []byte, federation Federation) error {
	end := len(data) - checksumSize
	if got, want := binary.LittleEndian.Uint32(data[end:]), Checksum(data[:end]); got != want {
		return refuse(ErrChecksum, hintBroken, "frame with checksum %08x, its bytes have %08x", got, want)
	}
	if stamp := Federation(data[4:prefixSize]); stamp != federation {
		return refuse(ErrForeign, hintForeign, "frame of federation %s, this node is in %s", stamp.short(), federation.short())
	}
	return nil
}
