package sim

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/pairing"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// identityOf is node v's.
func identityOf(v step.NodeID) identity.Key {
	key, err := identity.Generate(bytes.NewReader(bytes.Repeat([]byte{byte(v), 7}, 16)))
	if err != nil {
		panic(err)
	}
	return key
}

// A party is a node's machine and its noise, with partners who need not be neighbours.
type party struct {
	*gossip.Machine
	shared *pairing.Noise
}

// identified makes the noise that node v shares, with a key from bytes of its number and life, in the run of a specification.
func (g *Gossip) identified(v step.NodeID, life, spec byte) *pairing.Noise {
	shared, err := pairing.New(bytes.NewReader(bytes.Repeat([]byte{byte(8 * v), life}, 16)), [32]byte{spec}, 0, v)
	if err != nil {
		panic(err)
	}
	var everyone []identity.Peer
	for u := range step.NodeID(g.Protocol.Nodes) {
		everyone = append(everyone, identityOf(u).Peer())
	}
	shared.Identify(identityOf(v), everyone)
	return shared
}

// party makes node v's, in the run of a specification.
func (g *Gossip) party(v step.NodeID, life, spec byte) party {
	shared := g.identified(v, life, spec)
	kernel := gossip.NewKernel(g.Protocol, drawn{noise.NewSimulated(g.Seed), shared}, gossip.NewSeeded(g.Seed))
	var neighbours []step.NodeID
	row, _ := g.Weights.Row(v, 0)
	for _, u := range row {
		if step.NodeID(u) != v {
			neighbours = append(neighbours, step.NodeID(u))
		}
	}
	m := gossip.NewMachine(g.Protocol, v, neighbours, g.Holdings.Examples(v), kernel, g.Weights)
	m.Introduce(shared)
	return party{m, shared}
}

// introducing is gossip on a fixed graph, with secrets along another.
func introducing(t *rapid.T) *Gossip {
	g := randomGossip(t)
	w := gossip.Constant(g.Weights)
	if w == nil {
		t.Skip("the graph changes")
	}
	g.Protocol.Pairwise, g.Protocol.Pairs, g.Protocol.Asynchronous, g.Protocol.Noise.Multiplier = 10, partners(t, w), false, 2
	return g
}

// onAPath is gossip along 0 - 1 - 2 - ..., in which the ends share the one secret, or all share theirs.
func onAPath(t interface{ Fatal(args ...any) }, n int, all bool) *Gossip {
	edges, dense := make([][2]int, n-1), make([]float64, n*n)
	for v := range edges {
		edges[v] = [2]int{v, v + 1}
	}
	g, err := graph.FromEdges("path", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	for u := range n {
		for v := range n {
			if u != v && (all || u+v == n-1 && u*v == 0) {
				dense[u*n+v] = 1
			}
		}
	}
	p := &gossip.Protocol{Local: averaging(2), Nodes: n, Rounds: 1, TurnsPerRound: 2, Gamma: 1, Pairwise: 10, Pairs: sparse.FromDense(n, dense)}
	return &Gossip{Protocol: p, Holdings: values(n, 2), Weights: graph.Fixed(w.Sparse()), Seed: 1}
}

// Machines whose keys go from neighbour to neighbour end with the same values, bit for bit, and release the same on a
// perfect network and on a rough one on which their processes die again and again.
func TestIntroducedNoiseSurvivesNetworksAndProcesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := introducing(t)
		size := g.Protocol.Nodes * g.Protocol.Params
		want, got := make([]float64, size), make([]float64, size)
		watched := func(v step.NodeID, life byte, values []float64) *gossip.Machine {
			m := g.party(v, life, 1).Machine
			m.Watch = func(turn step.Turn, x []float64) {
				if turn == g.Protocol.Turns() {
					copy(values[int(v)*len(x):], x)
				}
			}
			return m
		}
		var machines []step.Machine
		for v := range step.NodeID(g.Protocol.Nodes) {
			machines = append(machines, watched(v, 1, want))
		}
		var made []step.Release
		if _, err := (Network{}).Run(context.Background(), machines, func(r step.Release) { made = append(made, r) }); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(made, byTurn)
		lives := map[step.NodeID]byte{}
		released := runReborn(t, g.Protocol.Nodes, rapid.IntRange(1, 9).Draw(t, "dies every"), g.Seed, func(v step.NodeID) step.Durable {
			lives[v]++
			return watched(v, lives[v], got)
		})
		if bits(got) != bits(want) || !slices.Equal(released, made) {
			t.Fatalf("ends with %v and %d releases, want %v and %d", got, len(released), want, len(made))
		}
	})
}

// converse lets parties exchange messages until none is left; change, which may drop a message, sees each on its way.
func converse(parties []party, change func(step.Msg) []step.Msg) (values int) {
	var queue []step.Msg
	var out step.Out
	for _, p := range parties {
		p.Start(&out)
	}
	queue = append(queue, out.Msgs...)
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		for _, msg := range change(next) {
			if msg.Kind == gossip.Value {
				values++
			}
			var out step.Out
			parties[msg.To].Step(msg, &out)
			queue = append(queue, out.Msgs...)
		}
	}
	return values
}

// lacks are the numbers of a machine's Lacks.
func lacks(p party) [3]int {
	keys, unsigned, differ := p.Lacks()
	return [3]int{len(keys), len(unsigned), len(differ)}
}

// Where a carrier drops the keys of others, nobody begins whose partner's key is missing, and says whose. Where nobody
// drops any, all begin and end.
func TestWhoDropsKeysHoldsUpTheRun(t *testing.T) {
	g := onAPath(t, 5, false)
	parties := []party{g.party(0, 1, 1), g.party(1, 1, 1), g.party(2, 1, 1), g.party(3, 1, 1), g.party(4, 1, 1)}
	drop := func(msg step.Msg) []step.Msg {
		if msg.Kind == gossip.Introduction && msg.From == 2 {
			return nil
		}
		return []step.Msg{msg}
	}
	converse(parties, drop)
	for _, v := range []int{0, 4} {
		if keys, unsigned, differ := parties[v].Lacks(); !slices.Equal(keys, []step.NodeID{step.NodeID(4 - v)}) || len(unsigned)+len(differ) > 0 || parties[v].Turn() != 0 {
			t.Errorf("node %d lacks %v, %v, %v", v, keys, unsigned, differ)
		}
	}
	parties = []party{g.party(0, 1, 1), g.party(1, 1, 1), g.party(2, 1, 1), g.party(3, 1, 1), g.party(4, 1, 1)}
	converse(parties, func(msg step.Msg) []step.Msg { return []step.Msg{msg} })
	for v, p := range parties {
		if p.Turn() != g.Protocol.Turns() || lacks(p) != [3]int{} {
			t.Errorf("nobody lies, and node %d is at turn %d", v, p.Turn())
		}
	}
}

// A carrier who passes on a key of an earlier run of the same specification in place of the new one keeps nobody in the
// dark: partners sign other keys than each has, and nothing of data is sent.
func TestAKeyOfAnEarlierRunBeginsNothing(t *testing.T) {
	g := onAPath(t, 4, true)
	var old, now []party
	for v := range step.NodeID(4) {
		old, now = append(old, g.party(v, 2, 1)), append(now, g.party(v, 1, 1))
	}
	earlier := map[step.Turn][]float64{}
	converse(old, func(msg step.Msg) []step.Msg {
		if msg.Kind == gossip.Introduction {
			earlier[msg.Turn] = msg.Body
		}
		return []step.Msg{msg}
	})
	values := converse(now, func(msg step.Msg) []step.Msg {
		if msg.Kind == gossip.Introduction && msg.From == 1 && msg.To == 2 && msg.Turn == 0 {
			msg.Body = earlier[0]
		}
		return []step.Msg{msg}
	})
	if values > 0 {
		t.Errorf("%d values are sent", values)
	}
	for v, want := range [][3]int{{0, 2, 0}, {0, 0, 2}, {0, 0, 2}, {0, 2, 0}} { // those between whom it differs know
		if got := lacks(now[v]); got != want {
			t.Errorf("node %d lacks %v, want %v", v, got, want)
		}
	}
}

// hostile are introductions that a neighbour with a valid key of its own can make up, and none of which is believed.
func hostile(g *Gossip, victim party, honest map[step.Turn][]float64) map[string]step.Msg {
	n := step.Turn(g.Protocol.Nodes)
	liar, other := g.party(1, 1, 1), g.party(2, 1, 9)
	changed := func(t step.Turn, at int, to float64) []float64 {
		body := slices.Clone(honest[t])
		body[at] = to
		return body
	}
	return map[string]step.Msg{
		"another key under the signature":      {Turn: 2, Body: changed(2, 3, 77)},
		"another signature":                    {Turn: 2, Body: changed(2, 40, 77)},
		"the liar's signature for somebody":    {Turn: 2, Body: liar.shared.Signed("key of a run", liar.shared.Shown())},
		"somebody's key in another's name":     {Turn: 3, Body: honest[2]},
		"a key in the name of all keys":        {Turn: n + 2, Body: honest[2]},
		"a signature of all keys for a key":    {Turn: 2, Body: liar.shared.Signed("keys of a run", liar.shared.Shown())},
		"a key of another specification's run": {Turn: 2, Body: other.shared.Signed("key of a run", other.shared.Shown())},
		"the victim's own key, reflected":      {Turn: 1, Body: liar.shared.Signed("key of a run", victim.shared.Shown())},
		"the victim's own name":                {Turn: 0, Body: changed(0, 3, 77)},
		"a key of small order":                 {Turn: 1, Body: liar.shared.Signed("key of a run", make([]float64, noise.ShownSize))},
		"too many numbers":                     {Turn: 2, Body: append(slices.Clone(honest[2]), 0)},
		"too few":                              {Turn: 2, Body: honest[2][:noise.SignedSize-1]},
		"none":                                 {Turn: 2},
		"no whole number":                      {Turn: 2, Body: changed(2, 0, 0.5)},
		"no number":                            {Turn: 2, Body: changed(2, 0, math.NaN())},
		"infinity":                             {Turn: 2, Body: changed(2, 47, math.Inf(1))},
		"a node that is none":                  {Turn: 2 * n, Body: honest[2]},
		"a turn before the first":              {Turn: -2, Body: honest[2]},
		"a later epoch":                        {Turn: 2, Epoch: 1, Body: honest[2]},
		"another lane":                         {Turn: 2, Lane: 5, Body: honest[2]},
	}
}

// A neighbour with a valid key of its own cannot make up the key of anybody: forged, swapped, reflected or broken
// introductions are dropped without an answer, and the true ones are believed afterwards.
func TestHostileIntroductionsChangeNothing(t *testing.T) {
	g := onAPath(t, 4, true)
	honest := map[step.Turn][]float64{}
	for v := range step.NodeID(4) {
		p := g.party(v, 1, 1)
		honest[step.Turn(v)] = p.shared.Signed("key of a run", p.shared.Shown())
	}
	victim := g.party(0, 1, 1)
	var out step.Out
	victim.Start(&out)
	before := victim.Snapshot(nil)
	for name, msg := range hostile(g, victim, honest) {
		if msg.Kind, msg.From, msg.To = gossip.Introduction, 1, 0; msg.Lane == 0 {
			msg.Lane = 1
		}
		var out step.Out
		if victim.Step(msg, &out); len(out.Msgs) > 0 || !bytes.Equal(victim.Snapshot(nil), before) {
			t.Errorf("%s: answered with %d messages, or the state is another", name, len(out.Msgs))
		}
	}
	for v := step.Turn(1); v < 4; v++ {
		var out step.Out
		victim.Step(step.Msg{Kind: gossip.Introduction, From: 1, Turn: v, Lane: 1, Body: honest[v]}, &out)
		if len(out.Msgs) == 0 || out.Msgs[0].Kind != gossip.IntroductionAck {
			t.Errorf("the key of node %d is not believed", v)
		}
	}
	if got := lacks(victim); got != [3]int{0, 3, 0} {
		t.Errorf("with all keys it lacks %v", got)
	}
}

// FuzzIntroductions gives a machine any numbers as somebody's key: what is not the very introduction changes nothing.
func FuzzIntroductions(f *testing.F) {
	g := onAPath(f, 4, true)
	p := g.party(2, 1, 1)
	honest := p.shared.Signed("key of a run", p.shared.Shown())
	bytesOf := func(body []float64) (text []byte) {
		for _, x := range body {
			text = append(text, byte(uint(x)>>8), byte(uint(x)))
		}
		return text
	}
	f.Add(bytesOf(honest), int64(2))
	f.Add(bytesOf(honest), int64(3))
	f.Add([]byte{1, 2, 3}, int64(6))
	f.Fuzz(func(t *testing.T, text []byte, turn int64) {
		body := make([]float64, len(text)/2)
		for i := range body {
			body[i] = float64(uint(text[2*i])<<8 | uint(text[2*i+1]))
		}
		victim := g.party(0, 1, 1)
		var out step.Out
		victim.Start(&out)
		before := victim.Snapshot(nil)
		victim.Step(step.Msg{Kind: gossip.Introduction, From: 1, Turn: step.Turn(turn), Lane: 1, Body: body}, &out)
		if believed := !bytes.Equal(victim.Snapshot(nil), before); believed != (turn == 2 && slices.Equal(body, honest)) {
			t.Fatalf("turn %d, %v: believed %t", turn, body, believed)
		}
	})
}

// FuzzRestoreIntroductions restores any bytes: what is taken is what is written again.
func FuzzRestoreIntroductions(f *testing.F) {
	g := onAPath(f, 4, true)
	p := g.party(0, 1, 1)
	var out step.Out
	p.Start(&out)
	f.Add(p.Snapshot(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := g.party(0, 3, 1)
		if m.Restore(data) == nil {
			again := g.party(0, 4, 1)
			if written := m.Snapshot(nil); again.Restore(written) != nil || !bytes.Equal(again.Snapshot(nil), written) {
				t.Fatal("what was restored is not what is written")
			}
			m.Resume(&step.Out{})
		}
	})
}
