// Package state writes and reads the snapshots of machines: whole numbers in
// variable length, floating-point numbers bit for bit.
package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// AppendMsg appends a message.
func AppendMsg(dst []byte, m step.Msg) []byte {
	dst = append(dst, byte(m.Kind))
	for _, x := range []uint64{uint64(m.From), uint64(m.To), uint64(m.Turn), uint64(m.Lane), m.Epoch} {
		dst = binary.AppendUvarint(dst, x)
	}
	return AppendFloats(dst, m.Body)
}

// AppendFloats appends the length of x and its numbers; nil stays nil.
func AppendFloats(dst []byte, x []float64) []byte {
	if x == nil {
		return binary.AppendUvarint(dst, 0)
	}
	return appendBits(binary.AppendUvarint(dst, uint64(len(x))+1), x)
}

// appendBits appends the numbers of x alone, as 8 bytes each, little-endian.
func appendBits(dst []byte, x []float64) []byte {
	start := len(dst)
	dst = slices.Grow(dst, 8*len(x))[:start+8*len(x)]
	for room := dst[start:]; len(x) > 0 && len(room) >= 8; x, room = x[1:], room[8:] {
		binary.LittleEndian.PutUint64(room, math.Float64bits(x[0]))
	}
	return dst
}

// AppendBool appends one byte.
func AppendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// ErrDamaged is the error of a Reader of an invalid state.
var ErrDamaged = errors.New("the state is damaged")

// A Reader reads values in the order in which they were appended. After the first invalid value it returns zeros, and Err
// returns the reason.
type Reader struct {
	data  []byte
	limit int
	err   error
}

// NewReader reads data, in which no vector is longer than limit.
func NewReader(data []byte, limit int) *Reader { return &Reader{data: data, limit: limit} }

// Err returns nil if all values so far were valid and no bytes are left over.
func (r *Reader) Err() error {
	if r.err == nil && len(r.data) > 0 {
		return fmt.Errorf("%w: %d bytes are left over", ErrDamaged, len(r.data))
	}
	return r.err
}

// Fail records an error about a value that was read. The first one counts.
func (r *Reader) Fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrDamaged, what)
	}
	r.data = nil
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.data) == 0 {
		r.Fail("it ends early")
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

// Version reads the first byte of a state, and fails if it is not the version that this release writes.
func (r *Reader) Version(want byte) {
	if v := r.Byte(); v != want {
		r.Fail(fmt.Sprintf("it is of version %d, and this release reads %d", v, want))
	}
}

// Bool reads a byte that is 0 or 1.
func (r *Reader) Bool() bool {
	b := r.Byte()
	if b > 1 {
		r.Fail(fmt.Sprintf("%d is neither yes nor no", b))
	}
	return b == 1
}

// Uint reads a whole number up to most.
func (r *Reader) Uint(most uint64) uint64 {
	x, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.Fail("a number is cut off")
		return 0
	}
	if r.data = r.data[size:]; x > most {
		r.Fail(fmt.Sprintf("%d is more than %d", x, most))
		return 0
	}
	return x
}

// Floats reads a vector.
func (r *Reader) Floats() []float64 {
	n := r.Uint(uint64(r.limit) + 1)
	if n == 0 {
		return nil
	}
	if uint64(len(r.data)) < 8*(n-1) {
		r.Fail("a vector is cut off")
		return nil
	}
	x := make([]float64, n-1)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.data[8*i:]))
	}
	r.data = r.data[8*len(x):]
	return x
}

// AppendPart appends one of several states, with its length before it.
func AppendPart(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// Part reads a state that AppendPart wrote, borrowed.
func (r *Reader) Part() []byte {
	n := r.Uint(math.MaxInt64)
	if n > uint64(len(r.data)) {
		r.Fail("a part is cut off")
		return nil
	}
	part := r.data[:n]
	r.data = r.data[n:]
	return part
}

// Msg reads a message.
func (r *Reader) Msg() step.Msg {
	return step.Msg{
		Kind: step.Kind(r.Byte()), From: step.NodeID(r.Uint(math.MaxInt32)), To: step.NodeID(r.Uint(math.MaxInt32)),
		Turn: step.Turn(r.Uint(math.MaxInt64)), Lane: step.Lane(r.Uint(math.MaxUint32)), Epoch: r.Uint(math.MaxUint64), Body: r.Floats(),
	}
}
