package wire

import "encoding/binary"

// cursor reads fields one after the other and keeps the first error.
type cursor struct {
	rest []byte
	err  error
}

// uvarint reads an unsigned LEB128 number in its shortest form, up to limit.
func (r *cursor) uvarint(limit uint64) uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.rest)
	switch {
	case n == 0:
		r.err = refuse(ErrTruncated, hintBroken, "frame ends within its header")
	case n < 0 || n > 1 && r.rest[n-1] == 0 || v > limit:
		r.err = refuse(ErrMalformed, hintBroken, "header field out of range or not in its shortest form")
	default:
		r.rest = r.rest[n:]
		return v
	}
	return 0
}

// take reads n bytes.
func (r *cursor) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if len(r.rest) < n {
		r.err = refuse(ErrTruncated, hintBroken, "frame ends %d bytes early", n-len(r.rest))
		return nil
	}
	bytes := r.rest[:n]
	r.rest = r.rest[n:]
	return bytes
}

// end reads n bytes that must be the last before the checksum.
func (r *cursor) end(n int) ([]byte, error) {
	bytes := r.take(n)
	r.take(checksumSize)
	if r.err == nil && len(r.rest) > 0 {
		r.err = refuse(ErrMalformed, hintBroken, "frame goes on for %d bytes after its end", len(r.rest))
	}
	return bytes, r.err
}
