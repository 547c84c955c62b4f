package step

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A stream draws what the library's generator draws.
func TestStreamIsTheLibrarysGenerator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		high, low := rapid.Uint64().Draw(t, "high"), rapid.Uint64().Draw(t, "low")
		own, library := pcg{high, low}, rand.NewPCG(high, low)
		for range 10 {
			if got, want := own.Uint64(), library.Uint64(); got != want {
				t.Fatalf("draws %#x, want %#x", got, want)
			}
		}
	})
}

// Many normals are those of one by one, bit for bit, and what is drawn after them too. Of half a million some fourteen
// thousand are not accepted at once.
func TestNormalsAreThoseOfOneByOne(t *testing.T) {
	var many, one Stream
	const turns, most = 10_000, 100
	block, slow := make([]float64, most), 0
	for turn := range Turn(turns) {
		rest, r := many.At(3, 1, turn, 0, Noise), one.At(3, 1, turn, 0, Noise)
		n := int(turn) % (most + 1)
		many.Normals(block[:n])
		for i, got := range block[:n] {
			before := one.pcg
			if want := Normal(r); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("turn %d: normal %d is %v, want %v", turn, i, got, want)
			}
			if before.next() != one.pcg {
				slow++
			}
		}
		if rest.Uint64() != r.Uint64() {
			t.Fatalf("turn %d: other draws after the normals", turn)
		}
	}
	if share := float64(slow) / (turns * most / 2); share > 0.03 {
		t.Errorf("%g of all normals take more than one draw", share)
	}
}

// What is accepted at once is what the library accepts, but for its units of 24 bits: at the ends of every strip.
func TestStripsEndWhereTheLibrarysDo(t *testing.T) {
	total := 0.0
	for i, s := range strips {
		total += float64(s.within) / (1 << 31) / 128
		end := s.within - 1<<8
		if end <= 0 {
			continue
		}
		draws := &counted{u: uint64(i)<<32 | uint64(end)}
		if got, want := rand.New(draws).NormFloat64(), float64(end)*s.unit; got != want || draws.n != 1 {
			t.Errorf("strip %d: %v in %d draws at the end, want %v in 1", i, got, draws.n, want)
		}
	}
	if total < 0.97 {
		t.Errorf("%g of all draws are accepted at once", total)
	}
}

// However many are accepted at once, they are those of the plain loop, and the state is.
func TestNormalsOfThisProcessorAreThePlainOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := pcg{rapid.Uint64().Draw(t, "high"), rapid.Uint64().Draw(t, "low")}
		other, n := one, rapid.IntRange(0, 100).Draw(t, "n")
		a, b := make([]float64, n), make([]float64, n)
		got, want := one.accepted(a), other.acceptedPlain(b)
		if got != want || one != other || !slices.Equal(a[:got], b[:want]) {
			t.Fatalf("%d numbers up to the state %x, want %d up to %x", got, one, want, other)
		}
	})
}

// counted yields u, then 0, and counts.
type counted struct {
	u uint64
	n int
}

func (c *counted) Uint64() uint64 {
	u := c.u
	c.u, c.n = 0, c.n+1
	return u
}

func BenchmarkNormals(b *testing.B) {
	var s Stream
	var block [9]float64
	b.Run("nine", func(b *testing.B) {
		for i := range b.N {
			s.At(1, 3, Turn(i), 0, Noise)
			s.Normals(block[:])
		}
	})
	b.Run("one-by-one", func(b *testing.B) {
		for i := range b.N {
			r := s.At(1, 3, Turn(i), 0, Noise)
			for j := range block {
				block[j] = Normal(r)
			}
		}
	})
}

// Normal is rand.NormFloat64, but for its tail and its close calls, whose last digits differ.
func TestNormalIsTheStandardLibrarys(t *testing.T) {
	own, std := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		if got, want := Normal(own), std.NormFloat64(); math.Abs(got-want) > 1e-14 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
