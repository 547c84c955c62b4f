package secret

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

// recorded fills seeds with a count and keeps every slice it was given.
type recorded struct{ seeds [][]byte }

func (r *recorded) fill(seed []byte) {
	r.seeds = append(r.seeds, seed)
	for i := range seed {
		seed[i] = byte(len(r.seeds))
	}
}

// A seed serves one value and is wiped before the first of its words.
func TestSeedsAreReplacedAndWiped(t *testing.T) {
	var r recorded
	source, router := newNoise(&words{fill: r.fill}), newRouter(&words{fill: r.fill})
	for i := range 3 {
		source.Add(make([]float64, 5), 1, 0, 0, 0)
		router.Rand().Uint64()
		if want := 2 * (i + 1); len(r.seeds) != want {
			t.Fatalf("%d seeds after %d values and as many decisions, want %d", len(r.seeds), i+1, want)
		}
	}
	for i, seed := range r.seeds {
		if !bytes.Equal(seed, make([]byte, 32)) {
			t.Errorf("seed %d is still in memory", i)
		}
	}
}

// fork copies the words as a snapshot of a process's memory does.
func fork(t *testing.T, w *words) *words {
	t.Helper()
	state, err := w.cipher.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	cipher := new(rand.ChaCha8)
	if err := cipher.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	return &words{cipher: cipher, fill: w.fill}
}

// Two processes that go on from one copy of memory draw no value alike, neither noise nor
// routes nor batches: 64 equal words would take a chance of 2^-4096.
func TestNothingIsDrawnAgainAfterASnapshotOfMemory(t *testing.T) {
	source, router := NewNoise(), NewRouter()
	source.Add(make([]float64, 9), 1, 0, 0, 0)
	router.Rand().Uint64()
	sources := [2]*Noise{source, newNoise(fork(t, source.words))}
	routers := [2]*Router{router, newRouter(fork(t, router.words))}
	for turn := range step.Turn(20) {
		var drawn [2][]float64
		var words [2][]uint64
		for i := range 2 {
			drawn[i] = make([]float64, 64)
			sources[i].Add(drawn[i], 1, 0, turn, 0)
			for r := routers[i].Rand(); len(words[i]) < 64; {
				words[i] = append(words[i], r.Uint64())
			}
		}
		if slices.Equal(drawn[0], drawn[1]) {
			t.Fatalf("turn %d has the same noise in both processes", turn)
		}
		if slices.Equal(words[0], words[1]) {
			t.Fatalf("turn %d has the same routes in both processes", turn)
		}
	}
}

// The second seed depends on the words of the first and on the fresh bytes.
func TestSeedsAreMixed(t *testing.T) {
	var first, second [32]byte
	for i := range first {
		first[i], second[i] = 1, 2
	}
	w, cipher := &words{fill: new(recorded).fill}, rand.NewChaCha8(first)
	w.renew()
	for range 100 {
		if got, want := w.Uint64(), cipher.Uint64(); got != want {
			t.Fatalf("word %x, ChaCha8 says %x", got, want)
		}
	}
	var mixed [32]byte
	cipher.Read(mixed[:])
	for i := range mixed {
		mixed[i] ^= second[i]
	}
	w.renew()
	if got, want := w.Uint64(), rand.NewChaCha8(mixed).Uint64(); got != want {
		t.Errorf("first word of the second seed is %x, want %x", got, want)
	}
}

// Two sources never agree: 64 equal words would take a chance of 2^-4096.
func TestSourcesDiffer(t *testing.T) {
	a, b := NewRouter().Rand(), NewRouter().Rand()
	same := func(i uint64) bool { return a.Uint64() == b.Uint64() }
	if !slices.ContainsFunc(make([]uint64, 64), func(i uint64) bool { return !same(i) }) {
		t.Error("two routers draw the same words")
	}
	x, y := make([]float64, 64), make([]float64, 64)
	NewNoise().Add(x, 1, 0, 0, 0)
	NewNoise().Add(y, 1, 0, 0, 0)
	if slices.Equal(x, y) {
		t.Error("two sources draw the same noise")
	}
}

// No two values have the same noise, also where the node, the turn and the lane
// are the same.
func TestEveryDrawIsAnew(t *testing.T) {
	source, x, y := NewNoise(), make([]float64, 64), make([]float64, 64)
	source.Add(x, 1, 3, 5, 1)
	source.Add(y, 1, 3, 5, 1)
	if slices.Equal(x, y) {
		t.Error("one node, turn and lane has the same noise twice")
	}
}

// The noise has the standard deviation asked for, and says that it is none of
// a simulation. Six standard errors: false alarm 2e-9.
func TestNoiseIsReal(t *testing.T) {
	const n = 100_000
	source, dst := NewNoise(), make([]float64, n)
	source.Add(dst, 3, 1, 2, 0)
	var squares float64
	for _, x := range dst {
		squares += x * x
	}
	if got := squares / n / 9; math.Abs(got-1) > 6*math.Sqrt(2./n) {
		t.Errorf("variance is %g of the one asked for", got)
	}
	if source.Simulated() {
		t.Error("real noise calls itself simulated")
	}
}

// On the same words, a recorded noise is repeated: the grid and the draws hold
// nothing else of chance.
func TestNoiseDependsOnItsWordsOnly(t *testing.T) {
	x, y := make([]float64, 9), make([]float64, 9)
	newNoise(&words{fill: new(recorded).fill}).Add(x, 2, 0, 0, 0)
	newNoise(&words{fill: new(recorded).fill}).Add(y, 2, 5, 7, 0)
	if !slices.Equal(x, y) {
		t.Errorf("%v and %v on the same words", x, y)
	}
}

// No exported function of this package takes an argument, and no exported
// type has an exported field: there is no way in for a seed.
func TestNothingTakesASeed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.IsExported() && n.Type.Params.NumFields() > 0 {
					t.Errorf("%s takes arguments", n.Name)
				}
			case *ast.StructType:
				for _, field := range n.Fields.List {
					if len(field.Names) == 0 || field.Names[0].IsExported() {
						t.Errorf("%s: a struct shows a field", name)
					}
				}
			}
			return true
		})
	}
}

func BenchmarkWord(b *testing.B) {
	w := newWords()
	w.renew()
	for b.Loop() {
		w.Uint64()
	}
}

func BenchmarkRenew(b *testing.B) {
	w := newWords()
	for b.Loop() {
		w.renew()
	}
}

func BenchmarkNoise1000(b *testing.B) {
	source, dst := NewNoise(), make([]float64, 1000)
	for b.Loop() {
		source.Add(dst, 3, 0, 0, 0)
	}
}
