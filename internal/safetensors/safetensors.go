// Package safetensors reads and writes numbers under names, with texts beside them, in the format of that name: a length of
// eight bytes, a header in JSON, and the numbers. What is read may come from anybody: sizes are known before they are read.
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

// mostHeader is how many bytes a header may have, and mostNumbers how many its numbers.
const (
	mostHeader  = 1 << 20
	mostNumbers = 1 << 31
)

// Metadata is the name under which a header says what the message is.
const Metadata = "__metadata__"

// A Tensor is numbers of a message, as they came.
type Tensor struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
	Data    []byte   `json:"-"`
}

// Numbers is how many there should be, -1 if too many.
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
	order   []string // of the names of tensors that are to be written
}

// New is a message that says so, with no numbers yet.
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

// ErrMalformed is of a message that is none.
var ErrMalformed = errors.New("malformed message")

// Malformed is an error of a message that is none.
func Malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// A Reader reads messages into memory that it keeps.
type Reader struct {
	From   io.Reader
	header []byte
	data   []byte
}

// Read reads the next message, of at most so many bytes of numbers; what it has is borrowed until the next one.
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

// cut is the error of a message that ends too soon.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Size is how many bytes a number of a kind has, 0 of kinds that are not read.
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

// disjoint reports tensors that share bytes, and bytes that are no tensor's.
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
