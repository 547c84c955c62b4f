package allpairs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// MarshalBinary encodes a walk in at most 32 + 24 n + 12 entries bytes.
func (w Walk) MarshalBinary() ([]byte, error) {
	var text []byte
	for _, x := range []uint64{uint64(w.W.N), uint64(len(w.W.Columns)), uint64(w.Turns), uint64(w.Cap), math.Float64bits(w.Skip)} {
		text = binary.LittleEndian.AppendUint64(text, x)
	}
	for i := range w.W.N {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(w.Start[i]))
		text = binary.LittleEndian.AppendUint64(text, uint64(w.W.Offsets[i+1]))
	}
	for k, column := range w.W.Columns {
		text = binary.LittleEndian.AppendUint32(text, uint32(column))
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(w.W.Values[k]))
	}
	return text, nil
}

// MostEncoded is an upper bound of the size in bytes of any walk that Check accepts.
const MostEncoded = 64 + 16*Most + 12*Most*Most

// UnmarshalBinary decodes a walk from an untrusted source. It returns an error unless the walk passes Check and
// all rows are laws.
func (w *Walk) UnmarshalBinary(text []byte) error {
	in := bytes.NewReader(text)
	var head struct {
		Nodes, Entries, Turns, Cap uint64
		Skip                       float64
	}
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil {
		return errors.New("a walk that ends too early")
	}
	if head.Nodes < 2 || head.Nodes > Most || head.Entries > head.Nodes*head.Nodes || head.Turns > math.MaxInt32 || head.Cap > MostCap ||
		uint64(in.Len()) != 16*head.Nodes+12*head.Entries {
		return fmt.Errorf("a walk on %d nodes with %d entries, %d turns and %d contributions in %d bytes", head.Nodes, head.Entries, head.Turns, head.Cap, len(text))
	}
	n := int(head.Nodes)
	m := &sparse.Matrix{N: n, Offsets: make([]int, n+1), Columns: make([]int32, head.Entries), Values: make([]float64, head.Entries)}
	start := make([]float64, n)
	text = text[len(text)-in.Len():]
	for i := range n {
		start[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[16*i:]))
		end := binary.LittleEndian.Uint64(text[16*i+8:])
		if end < uint64(m.Offsets[i]) || end > head.Entries {
			return fmt.Errorf("a walk whose row %d ends at %d", i, end)
		}
		m.Offsets[i+1] = int(end)
	}
	text = text[16*n:]
	for k := range m.Columns {
		m.Columns[k] = int32(binary.LittleEndian.Uint32(text[12*k:]))
		m.Values[k] = math.Float64frombits(binary.LittleEndian.Uint64(text[12*k+4:]))
	}
	read := Walk{W: m, Start: start, Turns: int(head.Turns), Cap: int(head.Cap), Skip: head.Skip}
	if err := read.lawful(); err != nil {
		return err
	}
	if err := read.Check(); err != nil {
		return err
	}
	*w = read
	return nil
}

// lawful returns an error if a row or the start is not a law.
func (w Walk) lawful() error {
	if w.W.Offsets[w.W.N] != len(w.W.Columns) {
		return errors.New("a walk with entries of no row")
	}
	if err := checkLaw(w.Start); err != nil {
		return fmt.Errorf("a start that is %w", err)
	}
	for i := range w.W.N {
		columns, values := w.W.Row(i)
		for k, c := range columns {
			if c < 0 || int(c) >= w.W.N || k > 0 && c <= columns[k-1] {
				return fmt.Errorf("a walk with column %d in row %d", c, i)
			}
		}
		if err := checkLaw(values); err != nil {
			return fmt.Errorf("a walk whose row %d is %w", i, err)
		}
	}
	return nil
}

func checkLaw(values []float64) error {
	sum := 0.0
	for _, x := range values {
		if !(x >= 0 && x <= 1+1e-9) {
			return fmt.Errorf("no law: it has the probability %g", x)
		}
		sum += x
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("no law: it sums to %g", sum)
	}
	return nil
}
