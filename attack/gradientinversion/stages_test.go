package gradientinversion

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
)

var (
	ablate     = flag.Bool("ablate", false, "measure what each stage of the attack adds, which takes an hour")
	ablateWork = flag.Float64("ablate-work", 5e10, "multiplications of a joint search")
)

// left is the attack of a node on a run, with stages left out: how many examples come out to 1e-6.
func (l *learning) left(t *testing.T, attacker int, out ...stage) (exact int, took time.Duration) {
	p := l.protocol
	a, err := Prepare(p, l.weights, true, []int{attacker}, "", Inversion{Model: p.Objective.Model, Features: l.slab.Features, Theta: make([]float64, p.Params)})
	if err != nil {
		t.Fatal(err)
	}
	a.Work, a.without = *ablateWork, map[stage]bool{}
	for _, s := range out {
		a.without[s] = true
	}
	seen, watch := a.Knowledge().Listen(p.Params)
	if _, err := l.run.Bulk(context.Background(), sim.GossipWatcher{Values: watch}); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	return len(l.exact(a.Run(seen))), time.Since(begin)
}

// The contribution of each stage of the attack: go test ./attack/gradientinversion -run TestWhatEachStageAdds -ablate -v
// -timeout 0.
func TestWhatEachStageAdds(t *testing.T) {
	if !*ablate {
		t.Skip("run it with -ablate")
	}
	stages := []stage{"", refining, weakLast, peelingOff, jointly, slopesToo, byTurns}
	fmt.Println("graph\tnodes\tattacker\tstep\t" + strings.Join([]string{"all", "refining", "weak last", "peeling", "jointly", "slopes", "ladder"}, "\t"))
	one := func(name string, g *graph.Graph) {
		nodes := byDegree(g)
		for _, attacker := range []int{nodes[0], nodes[len(nodes)/2]} {
			for _, rate := range []float64{0.1, 20} {
				l := learn(t, g, model.Logistic{Intercept: true}, []float64{-1, 1}, 10, 1, rate, 0)
				line := fmt.Sprintf("%s\t%d\t%d\t%g", name, g.Len(), g.Degree(attacker), rate)
				for _, s := range stages {
					exact, took := l.left(t, attacker, s)
					line += fmt.Sprintf("\t%d (%.0f s)", exact, took.Seconds())
				}
				fmt.Println(line)
			}
		}
	}
	for _, other := range []string{"hypercube:6", "line:60", "geometric:n=80,r=0.2,seed=1,connected", "er:n=80,p=0.08,seed=1,connected"} {
		g, err := gen.Parse(other, 1)
		if err != nil {
			t.Log(err)
			continue
		}
		one(other, g)
	}
	for _, ego := range []string{"3980", "698", "414", "686", "348", "0", "3437", "1912", "1684", "107"} {
		one("facebook "+ego, largest(t, open(t, testdata.Shared(t, "data/facebook/"+ego+".edges"))))
	}
}
