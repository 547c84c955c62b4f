package pairing

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/step"
)

// keyOf is a key of a test: X25519 ignores the lowest three bits.
func keyOf(i byte) Key { return FromSecret([32]byte{8 * i, 1}) }

// couple are the ends of the edge between a and b.
func couple(t interface{ Fatal(...any) }, spec [32]byte, epoch uint64, a, b step.NodeID, ka, kb Key) (*Noise, *Noise) {
	x, y := with(ka, spec, epoch, a), with(kb, spec, epoch, b)
	if !x.Agree(b, y.Shown()) || !y.Agree(a, x.Shown()) {
		t.Fatal("no agreement")
	}
	return x, y
}

// Two neighbours draw the same without a word, and the one takes away what the other adds,
// to the last bit.
func TestNoiseOfAnEdgeCancels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := step.NodeID(rapid.Int32Range(0, 1000).Draw(t, "a")), step.NodeID(rapid.Int32Range(1001, 2000).Draw(t, "b"))
		if rapid.Bool().Draw(t, "exchanged") {
			a, b = b, a
		}
		std := rapid.Float64Range(1e-3, 1e3).Draw(t, "std")
		x, y := couple(t, [32]byte{9}, 1, a, b, keyOf(1), keyOf(2))
		for turn := range step.Turn(3) {
			p, q := make([]float64, 5), make([]float64, 5)
			x.AddShared(p, std, a, b, 8*turn, 0)
			y.AddShared(q, std, b, a, 8*turn, 0)
			for i := range p {
				if p[i]+q[i] != 0 || p[i] == 0 {
					t.Fatalf("turn %d: %v and %v", turn, p, q)
				}
			}
		}
	})
}

// Whatever differs of a run, an edge or a turn, the noise is another: none is used twice.
func TestNothingIsDrawnTwice(t *testing.T) {
	type place struct {
		spec, key, peer byte
		epoch           uint64
		a, b            step.NodeID
		turn            step.Turn
		lane            step.Lane
	}
	first := place{spec: 1, key: 1, peer: 2, a: 3, b: 4, turn: 5}
	places := map[string]place{"itself": first}
	for name, change := range map[string]func(p *place){
		"spec": func(p *place) { p.spec++ }, "key": func(p *place) { p.key = 7 }, "peer": func(p *place) { p.peer = 7 },
		"epoch": func(p *place) { p.epoch++ }, "numbers": func(p *place) { p.b = 9 }, "turn": func(p *place) { p.turn++ },
		"lane": func(p *place) { p.lane++ }, "exchanged numbers": func(p *place) { p.a, p.b = p.b, p.a },
	} {
		p := first
		change(&p)
		places[name] = p
	}
	seen := map[string]string{}
	for name, p := range places {
		n, _ := couple(t, [32]byte{p.spec}, p.epoch, p.a, p.b, keyOf(p.key), keyOf(p.peer))
		x := make([]float64, 4)
		n.AddShared(x, 1, p.a, p.b, p.turn, p.lane)
		for i := range x {
			x[i] = math.Abs(x[i])
		}
		if other, known := seen[fmt.Sprint(x)]; known {
			t.Errorf("%s and %s draw the same", name, other)
		}
		seen[fmt.Sprint(x)] = name
	}
}

// A turn that was drawn, or lies behind, is not drawn again; a stranger has no noise.
func TestMisuseStops(t *testing.T) {
	n, _ := couple(t, [32]byte{1}, 0, 0, 1, keyOf(1), keyOf(2))
	n.AddShared(make([]float64, 1), 1, 0, 1, 5, 0)
	n.AddShared(make([]float64, 1), 1, 0, 1, 5, 1)
	for name, ask := range map[string]func(){
		"again":    func() { n.AddShared(make([]float64, 1), 1, 0, 1, 5, 0) },
		"earlier":  func() { n.AddShared(make([]float64, 1), 1, 0, 1, 4, 0) },
		"silently": func() { n.AddShared(make([]float64, 1), 0, 0, 1, 5, 0) },
		"stranger": func() { n.AddShared(make([]float64, 1), 1, 0, 2, 9, 0) },
		"another":  func() { n.AddShared(make([]float64, 1), 1, 1, 0, 9, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: drawn", name)
				}
			}()
			ask()
		}()
	}
}

// Garbage for a key is refused where no secret can come of it, and else gives one that
// its sender does not know either; nobody gets in by repeating a key.
func TestGarbageForAKey(t *testing.T) {
	spec := [32]byte{1}
	for name, public := range map[string][PublicSize]byte{
		"zero": {}, "one": {1}, "own": keyOf(1).Public(),
		"of order 8": [32]byte(mustHex(t, "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")),
		"p":          [32]byte(mustHex(t, "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
	} {
		if with(keyOf(1), spec, 0, 0).Agree(1, numbers(nil, public[:])) {
			t.Errorf("%s: taken for a key", name)
		}
	}
	honest := keyOf(2).Public()
	for name, spoil := range map[string]func(shown []float64) []float64{
		"too short": func(shown []float64) []float64 { return shown[1:] }, "nothing": func([]float64) []float64 { return nil },
		"a fraction": func(shown []float64) []float64 { shown[3] += 0.5; return shown }, "too large": func(shown []float64) []float64 { shown[0] = 1 << 16; return shown },
		"negative": func(shown []float64) []float64 { shown[9] = -1; return shown }, "no number": func(shown []float64) []float64 { shown[0] = math.NaN(); return shown },
	} {
		if with(keyOf(1), spec, 0, 0).Agree(1, spoil(numbers(nil, honest[:]))) {
			t.Errorf("%s: taken for a key", name)
		}
	}
	// Nodes 1 and 2 show one key: their edges with node 0 have different noise.
	n := with(keyOf(1), spec, 0, 0)
	if !n.Agree(1, numbers(nil, honest[:])) || !n.Agree(2, numbers(nil, honest[:])) {
		t.Fatal("an honest key is refused")
	}
	x, y := make([]float64, 4), make([]float64, 4)
	n.AddShared(x, 1, 0, 1, 0, 0)
	n.AddShared(y, 1, 0, 2, 0, 0)
	if slices.Equal(x, y) {
		t.Error("two edges have one noise")
	}
}

func mustHex(t *testing.T, text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Shared noise lies on the grid of its standard deviation, and has it. Six standard
// errors: false alarm 2e-9.
func TestNoiseLiesOnItsGrid(t *testing.T) {
	const draws, std = 50_000, 3.7
	n, _ := couple(t, [32]byte{1}, 0, 0, 1, keyOf(1), keyOf(2))
	x := make([]float64, draws)
	n.AddShared(x, std, 0, 1, 0, 0)
	g, squares := discrete.NewGrid(std).Step(), 0.0
	for _, v := range x {
		if math.Mod(v, g) != 0 {
			t.Fatalf("%g is no multiple of %g", v, g)
		}
		squares += v * v / (std * std)
	}
	if math.Abs(squares/draws-1) > 6*math.Sqrt(2./draws) {
		t.Errorf("variance is %g of the one asked for", squares/draws)
	}
	if n.Simulated() {
		t.Error("real noise calls itself simulated")
	}
}

// Fresh keys differ, and neither prints itself.
func TestKeysAreFreshAndSilent(t *testing.T) {
	a, err := Generate(rand.Reader)
	b, err2 := Generate(rand.Reader)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if a.Public() == b.Public() {
		t.Error("two runs have one key")
	}
	for _, text := range []string{fmt.Sprint(a), fmt.Sprintf("%#v", a), fmt.Sprintf("%+v", a)} {
		if !strings.Contains(text, "secret") || strings.Contains(text, "[") {
			t.Errorf("a key prints as %s", text)
		}
	}
	if _, err := Generate(bytes.NewReader(nil)); err == nil {
		t.Error("a key of no randomness")
	}
}

// The derivation does not change without somebody noticing: neighbours of different versions
// would add noise that does not cancel.
func TestDerivationStays(t *testing.T) {
	secret, err := keyOf(1).secret(edge{[32]byte{5}, 2, 7, keyOf(2).Public()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(secret), "cc95c4a7954fd0de148baa3502c7a6f18c4ccf3332ce0c397847bf635a712529"; got != want {
		t.Errorf("secret %s, want %s", got, want)
	}
}

// Over a restart nothing is drawn again and everything else goes on; after the run no secret
// is left.
func TestRestartsGoOnAndForget(t *testing.T) {
	x, y := couple(t, [32]byte{1}, 0, 3, 8, keyOf(1), keyOf(2))
	if !x.Agree(5, with(keyOf(3), [32]byte{1}, 0, 5).Shown()) {
		t.Fatal("no agreement")
	}
	x.AddShared(make([]float64, 1), 1, 3, 8, 4, 0)
	state := x.State()
	if len(state) > noise.StateSize(2) {
		t.Fatalf("%d numbers of two neighbours", len(state))
	}
	again := with(keyOf(9), [32]byte{1}, 0, 3)
	if err := again.Restore(state); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.State(), state) || !again.Knows(5) || !again.Knows(8) || again.Knows(4) {
		t.Errorf("restored %v, kept %v", again.State(), state)
	}
	a, b := make([]float64, 3), make([]float64, 3)
	again.AddShared(a, 1, 3, 8, 5, 0)
	y.AddShared(b, 1, 8, 3, 5, 0)
	if a[0] != -b[0] || a[0] == 0 {
		t.Errorf("%v after a restart, %v on the other side", a, b)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a turn is drawn again after a restart")
			}
		}()
		if err := again.Restore(state); err != nil {
			t.Fatal(err)
		}
		again.AddShared(a, 1, 3, 8, 4, 0)
	}()
	again.Forget()
	if again.State() != nil || again.Knows(8) {
		t.Error("secrets are left after the run")
	}
	if err := again.Restore(nil); err != nil || again.Knows(8) {
		t.Errorf("what was forgotten is restored: %v", err)
	}
}

// Damaged states are refused, whatever they are.
func TestDamagedStatesAreRefused(t *testing.T) {
	x, _ := couple(t, [32]byte{1}, 0, 3, 8, keyOf(1), keyOf(2))
	good := x.State()
	rapid.Check(t, func(t *rapid.T) {
		bad := slices.Clone(good)[:rapid.IntRange(1, len(good)).Draw(t, "length")]
		at := rapid.IntRange(0, len(bad)-1).Draw(t, "at")
		bad[at] = rapid.SampledFrom([]float64{math.NaN(), -1, 0.5, math.Inf(1), 1e300, 65536 * 65536 * 65536 * 65536}).Draw(t, "value")
		if err := with(keyOf(5), [32]byte{1}, 0, 3).Restore(bad); err == nil {
			t.Fatalf("restored from %v", bad)
		}
	})
}
