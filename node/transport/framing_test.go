package transport

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// bytesSource is a stream that has already ended.
type bytesSource struct {
	io.Reader
	deadlines int // set and not cleared
}

func (s *bytesSource) SetReadDeadline(t time.Time) error {
	s.deadlines++
	if t.IsZero() {
		s.deadlines -= 2
	}
	return nil
}

// readAll is what a frameReader makes of data, and how it ends.
func readAll(r io.Reader, most int) (frames [][]byte, armed int, err error) {
	source := &bytesSource{Reader: r}
	reader := newFrameReader(source, most, time.Second, nil)
	for {
		frame, err := reader.next()
		if err != nil {
			return frames, source.deadlines, err
		}
		frames = append(frames, frame)
	}
}

// simpleFrames splits data with the standard library's reading of lengths.
func simpleFrames(data []byte, most int) (frames [][]byte, err error) {
	for len(data) > 0 {
		size, n := binary.Uvarint(data[:min(len(data), maxPrefix)])
		switch {
		case n < 0 || n == 0 && len(data) >= maxPrefix || n > 0 && data[n-1] == 0:
			return frames, errMalformed
		case n > 0 && size > uint64(most):
			return frames, errOversize
		case n == 0 || uint64(len(data)-n) < size:
			return frames, errTruncated
		}
		frames = append(frames, data[n:n+int(size)])
		data = data[n+int(size):]
	}
	return frames, io.EOF
}

func sameFrames(a, b [][]byte) bool {
	return len(a) == len(b) && bytes.Equal(bytes.Join(a, nil), bytes.Join(b, nil))
}

// What a frameWriter wrote, a frameReader reads, however the bytes arrive, and
// leaves no deadline behind.
func TestFramingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w frameWriter
		var b bytes.Buffer
		var want [][]byte
		for _, size := range rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 127, 128, 4095, 8190, 8191, 16384, 40000}), 0, 8).Draw(t, "sizes") {
			frame := bytes.Repeat([]byte{byte(len(want))}, size)
			before := b.Len()
			if err := w.write(&b, frame); err != nil {
				t.Fatal(err)
			}
			if b.Len()-before != size+prefixSize(size) {
				t.Fatalf("a frame of %d bytes takes %d, prefixSize says %d", size, b.Len()-before, prefixSize(size))
			}
			want = append(want, frame)
		}
		var r io.Reader = &b
		switch rapid.IntRange(0, 2).Draw(t, "arrival") {
		case 1:
			r = iotest.HalfReader(r)
		case 2:
			r = iotest.DataErrReader(r)
		}
		got, armed, err := readAll(r, 40000)
		if err != io.EOF || !sameFrames(got, want) || armed > 0 {
			t.Fatalf("read %d of %d frames, %v, %d deadlines", len(got), len(want), err, armed)
		}
	})
}

// Frames above the limit are refused, those at the limit are not.
func TestFramingLimit(t *testing.T) {
	for size, want := range map[int]error{1000: io.EOF, 1001: errOversize} {
		data := append(binary.AppendUvarint(nil, uint64(size)), make([]byte, size)...)
		if _, _, err := readAll(bytes.NewReader(data), 1000); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", size, err, want)
		}
	}
}

// Any bytes are read as the simple reader reads them, also one at a time.
func FuzzFraming(f *testing.F) {
	f.Add([]byte{1, 'a', 2, 'b', 'c'})
	f.Add([]byte{0x81, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add([]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80})
	f.Add(append([]byte{0xe8, 0x07}, make([]byte, 1000)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1000
		want, why := simpleFrames(data, most)
		for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
			if got, _, err := readAll(r, most); !sameFrames(got, want) || !errors.Is(err, why) {
				t.Fatalf("% x: %d frames, %v; want %d, %v", data, len(got), err, len(want), why)
			}
		}
	})
}
