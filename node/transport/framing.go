package transport

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"net"
	"time"
)

// On a stream a frame is preceded by its length, an unsigned LEB128 number of at most maxPrefix bytes.
const maxPrefix = 5

// prefixSize returns the number of bytes of an encoded length n.
func prefixSize(n int) int { return (bits.Len(uint(n|1)) + 6) / 7 }

// These errors describe how a stream of frames ends, other than cleanly (io.EOF) or with its connection.
var (
	errOversize  = errors.New("frame above the limit")
	errMalformed = errors.New("not a length")
	errTruncated = errors.New("stream ended within a frame")
	errSlow      = errors.New("frame not finished in time")
)

// source is the part of a stream from which frames are read.
type source interface {
	io.Reader
	SetReadDeadline(time.Time) error
}

// frameReader reads frames of at most max bytes. The peer may be silent between frames for any time. Once it has
// begun a frame it must finish it within timeout.
type frameReader struct {
	source   source
	buffered *bufio.Reader
	max      int
	timeout  time.Duration
	spare    spares
}

func newFrameReader(s source, maxFrame int, timeout time.Duration, spare spares) *frameReader {
	return &frameReader{source: s, buffered: bufio.NewReaderSize(s, 4096), max: maxFrame, timeout: timeout, spare: spare}
}

// next waits for a frame and returns it. It allocates no memory for a frame above the limit.
func (r *frameReader) next() ([]byte, error) {
	if _, err := r.buffered.Peek(1); err != nil {
		return nil, err
	}
	if r.whole() {
		return r.read()
	}
	if err := r.source.SetReadDeadline(time.Now().Add(r.timeout)); err != nil {
		return nil, err
	}
	frame, err := r.read()
	if err != nil {
		return nil, err
	}
	return frame, r.source.SetReadDeadline(time.Time{})
}

// whole reports whether the next frame is complete in the buffer, so that reading it cannot block.
func (r *frameReader) whole() bool {
	there, _ := r.buffered.Peek(r.buffered.Buffered())
	size, n := binary.Uvarint(there[:min(len(there), maxPrefix)])
	return n > 0 && size <= uint64(len(there)-n)
}

// read reads a frame whose first byte is in the buffer.
func (r *frameReader) read() ([]byte, error) {
	size, err := r.length()
	if err != nil {
		return nil, err
	}
	frame := r.spare.get(size)
	if _, err := io.ReadFull(r.buffered, frame); err != nil {
		r.spare.put(frame)
		return nil, broken(err)
	}
	return frame, nil
}

// length reads the length before a frame.
func (r *frameReader) length() (int, error) {
	var size uint64
	for i := range maxPrefix {
		b, err := r.buffered.ReadByte()
		if err != nil {
			return 0, broken(err)
		}
		size |= uint64(b&0x7f) << (7 * i)
		if b >= 0x80 {
			continue
		}
		switch {
		case b == 0:
			return 0, errMalformed // an empty frame, or not the shortest form
		case size > uint64(r.max):
			return 0, errOversize
		}
		return int(size), nil
	}
	return 0, errMalformed
}

// broken returns the error of a stream that ended within a frame.
func broken(err error) error {
	if isTimeout(err) {
		return errSlow
	}
	return errTruncated
}

// isTimeout reports whether err is an expired deadline.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// frameWriter writes frames with their length: small frames in one write, large ones in two, without copying them
// as a whole.
type frameWriter struct {
	scratch [8192]byte
}

func (w *frameWriter) write(to io.Writer, frame []byte) error {
	n := binary.PutUvarint(w.scratch[:], uint64(len(frame)))
	k := copy(w.scratch[n:], frame)
	if _, err := to.Write(w.scratch[:n+k]); err != nil {
		return err
	}
	if k == len(frame) {
		return nil
	}
	_, err := to.Write(frame[k:])
	return err
}
