package walkpath

import (
	"bufio"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

var measure = flag.Bool("measure", false, "measure how close moments are to laws, as docs/ALLPAIRS.md has it: minutes")

// How close moments of all pairs are to the laws of some. Laws are bounds too: where moments are
// below, simulated paths tell.
//
//	go test ./privacy/walkpath -run TestHowCloseMomentsAre -measure -v -timeout 1h
func TestHowCloseMomentsAre(t *testing.T) {
	if !*measure {
		t.Skip("takes minutes: -measure")
	}
	const pairs = 30
	for _, c := range []struct {
		name string
		w    *sparse.Matrix
		cap  int
	}{
		{"Erdos-Renyi, p = 0.03", transitionOf(t, "er:n=300,p=0.03,seed=1,connected=true").Sparse(), 12},
		{"the same, 80 contributions in 66 visits", transitionOf(t, "er:n=300,p=0.03,seed=1,connected=true").Sparse(), 80},
		{"Barabasi-Albert, m = 2", transitionOf(t, "ba:n=300,m=2,seed=1").Sparse(), 12},
		{"Barabasi-Albert, m = 4", transitionOf(t, "ba:n=300,m=4,seed=1").Sparse(), 12},
		{"geometric, r = 0.12", transitionOf(t, "geometric:n=300,r=0.12,seed=1,connected=true").Sparse(), 12},
		{"directed, 4 edges a node", randomWalk(300, false), 12},
		{"random weights on these", randomWalk(300, true), 12},
		{"hypercube of 256", transitionOf(t, "hypercube:8").Sparse(), 12},
		{"grid, 17 x 17", transitionOf(t, "grid:17x17").Sparse(), 12},
		{"roads of Luxembourg, 300 crossings", roads(t, 300), 12},
		{"ring", transitionOf(t, "ring:300").Sparse(), 12},
		{"line", transitionOf(t, "line:300").Sparse(), 12},
	} {
		w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: c.w.N, W: c.w, Start: AnyStart, Turns: 20_000, Cap: c.cap}}
		ratios, mean := closeness(t, w, pairs)
		at := func(share float64) float64 { return ratios[int(share*float64(len(ratios)-1)+0.5)] }
		fmt.Printf("| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.2f |\n", c.name, at(0), at(0.25), at(0.5), at(0.75), at(1), mean)
		if at(0) < 0.5 { // a law of many contributions is itself far above what simulated paths show
			t.Errorf("%s: a pair is charged %v times its law", c.name, at(0))
		}
	}
}

// closeness are the ratios of what is charged to what the law says, of so many pairs of which
// a third are neighbours, in order, and the mean loss of all pairs.
func closeness(t *testing.T, w Walk, pairs int) (ratios []float64, mean float64) {
	t.Helper()
	const sigma = 2
	metric := privacy.Metric{Delta: 1e-6}
	all, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := all.Losses(sigma, metric)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	class := map[Pair]int{}
	for len(class) < pairs {
		u, v := r.IntN(w.Nodes), r.IntN(w.Nodes)
		if len(class) < pairs/3 {
			columns, _ := w.W.Row(u)
			v = int(columns[r.IntN(len(columns))])
		}
		if _, known := class[Pair{u, v}]; u != v && !known {
			class[Pair{u, v}] = len(class)
		}
	}
	laws, err := w.Laws(func(u, v int) int {
		if k, ok := class[Pair{u, v}]; ok {
			return k
		}
		return Unlawed
	}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for p := range class {
		ratios = append(ratios, losses.At(p.U, p.V)/laws.Law(p.U, p.V).Epsilon(metric.Delta, sigma))
	}
	slices.Sort(ratios)
	return ratios, losses.Mean()
}

// randomWalk leads from every node to four others, one of them the next, with equal
// probabilities or with random ones of which the largest are a hundred times the
// least.
func randomWalk(n int, weighted bool) *sparse.Matrix {
	r := rand.New(rand.NewPCG(3, 9))
	dense := make([]float64, n*n)
	for i := range n {
		row, total := dense[i*n:(i+1)*n], 0.0
		for k := range 4 {
			j := (i + 1) % n
			if k > 0 {
				j = r.IntN(n)
			}
			weight := 1.0
			if weighted {
				weight = math.Exp(r.NormFloat64())
			}
			row[j] += weight
			total += weight
		}
		for j := range row {
			row[j] /= total
		}
	}
	return sparse.FromDense(n, dense)
}

// roads are the first so many crossings that are found from one, breadth first, and the
// roads between them.
func roads(t *testing.T, most int) *sparse.Matrix {
	t.Helper()
	file, err := os.Open(testdata.Shared(t, "data/graphs/luxembourg-osm.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	to := map[int][]int{}
	for lines := bufio.NewReader(plain); ; {
		line, err := lines.ReadString('\n')
		var u, v int
		if n, _ := fmt.Sscan(line, &u, &v); n == 2 && !strings.HasPrefix(line, "#") {
			to[u], to[v] = append(to[u], v), append(to[v], u)
		}
		if err == io.EOF {
			break
		}
	}
	place, list, edges := map[int]int{50_000: 0}, []int{50_000}, [][2]int(nil)
	for k := 0; k < len(list); k++ {
		for _, v := range to[list[k]] {
			at, known := place[v]
			if !known && len(list) < most {
				at, known = len(list), true
				place[v], list = at, append(list, v)
			}
			if known && at > k {
				edges = append(edges, [2]int{k, at})
			}
		}
	}
	g, err := graph.FromEdges("roads", len(list), edges)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "")
	if err != nil {
		t.Fatal(err)
	}
	return transition.Sparse()
}
