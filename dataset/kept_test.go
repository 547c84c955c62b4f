package dataset

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/scatter"
	"github.com/hearsay-dp/hearsay/step"
)

// memory is a Keeper that counts.
type memory struct {
	kept           map[digest][]byte
	asked, encoded int
}

func (m *memory) Recall(key [32]byte) []byte {
	m.asked++
	return m.kept[key]
}

func (m *memory) Keep(key [32]byte, rows []byte) {
	m.encoded++
	m.kept[key] = slices.Clone(rows)
}

// pictures are rows of 32 x 32 numbers, and how they are encoded.
func pictures(rows int) (*Table, Options) {
	const side = 32
	t := &Table{Source: "csv", Target: "label", Task: Classification, X: make([]float64, rows*side*side), Y: make([]float64, rows)}
	for j := range side * side {
		t.Features = append(t.Features, fmt.Sprint(j))
	}
	var stream step.Stream
	stream.At(1, 0, 0, 0, step.Data)
	stream.Normals(t.X)
	for i := range t.Y {
		t.Y[i] = float64(1 - i%2*2)
	}
	return t, Options{Source: "csv", Target: "label", Task: Classification, Test: 0.25, Scale: "none", Normalise: "unit", Partition: "uniform", Nodes: 4,
		Encoding: func(int) *scatter.Encoding {
			return &scatter.Encoding{Shape: []int{1, side, side}, Steps: []scatter.Step{{Scatter: &scatter.Wavelets{Scales: 3, Angles: 1}}}}
		}}
}

// TestEncodedRowsAreKept compares runs with and without a keeper, to the bit: the same rows are encoded once, whatever the seed that
// spreads them, and rows that are kept wrongly are encoded anew.
func TestEncodedRowsAreKept(t *testing.T) {
	table, o := pictures(1200)
	kept := &memory{kept: map[digest][]byte{}}
	federate := func(what string, seed uint64, encoded bool) {
		t.Helper()
		plain := o
		plain.Kept = nil
		want, err := Federate(table, plain, seed)
		if err != nil {
			t.Fatal(err)
		}
		before := kept.encoded
		got, err := Federate(table, o, seed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Shards.X, want.Shards.X) || !slices.Equal(got.Test.X, want.Test.X) {
			t.Errorf("%s: rows differ from those that are encoded without a keeper", what)
		}
		if (kept.encoded > before) != encoded {
			t.Errorf("%s: %d blocks of rows were encoded", what, kept.encoded-before)
		}
	}
	o.Kept = kept
	federate("the first time", 1, true)
	federate("again", 1, false)
	federate("other test rows, other nodes", 2, false)

	damage := func(what string, change func(text []byte) []byte) {
		for key, text := range kept.kept {
			kept.kept[key] = change(text)
		}
		federate(what, 1, true)
	}
	damage("cut", func(text []byte) []byte { return text[:len(text)-1] })
	damage("longer", func(text []byte) []byte { return append(text, 0) })
	damage("no number", func(text []byte) []byte {
		copy(text[len(text)-8:], "\xff\xff\xff\xff\xff\xff\xff\xff")
		return text
	})

	table.X[5] += 1e-9
	federate("a row differs", 1, true)
	shape := o.Encoding(0).Shape
	o.Encoding = func(int) *scatter.Encoding {
		return &scatter.Encoding{Shape: shape, Steps: []scatter.Step{{Scatter: &scatter.Wavelets{Scales: 4, Angles: 1}}}}
	}
	federate("another encoding", 1, true)

	table, o = pictures(40)
	o.Kept, kept.asked = kept, 0
	federate("few rows", 1, false)
	if kept.asked > 0 {
		t.Error("few rows are looked for")
	}
}

// FuzzKeptRows reads bytes that anybody may have kept.
func FuzzKeptRows(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendNumbers(nil, []float64{1, -2, 3, 4}))
	f.Add(make([]byte, 31))
	f.Fuzz(func(t *testing.T, text []byte) {
		to := make([]float64, 4)
		if readNumbers([]row{{to: to[:2]}, {to: to[2:]}}, text) && string(appendNumbers(nil, to)) != string(text) {
			t.Errorf("%x is read as %v", text, to)
		}
	})
}
