package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

func buildErdosRenyi(e *expression) *graph.Graph {
	n, p := e.integer("n", 1, graph.MaxNodes), e.real("p", 1)
	if !e.fits(float64(n), float64(n)*float64(n-1)*p) {
		return nil
	}
	return e.draw(func(s *step.Stream, turn step.Turn) *graph.Graph {
		return erdosRenyi(n, p, s.At(e.seed, 0, turn, 0, step.Topology))
	})
}

// erdosRenyi joins each of the n(n-1)/2 pairs with probability p.
func erdosRenyi(n int, p float64, r *rand.Rand) *graph.Graph {
	expected := float64(p * float64(n) * float64(n-1) / 2)
	pairs := make([][2]int32, 0, int(expected+float64(4*math.Sqrt(expected)))+16)
	for u := range n {
		successes(n-u-1, p, r, func(k int) {
			pairs = append(pairs, [2]int32{int32(u), int32(u + 1 + k)})
		})
	}
	return graph.FromPairs(n, pairs, false)
}

// successes calls hit with the indices of the successes among independent
// trials, ascending. It jumps from one success to the next by the geometric
// distribution, so its cost is proportional to the successes.
func successes(trials int, p float64, r *rand.Rand, hit func(k int)) {
	if p == 0 {
		return
	}
	scale := 1 / math.Log1p(-p)
	for k := 0; ; k++ {
		gap := float64(math.Log(1-float64(r.Float64())) * scale) // failures before the next success
		if !(gap < float64(trials-k)) {
			return
		}
		k += int(gap)
		hit(k)
	}
}

func buildBlockModel(e *expression) *graph.Graph {
	sizes := e.integers("sizes", "+", 1, graph.MaxNodes)
	p := e.blockMatrix(len(sizes))
	nodes, entries := 0.0, 0.0
	for i, size := range sizes {
		nodes += float64(size)
		for j, other := range sizes {
			if e.err == nil {
				entries += float64(p[i][j] * float64(size) * float64(other))
			}
		}
	}
	if !e.fits(nodes, entries) {
		return nil
	}
	return e.draw(func(s *step.Stream, turn step.Turn) *graph.Graph {
		return blockModel(sizes, p, s.At(e.seed, 0, turn, 0, step.Topology))
	})
}

// blockMatrix parses p=a+b/b+c, with slashes between rows, or inside= and
// outside=.
func (e *expression) blockMatrix(blocks int) [][]float64 {
	if _, full := e.values["p"]; !full {
		inside, outside := e.real("inside", 1), e.real("outside", 1)
		return twoLevelMatrix(blocks, inside, outside)
	}
	p := e.matrix("p")
	if len(p) != blocks {
		e.fail(fmt.Sprintf("has %d sizes but %d rows of p", blocks, len(p)), e.generator.help())
		return nil
	}
	for i, row := range p {
		if len(row) != blocks {
			e.fail(fmt.Sprintf("has %d sizes but %d entries in row %d of p", blocks, len(row), i+1), e.generator.help())
			return nil
		}
		for j := range i {
			if row[j] != p[j][i] {
				e.fail(fmt.Sprintf("wants a symmetric p, but row %d column %d is %g and the mirrored entry %g",
					i+1, j+1, row[j], p[j][i]), e.generator.help())
			}
		}
	}
	return p
}

func twoLevelMatrix(blocks int, inside, outside float64) [][]float64 {
	p := make([][]float64, blocks)
	for i := range p {
		p[i] = make([]float64, blocks)
		for j := range p[i] {
			p[i][j] = outside
		}
		p[i][i] = inside
	}
	return p
}

// blockModel joins a node of block i and one of block j with probability
// p[i][j] (Holland, Laskey and Leinhardt 1983). The nodes of a block have
// consecutive numbers.
func blockModel(sizes []int, p [][]float64, r *rand.Rand) *graph.Graph {
	var pairs [][2]int32
	start := make([]int, len(sizes)+1)
	for i, size := range sizes {
		start[i+1] = start[i] + size
	}
	for i, size := range sizes {
		for u := start[i]; u < start[i]+size; u++ {
			for j := i; j < len(sizes); j++ {
				first := max(start[j], u+1)
				successes(start[j+1]-first, p[i][j], r, func(k int) {
					pairs = append(pairs, [2]int32{int32(u), int32(first + k)})
				})
			}
		}
	}
	return graph.FromPairs(start[len(sizes)], pairs, false)
}

// Exchangeable reports whether expr names random graphs whose law is the same under every renaming of nodes.
func Exchangeable(expr string) bool {
	kind, _, _ := strings.Cut(expr, ":")
	return kind == "er" || kind == "regular"
}
