package graphfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

func parsed(t testing.TB, expr string) *graph.Graph {
	t.Helper()
	g, err := gen.Parse(expr, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// npy is an array as NumPy writes it, of version 1.
func npy(dtype, shape string, fortran bool, values any) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", dtype, order, shape)
	head += strings.Repeat(" ", 63-(len(head)+10)%64) + "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	out, err := binary.Append(append(out, head...), binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return out
}

// npz is an archive of arrays, in turns of name and content.
func npz(parts ...any) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i].(string) + ".npy")
		if err != nil {
			panic(err)
		}
		if _, err := w.Write(parts[i+1].([]byte)); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// The same matrix on a ring of three, in every form.
var ringForms = map[string][]byte{
	"commas":       []byte("0.5,0.3,0.2\n0.2,0.5,0.3\n0.3,0.2,0.5\n"),
	"spaces":       []byte("# numpy.savetxt\n5.0e-01 3e-1 2e-1\n0.2 0.5 0.3\n0.3 0.2 0.5\n"),
	"named":        []byte(",2,0,1\n2,0.5,0.3,0.2\n0,0.2,0.5,0.3\n1,0.3,0.2,0.5\n"),
	"coordinates":  []byte("%%MatrixMarket matrix coordinate real general\n% scipy\n3 3 9\n1 1 0.5\n1 2 0.3\n1 3 0.2\n2 1 0.2\n2 2 0.5\n2 3 0.3\n3 1 0.3\n3 2 0.2\n3 3 0.5\n"),
	"market array": []byte("%%MatrixMarket matrix array real general\n%\n3 3\n0.5\n0.2\n0.3\n0.3\n0.5\n0.2\n0.2\n0.3\n0.5\n"),
	"npz, dense":   npz("w", npy("<f8", "(3, 3)", false, []float64{0.5, 0.3, 0.2, 0.2, 0.5, 0.3, 0.3, 0.2, 0.5})),
	"npz, fortran": npz("w", npy("<f8", "(3, 3)", true, []float64{0.5, 0.2, 0.3, 0.3, 0.5, 0.2, 0.2, 0.3, 0.5})),
	"npz, csr":     npz(scipy("csr", []int32{0, 1, 2, 0, 1, 2, 0, 1, 2}, []float64{0.5, 0.3, 0.2, 0.2, 0.5, 0.3, 0.3, 0.2, 0.5})...),
	"npz, csc":     npz(scipy("csc", []int32{0, 1, 2, 0, 1, 2, 0, 1, 2}, []float64{0.5, 0.2, 0.3, 0.3, 0.5, 0.2, 0.2, 0.3, 0.5})...),
	"npz, coo": npz("row", npy("<i4", "(9,)", false, []int32{0, 0, 0, 1, 1, 1, 2, 2, 2}), "col", npy("<i8", "(9,)", false, []int64{0, 1, 2, 0, 1, 2, 0, 1, 2}),
		"format", npy("|S3", "()", false, []byte("coo")), "shape", npy("<i8", "(2,)", false, []int64{3, 3}),
		"data", npy("<f8", "(9,)", false, []float64{0.5, 0.3, 0.2, 0.2, 0.5, 0.3, 0.3, 0.2, 0.5})),
}

// scipy are the arrays of compressed rows or columns of three.
func scipy(form string, indices []int32, data []float64) []any {
	return []any{"indices", npy("<i4", fmt.Sprintf("(%d,)", len(indices)), false, indices), "indptr", npy("<i4", "(4,)", false, []int32{0, 3, 6, 9}),
		"format", npy("|S3", "()", false, []byte(form)), "shape", npy("<i8", "(2,)", false, []int64{3, 3}), "data", npy("<f8", fmt.Sprintf("(%d,)", len(data)), false, data)}
}

func TestWeightsInEveryForm(t *testing.T) {
	g := parsed(t, "ring:3")
	for form, text := range ringForms {
		w, err := ReadWeights(text, "w", g)
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		for u := range 3 {
			if w.At(u, u) != 0.5 || w.At(u, (u+1)%3) != 0.3 || w.At(u, (u+2)%3) != 0.2 {
				t.Errorf("%s: row %d is %v %v %v", form, u, w.At(u, 0), w.At(u, 1), w.At(u, 2))
			}
		}
	}
}

func TestSymmetricWeightsOfMatrixMarket(t *testing.T) {
	g := parsed(t, "line:3")
	for _, text := range []string{
		"%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 0.6\n2 1 0.4\n2 2 0.2\n3 2 0.4\n3 3 0.6\n",
		"%%MatrixMarket matrix array real symmetric\n3 3\n0.6\n0.4\n0\n0.2\n0.4\n0.6\n",
	} {
		w, err := ReadWeights([]byte(text), "w.mtx", g)
		if err != nil {
			t.Fatal(err)
		}
		if !w.Symmetric() || w.At(0, 1) != 0.4 || w.At(2, 1) != 0.4 || w.At(1, 1) != 0.2 {
			t.Error("not the matrix")
		}
	}
}

// What is wrong is named, with a way out.
func TestWeightsThatAreRefused(t *testing.T) {
	for text, words := range map[string]string{
		"":                                      "no number",
		"0.5,0.5\n0.5,0.5\n":                    "2 rows and 2 columns, and the graph has 3",
		"0.5,0.3\n0.2,0.5,0.3\n0.3,0.2,0.5\n":   "no square matrix",
		"0.5,x,0.2\n0.2,0.5,0.3\n0.3,0.2,0.5\n": "no square matrix",
		",a,b,c\na,0.5,0.3,0.2\nb,0.2,0.5,0.3\nc,0.3,0.2,0.5\n":           `called "a"`,
		"0.5,0.3,0.3\n0.2,0.5,0.3\n0.3,0.2,0.5\n":                         "row of node 0",
		"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1\n":  "line 1",
		"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 0.5\n": "promises 2 entries, and 1 follow",
		"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 4 0.5\n": "entry (1, 4)",
		"%%MatrixMarket matrix coordinate real general\n9 9 1\n1 1 0.5\n": "9 rows",
		"%%MatrixMarket matrix array real general\n3 3\n1\n":              "1 numbers follow the sizes, not 9",
		"PK\x03\x04":   "no archive",
		"\x00\x01\x02": "w",
		string(npz("w", npy("<f8", "(3, 3)", false, []float64{1}))):                                           "EOF",
		string(npz("w", npy("<c16", "(3, 3)", false, []float64{1}))):                                          "no array of numbers",
		string(npz("w", npy("<f8", "(99999, 99999)", false, []float64{1}))):                                   "more than",
		string(npz("a", npy("<f8", "(1,)", false, []float64{1}), "b", npy("<f8", "()", false, []float64{1}))): "2 arrays",
		string(npz(scipy("bsr", []int32{0}, []float64{1})...)):                                                `form "bsr"`,
		string(npz(scipy("csr", []int32{0, 1, 7, 0, 1, 2, 0, 1, 2}, make([]float64, 9))...)):                  "7 is not a whole number from 0 to 2",
		string(npz(scipy("csr", []int32{0}, []float64{1})...)):                                                "row and column numbers",
	} {
		_, err := ReadWeights([]byte(text), "w", parsed(t, "ring:3"))
		if err == nil || !strings.Contains(err.Error(), words) || fault.Hint(err) == "" {
			t.Errorf("%.60q: %v (hint %q), not %q", text, err, fault.Hint(err), words)
		}
	}
}

// Messages and names have the last element of a path, not where it is.
func TestWeightsHaveNoPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.csv")
	if _, err := OpenTransition(parsed(t, "ring:3"), path); err == nil || strings.Contains(err.Error(), filepath.Dir(path)) {
		t.Error(err)
	}
	if err := os.WriteFile(path, ringForms["commas"], 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := OpenTransition(parsed(t, "ring:3"), path)
	if err != nil || w.Rule() != "w.csv" || !w.Own() {
		t.Errorf("%v, %v", w, err)
	}
	for weights, is := range map[string]bool{"w.csv": true, "dir/w": true, "": false, "hamilton": false, "hamilton-printed": false, "lazy:0.5": false, "hamiltn": false} {
		if IsWeights(weights) != is {
			t.Errorf("%q is a matrix: %v", weights, !is)
		}
	}
}

// Whatever the bytes, what is read is a stochastic matrix on the graph.
func FuzzReadWeights(f *testing.F) {
	for _, text := range ringForms {
		f.Add(text)
	}
	g := parsed(f, "ring:3")
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ReadWeights(text, "w", g)
		if err != nil {
			return
		}
		for u := range 3 {
			sum := 0.0
			for v := range 3 {
				if !(w.At(u, v) >= 0) {
					t.Fatalf("(%d, %d) is %v", u, v, w.At(u, v))
				}
				sum += w.At(u, v)
			}
			if !(sum > 1-1e-14 && sum < 1+1e-14) {
				t.Fatalf("row %d sums to %v", u, sum)
			}
		}
	})
}
