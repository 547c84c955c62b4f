// Package safetensors reads and writes named numbers, with texts beside them, in the safetensors format: a length of eight
// bytes, a header in JSON, and the numbers. Input is not trusted: sizes are known before anything is read.
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// mostHeader is the largest number of bytes of a header, and mostNumbers that of its numbers.
const (
	mostHeader  = 1 << 20
	mostNumbers = 1 << 31
)

// Metadata is the name in a header of the texts about the message.
const Metadata = "__metadata__"

// A Tensor holds an array of a message, as bytes.
type Tensor struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
	Data    []byte   `json:"-"`
}

// Numbers returns the number of entries by the shape. It returns -1 if they are too many.
func (t *Tensor) Numbers() int64 {
	count := int64(1)
	for _, n := range t.Shape {
		if n < 0 || n > mostNumbers || count*int64(n) > mostNumbers {
			return -1
		}
		count *= int64(n)
	}
	return count
}

// A Message is a safetensors buffer.
type Message struct {
	Says    map[string]string
	Tensors map[string]*Tensor
	order   []string // names of tensors in the order of writing
}

// New returns a message with the given texts and no tensors.
func New(says map[string]string) *Message {
	return &Message{Says: says, Tensors: map[string]*Tensor{}}
}

// Put adds a tensor.
func (m *Message) Put(name, dtype string, shape []int, data []byte) {
	m.Tensors[name] = &Tensor{DType: dtype, Shape: shape, Data: data}
	m.order = append(m.order, name)
}

// Write writes m.
func (m *Message) Write(w io.Writer) error {
	header := map[string]any{Metadata: m.Says}
	at := int64(0)
	for _, name := range m.order {
		t := m.Tensors[name]
		t.Offsets = [2]int64{at, at + int64(len(t.Data))}
		at = t.Offsets[1]
		header[name] = t
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for len(text)%8 != 0 { // as the format has it
		text = append(text, ' ')
	}
	buffer := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if _, err := w.Write(append(buffer, text...)); err != nil {
		return err
	}
	for _, name := range m.order {
		if _, err := w.Write(m.Tensors[name].Data); err != nil {
			return err
		}
	}
	return nil
}

// ErrMalformed is the error of a malformed message.
var ErrMalformed = errors.New("malformed message")

// Malformed returns an error that wraps ErrMalformed.
func Malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// A Reader reads messages into memory that it reuses.
type Reader struct {
	From   io.Reader
	header []byte
	data   []byte
}

// Read reads the next message, of at most most bytes of numbers. The message is borrowed until the next call.
func (r *Reader) Read(most int64) (*Message, error) {
	var length [8]byte
	if _, err := io.ReadFull(r.From, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n < 2 || n > mostHeader {
		return nil, Malformed("a header of %d bytes, 2 to %d are allowed", n, mostHeader)
	}
	r.header = slices.Grow(r.header[:0], int(n))[:n]
	if _, err := io.ReadFull(r.From, r.header); err != nil {
		return nil, cut(err)
	}
	m, total, err := parseHeader(r.header, most)
	if err != nil {
		return nil, err
	}
	r.data = slices.Grow(r.data[:0], int(total))[:total]
	if _, err := io.ReadFull(r.From, r.data); err != nil {
		return nil, cut(err)
	}
	for _, t := range m.Tensors {
		t.Data = r.data[t.Offsets[0]:t.Offsets[1]]
	}
	return m, nil
}

// cut returns the error of a message that ends too soon.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Size returns the number of bytes of a number of the type. It returns 0 for types that are not read.
func Size(dtype string) int64 {
	switch dtype {
	case "F32":
		return 4
	case "I64":
		return 8
	}
	return 0
}

// parseHeader reads a header, whose numbers have total bytes.
func parseHeader(text []byte, most int64) (m *Message, total int64, err error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, 0, Malformed("its header is no JSON object")
	}
	m = New(nil)
	for name, value := range raw {
		if name == Metadata {
			if err := json.Unmarshal(value, &m.Says); err != nil {
				return nil, 0, Malformed("its %s is no table of texts", Metadata)
			}
			continue
		}
		var t Tensor
		decoder := json.NewDecoder(bytes.NewReader(value))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&t); err != nil {
			return nil, 0, Malformed("tensor %q is not described by dtype, shape and data_offsets", name)
		}
		size := Size(t.DType)
		if count := t.Numbers(); size == 0 || count < 0 || t.Offsets[0] < 0 || t.Offsets[1]-t.Offsets[0] != count*size || t.Offsets[1] > most {
			return nil, 0, Malformed("tensor %q of %s, shape %v, bytes %v: F32 and I64 are read, of as many bytes as the shape says, %d at most", name, t.DType, t.Shape, t.Offsets, most)
		}
		m.Tensors[name] = &t
		total = max(total, t.Offsets[1])
	}
	if err := m.disjoint(total); err != nil {
		return nil, 0, err
	}
	return m, total, nil
}

// disjoint returns an error if tensors share bytes, or if bytes belong to no tensor.
func (m *Message) disjoint(total int64) error {
	var spans [][2]int64
	for _, t := range m.Tensors {
		spans = append(spans, t.Offsets)
	}
	slices.SortFunc(spans, func(a, b [2]int64) int {
		if a[0] != b[0] {
			return int(min(max(a[0]-b[0], -1), 1))
		}
		return int(min(max(a[1]-b[1], -1), 1))
	})
	at := int64(0)
	for _, s := range spans {
		if s[0] != at {
			return Malformed("its numbers have gaps, or lie on top of each other")
		}
		at = s[1]
	}
	if at != total {
		return Malformed("its numbers have gaps")
	}
	return nil
}

// Singles appends x in single precision.
func Singles(dst []byte, x []float64) []byte {
	for _, v := range x {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v)))
	}
	return dst
}

// Whole appends whole numbers of eight bytes.
func Whole(dst []byte, x []int) []byte {
	for _, v := range x {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(int64(v)))
	}
	return dst
}

// Doubles sets dst to numbers of single precision.
func Doubles(dst []float64, data []byte) {
	for i := range dst {
		dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
}
