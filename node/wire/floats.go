package wire

import (
	"encoding/binary"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A float64 whose exponent bits are all ones is NaN or infinite. Adding one to the exponent then carries into the
// sign bit. So the bitwise or of these sums has its sign bit set exactly if some number is not finite. This takes
// one pass and no branch.
const (
	exponent = 0x7ff << 52
	carry    = 1 << 52
	sign     = 1 << 63
)

// appendFloats appends body as little-endian bits, with room for a checksum,
// and reports whether all of it is finite.
func appendFloats(dst []byte, body []float64) (_ []byte, finite bool) {
	start, size := len(dst), 8*len(body)
	dst = slices.Grow(dst, size+checksumSize)[:start+size]
	room, signs := dst[start:], uint64(0)
	for len(body) >= 4 && len(room) >= 32 { // four at a time, because this loop dominates the time of a hop
		a, b, c, d := math.Float64bits(body[0]), math.Float64bits(body[1]), math.Float64bits(body[2]), math.Float64bits(body[3])
		binary.LittleEndian.PutUint64(room[0:8], a)
		binary.LittleEndian.PutUint64(room[8:16], b)
		binary.LittleEndian.PutUint64(room[16:24], c)
		binary.LittleEndian.PutUint64(room[24:32], d)
		signs |= (a&exponent + carry) | (b&exponent + carry) | (c&exponent + carry) | (d&exponent + carry)
		body, room = body[4:], room[32:]
	}
	for i, x := range body {
		bits := math.Float64bits(x)
		binary.LittleEndian.PutUint64(room[8*i:], bits)
		signs |= bits&exponent + carry
	}
	return dst, signs&sign == 0
}

// floats decodes bytes into dst's memory, longer if it must be, and reports
// whether all numbers are finite.
func floats(dst []float64, bytes []byte) (_ []float64, finite bool) {
	n := len(bytes) / 8
	dst = slices.Grow(dst[:0], n)[:n]
	rest, signs := dst, uint64(0)
	for len(rest) >= 4 && len(bytes) >= 32 {
		a, b := binary.LittleEndian.Uint64(bytes[0:8]), binary.LittleEndian.Uint64(bytes[8:16])
		c, d := binary.LittleEndian.Uint64(bytes[16:24]), binary.LittleEndian.Uint64(bytes[24:32])
		rest[0], rest[1] = math.Float64frombits(a), math.Float64frombits(b)
		rest[2], rest[3] = math.Float64frombits(c), math.Float64frombits(d)
		signs |= (a&exponent + carry) | (b&exponent + carry) | (c&exponent + carry) | (d&exponent + carry)
		rest, bytes = rest[4:], bytes[32:]
	}
	for i := range rest {
		bits := binary.LittleEndian.Uint64(bytes[8*i:])
		rest[i] = math.Float64frombits(bits)
		signs |= bits&exponent + carry
	}
	return dst, signs&sign == 0
}
