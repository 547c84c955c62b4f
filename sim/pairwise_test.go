package sim

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// What partners share moves every node's first message by exactly the noise of its
// secrets, and their mean by nothing but rounding.
func TestSharedNoiseMovesMessagesAndNotTheirMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		p := g.Protocol
		p.Noise.Multiplier, p.Radius, p.Asynchronous = 1.5, 0, false
		p.Pairwise, p.Pairs = 0, partners(t, g.Weights.Matrix(0))
		if g.Weights.Active(0) != nil {
			return
		}
		messages := func() []float64 {
			var first []float64
			_, err := g.Bulk(context.Background(), GossipWatcher{Values: func(t step.Turn, x []float64) {
				if t == 0 {
					first = append(first, x...)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			return first
		}
		without := messages()
		p.Pairwise = 8
		with := messages()
		std := p.Pairwise * p.StepSize.At(0) * p.Noise.Std()
		if p.Memory != nil { // of which the first round is fresh noise
			std *= p.Memory.Times
		}
		mean, largest := make([]float64, p.Params), 0.0
		for v := range p.Nodes {
			own := without[v*p.Params : (v+1)*p.Params]
			nodes, _ := p.Pairs.Row(v)
			for _, u := range nodes {
				if int(u) != v {
					noise.NewSimulated(g.Seed).AddShared(own, std, step.NodeID(v), step.NodeID(u), 0, 0)
				}
			}
			for j, x := range own {
				got := with[v*p.Params+j]
				if math.Abs(got-x) > 1e-12*math.Max(std, math.Abs(x)) {
					t.Fatalf("node %d sends %g, want %g", v, got, x)
				}
				mean[j] += got / float64(p.Nodes)
				largest = math.Max(largest, math.Abs(got))
			}
		}
		p.Pairwise = 0
		for i, x := range messages() {
			mean[i%p.Params] -= x / float64(p.Nodes)
		}
		for _, x := range mean {
			if math.Abs(x) > 1e-12*math.Max(largest, std) {
				t.Fatalf("the mean moves by %g", x)
			}
		}
	})
}
