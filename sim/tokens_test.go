package sim

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// The contract for several tokens, some of whose holders skip turns.

// severalTokens draws a walk of several tokens that start where they like.
func severalTokens(t *rapid.T) (*Walk, lazyWalk) {
	w, graph := randomWalk(t)
	p := w.Protocol
	p.Tokens, p.Steps = rapid.IntRange(1, 4).Draw(t, "tokens"), min(p.Steps, 20)
	p.Skip = rapid.SampledFrom([]float64{0, 0.4, 0.9}).Draw(t, "skip")
	if p.Cap > 0 {
		p.Cap = rapid.IntRange(p.Tokens, 3*p.Tokens).Draw(t, "cap of all")
	}
	if rapid.Bool().Draw(t, "starts") {
		for range p.Tokens {
			p.Starts = append(p.Starts, step.NodeID(rapid.IntRange(0, p.Nodes-1).Draw(t, "start")))
		}
	}
	return w, graph
}

func byLane(a, b step.Release) int {
	return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Turn, b.Turn))
}

// Each of several tokens goes and ends bit for bit as it does when it walks alone with
// its share of the contributions, and what they release is the schedule, which knows
// no data.
func TestContractATokenAmongOthersIsATokenAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := severalTokens(t)
		var made []step.Release
		last, err := w.Together(context.Background(), func(r step.Release, _ []float64) { made = append(made, r) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(made, byLane)
		seeded := walk.NewSeeded(w.Choose, w.Seed)
		s := w.Protocol.Schedule(nil, w.Protocol.Objective.Guarantees(1))
		var alone, planned []step.Release
		used := make([]int, w.Protocol.Nodes)
		for lane, one := range w.Protocol.Lanes() {
			single := *w
			single.Protocol = one
			token, releases := bulk(rapidT(t), &single)
			if bits(token) != bits(last[lane]) {
				t.Fatalf("lane %d ends with %v, alone with %v", lane, last[lane], token)
			}
			alone = append(alone, releases...)
			planned = slices.AppendSeq(planned, s.Releases(schedule.Path{
				Start: one.Start, Lane: step.Lane(lane), Next: seeded.Next, Holds: w.holds,
				Skips: func(at step.NodeID, t step.Turn, lane step.Lane) bool { return seeded.Away(at, t, lane, s.Skip) },
			}))
		}
		if !slices.Equal(made, alone) || !slices.Equal(made, planned) {
			t.Fatalf("together\n%v\nalone\n%v\nscheduled\n%v", made, alone, planned)
		}
		for _, r := range made {
			if r.Contributed {
				used[r.From]++
			}
		}
		if most := slices.Max(used); w.Protocol.Cap > 0 && most > w.Protocol.Cap {
			t.Fatalf("a node contributes %d times, the cap is %d", most, w.Protocol.Cap)
		}
	})
}

// Machines of several tokens give the same bits as the bulk driver, on any network and
// through any number of deaths, and know the mean of the last tokens.
func TestContractDriversAgreeOnSeveralTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, graph := severalTokens(t)
		w.Protocol.Announce, w.Protocol.Final = true, true
		want, made := bulk(rapidT(t), w)
		slices.SortStableFunc(made, byLane)
		check := func(what string, machines []step.Machine, released []step.Release) {
			slices.SortStableFunc(released, byLane)
			if !slices.Equal(released, made) {
				t.Fatalf("%s releases\n%v\nbulk\n%v", what, released, made)
			}
			for v, m := range machines {
				if got, ended := m.(interface{ Ended() ([]float64, bool) }).Ended(); !ended || bits(got) != bits(want) {
					t.Fatalf("%s: node %d ends with %v (%v), bulk with %v", what, v, got, ended, want)
				}
			}
		}
		for _, net := range []Network{{}, rough(w.Seed)} {
			var released []step.Release
			machines := w.Machines(graph.neighbours, nil)
			if traffic, err := net.Run(context.Background(), machines, func(r step.Release) { released = append(released, r) }); err != nil || traffic.Done < len(machines) {
				t.Fatalf("virtual run: %v, %d of %d done", err, traffic.Done, len(machines))
			}
			check("a virtual network", machines, released)
		}
	})
}

// Machines of several tokens survive their processes.
func TestDurableMachinesOfSeveralTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, graph := severalTokens(t)
		_, made := bulk(rapidT(t), w)
		slices.SortStableFunc(made, byLane)
		released := runReborn(t, w.Protocol.Nodes, rapid.IntRange(1, 9).Draw(t, "dies every"), w.Seed, func(v step.NodeID) step.Durable {
			return w.Machines(graph.neighbours, nil)[v].(step.Durable)
		})
		slices.SortStableFunc(released, byLane)
		if !slices.Equal(released, made) {
			t.Fatalf("released\n%v\nbulk\n%v", released, made)
		}
	})
}

// A node whose holder of one token dies for good ends every token, as it would one.
func TestTokensSurviveANodeThatDiesForGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 7).Draw(t, "nodes")
		w := everybodyWalks(t, n)
		p := w.Protocol
		p.Steps, p.Tokens, p.Cap = min(p.Steps, 20), rapid.IntRange(2, 3).Draw(t, "tokens"), 6
		p.Handover, p.Announce, p.Final = walk.Handover{Around: 500, Lease: 2000}, true, true
		who, when := step.NodeID(rapid.IntRange(0, n-1).Draw(t, "who")), int64(rapid.IntRange(1, 2000).Draw(t, "when"))
		dead := map[step.NodeID]int64{}
		if who != p.Start { // whose first token nobody else has
			dead[who] = when
		}
		machines := w.Machines(w.Choose.(lazyWalk).neighbours, nil)
		if _, err := stops(w.Seed, dead).Run(context.Background(), machines, func(step.Release) {}); err != nil {
			t.Fatal(err)
		}
		var model []float64
		for v, m := range machines {
			machine := m.(*walk.Tokens)
			if machine.Contributions() > p.Cap {
				t.Fatalf("node %d contributed %d times, its cap is %d", v, machine.Contributions(), p.Cap)
			}
			if _, died := dead[step.NodeID(v)]; died {
				continue
			}
			got, ended := machine.Ended()
			if !ended {
				t.Fatalf("node %d has not heard of all ends", v)
			}
			if model == nil {
				model = got
			}
			if bits(got) != bits(model) {
				t.Fatalf("node %d ends with %v, another with %v", v, got, model)
			}
		}
	})
}

// Whatever bytes a state of several tokens is, it is restored or refused.
func FuzzRestoreTokens(f *testing.F) {
	p := &walk.Protocol{Nodes: 3, Steps: 6, Cap: 4, Tokens: 2, Announce: true, Final: true}
	p.Params = 2
	fresh := func() *walk.Tokens {
		return walk.NewTokens(p, 0, []step.NodeID{1, 2}, (&Slab{Features: 1, Offsets: []int{0, 0}}).Examples(0), func(one *walk.Protocol) *walk.Hopper {
			return walk.NewHopper(one, nil, nil)
		})
	}
	f.Add(fresh().Snapshot(nil))
	f.Add([]byte{65, 2, 1, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, state []byte) {
		m := fresh()
		if m.Restore(state) != nil {
			return
		}
		again := fresh()
		if err := again.Restore(m.Snapshot(nil)); err != nil {
			t.Fatalf("a state that was taken is refused when written again: %v", err)
		}
	})
}
