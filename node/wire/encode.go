package wire

import (
	"encoding/binary"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// Append appends f's encoding to dst and returns the longer slice. On an error it returns dst unchanged. The error
// wraps ErrMalformed (a negative id or turn, a number that is not finite, a kind other than KindStep and KindNode)
// or ErrTooLarge. Append does not allocate if dst has room for MaxOverhead and the numbers.
func (c Codec) Append(dst []byte, f *Frame) ([]byte, error) {
	if err := c.check(f); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = appendPrefix(dst, f.Kind, c.Federation)
	dst = appendPosition(append(dst, byte(f.Msg.Kind)), &f.At)
	for _, v := range f.varints() {
		dst = binary.AppendUvarint(dst, v)
	}
	dst, finite := appendFloats(dst, f.Msg.Body)
	if !finite {
		return dst[:start], errNotFinite(&f.Msg)
	}
	return binary.LittleEndian.AppendUint32(dst, Checksum(dst[start:])), nil
}

// varints returns the varint fields after the position, in the order of the format.
func (f *Frame) varints() [8]uint64 {
	return [8]uint64{
		uint64(f.Msg.From), uint64(f.Msg.To), f.Incarnation, f.Sequence, f.Epoch, uint64(f.Msg.Lane), uint64(f.Msg.Turn),
		uint64(len(f.Msg.Body)),
	}
}

func appendPrefix(dst []byte, kind Kind, federation Federation) []byte {
	dst = append(dst, magic0, magic1, Version, byte(kind))
	return append(dst, federation[:]...)
}

// check refuses a frame that the format cannot represent.
func (c Codec) check(f *Frame) error {
	m := &f.Msg
	switch {
	case f.Kind != KindStep && f.Kind != KindNode:
		return refuse(ErrMalformed, hintCaller, "message frame of kind %d", f.Kind)
	case m.From < 0 || m.To < 0 || m.Turn < 0:
		return refuse(ErrMalformed, hintCaller, "message from node %d to %d of turn %d", m.From, m.To, m.Turn)
	case len(m.Body) > c.MaxParams:
		return refuse(ErrTooLarge, hintLimit, "message of %d numbers, at most %d are allowed", len(m.Body), c.MaxParams)
	}
	return nil
}

// errNotFinite returns an error that names the first number of m that is NaN or infinite.
func errNotFinite(m *step.Msg) error {
	i := slices.IndexFunc(m.Body, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	return refuse(ErrMalformed, hintCaller, "number %d of the message of turn %d from node %d is %v", i, m.Turn, m.From, m.Body[i])
}
