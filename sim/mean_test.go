package sim

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/step"
)

// keepingGossip draws a run whose nodes keep their means.
func keepingGossip(t *rapid.T) *Gossip {
	g := randomGossip(t)
	g.Protocol.KeepMean = true
	return g
}

// bulkMeans are the means that nodes keep in bulk.
func bulkMeans(t testing.TB, g *Gossip) (kept []float64) {
	if _, err := g.Bulk(context.Background(), GossipWatcher{Means: func(m []float64) { kept = slices.Clone(m) }}); err != nil {
		t.Fatal(err)
	}
	return kept
}

// A node's mean is that of the values which runs of T/2+1, .., T rounds end with,
// and keeping it changes nothing else.
func TestContractGossipMeansAreOfTheSecondHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := keepingGossip(t)
		kept := bulkMeans(rapidT(t), g)
		want, rounds := make([]float64, len(kept)), g.Protocol.Rounds
		for r := rounds/2 + 1; r <= rounds; r++ {
			shorter, p := *g, *g.Protocol
			p.Rounds, p.KeepMean, shorter.Protocol = r, false, &p
			x, _ := bulkGossipRun(rapidT(t), &shorter)
			for j := range x {
				want[j] += x[j] / float64(rounds-rounds/2)
			}
			if bulkMeans(rapidT(t), &shorter) != nil {
				t.Fatal("means are shown that nobody keeps")
			}
			if last, _ := bulkGossipRun(rapidT(t), g); r == rounds && bits(last) != bits(x) {
				t.Fatalf("keeping means, the run ends with %v, else with %v", last, x)
			}
		}
		for j := range want {
			if math.Abs(kept[j]-want[j]) > 1e-9*(1+math.Abs(want[j])) {
				t.Fatalf("kept %v, want %v", kept, want)
			}
		}
	})
}

// Machines keep the same means as bulk does, bit for bit, with any number of
// workers, on a rough network, and when their processes die.
func TestContractGossipMeansAgreeBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := keepingGossip(t)
		want := bulkMeans(rapidT(t), g)
		many := *g
		many.Workers = rapid.IntRange(2, 4).Draw(t, "workers")
		if got := bulkMeans(rapidT(t), &many); bits(got) != bits(want) {
			t.Fatalf("one worker keeps %v, %d keep %v", want, many.Workers, got)
		}
		machines := g.Machines(g.everybody, nil)
		if _, err := rough(g.Seed).Run(context.Background(), machines, func(step.Release) {}); err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, m := range machines {
			got = append(got, m.(*gossip.Machine).Mean()...)
		}
		if bits(got) != bits(want) {
			t.Fatalf("machines keep %v, bulk %v", got, want)
		}
		last := make([]*gossip.Machine, g.Protocol.Nodes)
		runReborn(t, g.Protocol.Nodes, rapid.IntRange(1, 9).Draw(t, "dies every"), g.Seed, func(v step.NodeID) step.Durable {
			last[v] = g.Machines(g.everybody, nil)[v].(*gossip.Machine)
			return last[v]
		})
		got = got[:0]
		for _, m := range last {
			got = append(got, m.Mean()...)
		}
		if bits(got) != bits(want) {
			t.Fatalf("machines that die keep %v, bulk %v", got, want)
		}
	})
}

// What a run shows after so many rounds is what a run of so many rounds ends with.
func TestRoundsAreShownAsTheyEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		g.Protocol.Noise.Multiplier = 0 // of which the box depends on all rounds
		shown := 0
		_, err := g.Bulk(context.Background(), GossipWatcher{Rounds: func(done int, x []float64) {
			short, p := *g, *g.Protocol
			short.Protocol, p.Rounds = &p, done
			want, _ := bulkGossipRun(rapidT(t), &short)
			shown++
			if done != shown || bits(x) != bits(want) {
				t.Fatalf("after %d rounds %v, a run of so many ends with %v", done, x, want)
			}
		}})
		if err != nil || shown != g.Protocol.Rounds {
			t.Fatalf("%d of %d rounds shown, %v", shown, g.Protocol.Rounds, err)
		}
	})
}
