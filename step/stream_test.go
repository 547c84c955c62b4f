package step

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// A stream's output depends on its position only, not on what was drawn
// before.
func TestStreamDependsOnPositionOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		node := NodeID(rapid.Int32Min(0).Draw(t, "node"))
		turn := Turn(rapid.Int64Min(0).Draw(t, "turn"))
		var fresh, used Stream
		used.At(seed+1, node, turn, 0, Route).NormFloat64()
		if a, b := fresh.At(seed, node, turn, 0, Noise).Uint64(), used.At(seed, node, turn, 0, Noise).Uint64(); a != b {
			t.Fatalf("first draw %x on a fresh stream, %x on a used one", a, b)
		}
	})
}

// Lane 0 draws what was drawn before there were lanes: results of a seed stay as
// they are.
func TestFirstLaneDrawsAsEver(t *testing.T) {
	var s Stream
	for _, c := range []struct {
		seed    uint64
		node    NodeID
		turn    Turn
		purpose Purpose
		want    uint64
	}{
		{1, 0, 0, Noise, 0x794b8736e379fe3},
		{7, 3, 5, Route, 0xee0fd982a0bf0ce7},
		{0xfedcba9876543210, math.MaxInt32, 1 << 40, Reroute + 9, 0x6b9d34d130531766},
	} {
		if got := s.At(c.seed, c.node, c.turn, 0, c.purpose).Uint64(); got != c.want {
			t.Errorf("%+v: draws %#x", c, got)
		}
	}
}

// Neighbouring positions have unrelated streams: over all pairs of 4096
// positions that differ in one coordinate, the first draws are distinct and
// about half of their bits differ. With 4096 draws the mean share of differing
// bits has standard deviation 0.5/sqrt(64*4096) = 0.00098; the bound of six
// of them raises a false alarm with probability 2e-9.
func TestStreamSeparatesPositions(t *testing.T) {
	moves := map[string]func(i int) (uint64, NodeID, Turn, Lane, Purpose){
		"seed":    func(i int) (uint64, NodeID, Turn, Lane, Purpose) { return uint64(i), 3, 5, 0, Noise },
		"node":    func(i int) (uint64, NodeID, Turn, Lane, Purpose) { return 1, NodeID(i), 5, 0, Noise },
		"turn":    func(i int) (uint64, NodeID, Turn, Lane, Purpose) { return 1, 3, Turn(i), 0, Noise },
		"lane":    func(i int) (uint64, NodeID, Turn, Lane, Purpose) { return 1, 3, 5, Lane(i), Noise },
		"pair":    func(i int) (uint64, NodeID, Turn, Lane, Purpose) { return 1, 3, 5, 0, 0 }, // AtPair takes its place
		"purpose": func(i int) (uint64, NodeID, Turn, Lane, Purpose) { return 1, 3, Turn(i / 4), 0, Purpose(1 + i%4) },
	}
	const n = 4096
	for name, move := range moves {
		t.Run(name, func(t *testing.T) {
			var s Stream
			seen := make(map[uint64]bool)
			var flipped int
			last := uint64(0)
			for i := range n {
				x := s.At(move(i)).Uint64()
				if name == "pair" {
					x = s.AtPair(1, 3, NodeID(i+4), 5, 0, Noise).Uint64()
				}
				if seen[x] {
					t.Fatalf("position %d repeats a first draw", i)
				}
				seen[x] = true
				flipped += popcount(x ^ last)
				last = x
			}
			if share := float64(flipped) / (64 * n); math.Abs(share-0.5) > 6*0.00098 {
				t.Errorf("neighbouring positions share bits: %.4f of them differ", share)
			}
		})
	}
}

// Both ends of an edge draw the same, and no node draws it alone.
func TestPairsDrawTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Stream
		seed, lane := rapid.Uint64().Draw(t, "seed"), Lane(rapid.Uint32().Draw(t, "lane"))
		a, b := NodeID(rapid.Int32Min(0).Draw(t, "a")), NodeID(rapid.Int32Min(0).Draw(t, "b"))
		turn := Turn(rapid.Int64Min(0).Draw(t, "turn"))
		together := s.AtPair(seed, a, b, turn, lane, Noise).Uint64()
		if other := s.AtPair(seed, b, a, turn, lane, Noise).Uint64(); other != together {
			t.Fatalf("%x and %x", together, other)
		}
		if alone := s.At(seed, a, turn, lane, Noise).Uint64(); alone == together {
			t.Fatal("the noise of an edge is that of a node")
		}
	})
}

func popcount(x uint64) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

func BenchmarkStreamAt(b *testing.B) {
	var s Stream
	for i := range b.N {
		s.At(1, 2, Turn(i), 0, Noise)
	}
}
