//go:build unix

package flow

import (
	"math"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// Accounting is sparse products, and those move bytes. Each benchmark reports the bytes
// that it must read and write at least, in a second of a processor. Beside them it reports
// the limit: the bytes that a processor moves when it only adds vectors of the same size,
// in the cache or in memory. The rest is work: multiplying, rounding upwards, choosing.
// Processor seconds hold on a machine that is busy with other work, too.

// cores is the number of goroutines of the benchmarks.
const cores = 2

// spent returns the processor time that the process has used.
func spent() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// run measures work that moves so many bytes, each core on a set of so many of them.
func run(b *testing.B, work func(), bytes, set float64) {
	begin := spent()
	for b.Loop() {
		work()
	}
	b.StopTimer()
	each := (spent() - begin).Seconds() / float64(b.N)
	b.ReportMetric(each, "cpu-s/op")
	b.ReportMetric(bytes/each/1e6, "MB/cpu-s")
	b.ReportMetric(limit(set)/1e6, "limit-MB/cpu-s")
}

// limit is how many bytes a processor moves in a second when all are at it: x += y on
// vectors that together take a set of bytes.
func limit(set float64) float64 {
	const passes = 1 << 25
	n := max(1024, int(set/16))
	times := max(1, passes/n)
	begin := spent()
	parallel.Each(cores, cores, func(int) {
		x, y := make([]float64, n), make([]float64, n)
		for range times {
			for k, v := range y {
				x[k] += v
			}
		}
	})
	return cores * float64(24*n*times) / (spent() - begin).Seconds()
}

// Bytes of a product of a matrix with a block of vectors: every entry is 12 bytes, and
// one row of the block that it multiplies; every row of the result is written.
func productBytes(a *Accountant, cols int) float64 {
	entries := float64(len(a.forward[0].Values))
	return entries*float64(12+8*cols) + float64(a.n)*float64(8*cols)
}

func ofExpression(b *testing.B, expr string, rounds int) *Accountant {
	g, err := gen.Parse(expr, 1)
	if err != nil {
		b.Fatal(err)
	}
	return accountant(b, Problem{Rounds: rounds, Weights: weightsList(b, g)})
}

// social is a social network of 154,908 people, or where nobody has it a graph drawn
// with as many nodes and nearly as many edges.
func social(b *testing.B) *graph.Graph {
	path, ok := testdata.Find(b, "data/graphs/soc-douban.txt.gz")
	open := func() (*graph.Graph, error) { return gen.Parse("ba:n=154908,m=2", 1) }
	if ok {
		open = func() (*graph.Graph, error) { return graphfile.Open(path, 1) }
	}
	g, err := open()
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// All pairs by one plan: of each block of sources as many flows as there are kappa, and
// of each round a product and five passes over blocks.
func BenchmarkCheap(b *testing.B) {
	const rounds = 100
	for _, expr := range []string{"hypercube:11", "geometric:n=2048,r=0.07,seed=1"} {
		b.Run(expr, func(b *testing.B) {
			a := ofExpression(b, expr, rounds)
			block := float64(8 * cheapCols * a.n)
			flows := math.Ceil(float64(a.n)/cheapCols) * float64(len(shares))
			run(b, func() { a.Cheap(cores) }, flows*rounds*(productBytes(a, cheapCols)+5*block), 3*block)
		})
	}
}

// All towards one observer near the optimum: some seventeen flows and prices a source.
func BenchmarkTowards(b *testing.B) {
	const rounds, flows = 100, 17
	a := ofExpression(b, "geometric:n=2048,r=0.07,seed=1", rounds)
	block := float64(8 * cheapCols * a.n)
	run(b, func() {
		if _, err := a.Towards(0, cores); err != nil {
			b.Fatal(err)
		}
	}, flows*math.Ceil(float64(a.n)/cheapCols)*rounds*(productBytes(a, cheapCols)+3*block), rounds*block)
}

// One pair of a million nodes, and of a large social graph. The bytes are those of the
// part of the matrix that the flow reaches, forward and backward, once at least.
func BenchmarkOnePair(b *testing.B) {
	measure := func(name string, open func(b *testing.B) *graph.Graph, rounds, u, v int) {
		b.Run(name, func(b *testing.B) {
			a := accountant(b, Problem{Rounds: rounds, Weights: weightsList(b, open(b))})
			part := a.reached(u, []int{v})
			once := productBytes(part.Accountant, 1)
			run(b, func() {
				if _, err := a.Optimal(u, v); err != nil {
					b.Fatal(err)
				}
			}, 2*float64(rounds)*once, once)
			b.ReportMetric(float64(part.n), "nodes-reached")
		})
	}
	measure("torus:1000x1000", func(b *testing.B) *graph.Graph {
		g, err := gen.Parse("torus:1000x1000", 1)
		if err != nil {
			b.Fatal(err)
		}
		return g
	}, 50, 0, 3)
	measure("social", social, 20, 1000, 5000)
}

// All of a large social graph towards one observer, by one plan. The bytes are those of
// the powers of the matrix from all nodes that the observer hears, and of each plan's
// sums.
func BenchmarkCheapTowards(b *testing.B) {
	const rounds, v = 20, 5000
	a := accountant(b, Problem{Rounds: rounds, Weights: weightsList(b, social(b))})
	heard := float64(len(a.heardIn(0, v)))
	var energies []float64
	run(b, func() {
		var err error
		if energies, err = a.CheapTowards(v, cores); err != nil {
			b.Fatal(err)
		}
	}, heard*rounds*(productBytes(a, 1)+8*float64(a.n*len(shares))), productBytes(a, 1))
	slices.Sort(energies)
	b.ReportMetric(energies[len(energies)/2], "median-energy")
}
