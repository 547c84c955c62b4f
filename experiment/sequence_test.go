package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// onGraph is a spec on another graph with one of its weights.
func onGraph(text, graph, weights string, changes ...string) string {
	return strings.NewReplacer(append([]string{"graph: ring:6", "graph: " + graph, "weights: w.csv", "weights: " + weights}, changes...)...).Replace(text)
}

// Turn t has the matrix of graph t modulo their number, in the schedule that accountants take.
func TestSequenceIsInTheSchedule(t *testing.T) {
	p, err := openOwn(t, onGraph(ownGossip, "{sequence: ['ring:6', 'star:6', 'regular:n=6,d=3']}", "max-degree"), even)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Algorithm.Schedule().(*schedule.Gossip)
	for at, want := range []float64{1. / 3, 1. / 6, 0.25, 1. / 3, 1. / 6} {
		w := s.Matrix(step.Turn(at))
		if _, row := w.Row(0); !slices.Contains(row, want) || len(row) != []int{3, 6, 4}[at%3] {
			t.Errorf("turn %d: node 0 averages with weights %v", at, row)
		}
	}
	if s.W != nil || p.Spec.Graph != "sequence:ring:6;star:6;regular:n=6,d=3" {
		t.Errorf("the graph is %s", p.Spec.Graph)
	}
	again, err := Prepare(t.Context(), p.Spec, nil)
	if err != nil || again.Accounting.Accounts[0].Max != p.Accounting.Accounts[0].Max {
		t.Errorf("opened again: %v", err)
	}
	runSetup(t, p)
}

// losses are what an accountant says of all pairs.
func losses(t *testing.T, text, accountant string) []float64 {
	t.Helper()
	p, err := openOwn(t, strings.Replace(text, "sigma: 4", "sigma: 4, accountant: "+accountant, 1), even)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for u := range 6 {
		for v := range 6 {
			if u != v {
				all = append(all, p.Accounting.Accounts[0].At(u, v))
			}
		}
	}
	return all
}

// A sequence of one graph is priced as the graph is, one of two graphs as neither is, and in their order.
func TestSequencesArePricedTurnByTurn(t *testing.T) {
	for accountant, text := range map[string]string{"exact": strings.Replace(ownGossip, "steps: 5", "steps: 2", 1), "flow": ownDescent} {
		on := func(graph string) []float64 { return losses(t, onGraph(text, graph, "hamilton"), accountant) }
		ring, same := on("ring:6"), on("{sequence: ['ring:6', 'ring:6']}")
		for k := range ring {
			if d := ring[k] - same[k]; d > 1e-9*ring[k] || d < -1e-9*ring[k] {
				t.Errorf("%s: pair %d loses %v on the ring, %v on a sequence of it", accountant, k, ring[k], same[k])
			}
		}
		first, second := on("{sequence: ['ring:6', 'star:6']}"), on("{sequence: ['star:6', 'ring:6']}")
		if slices.Equal(first, second) || slices.Equal(first, ring) || slices.Equal(second, ring) {
			t.Errorf("%s: the order of graphs makes no difference", accountant)
		}
	}
}

// Node 1 on a star and then on a ring hears 0 and 2 bare, and 3, 4 and 5 in one sum: a third of each. On the ring
// and then on the star it hears 0, 2 and 5 bare, and nothing of 3 and 4.
func TestSequenceByHand(t *testing.T) {
	two := strings.Replace(ownGossip, "steps: 5", "steps: 2", 1)
	for graph, leakage := range map[string][]float64{"{sequence: ['star:6', 'ring:6']}": {1, 1, 1. / 3, 1. / 3, 1. / 3}, "{sequence: ['ring:6', 'star:6']}": {1, 1, 0, 0, 1}} {
		all := losses(t, onGraph(two, graph, "hamilton"), "exact")
		for k, u := range []int{0, 2, 3, 4, 5} {
			at := 5*u + 1
			if u == 0 {
				at = 0
			}
			want := privacy.GaussianLoss(leakage[k], 4, privacy.Metric{Delta: 1e-6})
			if math.Abs(all[at]-want) > 1e-9 {
				t.Errorf("%s: node %d loses %v to node 1, want %v", graph, u, all[at], want)
			}
		}
	}
}

// What says who averages with whom besides a sequence, or is about one matrix, is refused.
func TestSequencesAreRefused(t *testing.T) {
	const two = "{sequence: ['ring:6', 'star:6']}"
	for name, c := range map[string]struct{ text, words string }{
		"walk":            {onGraph(ownWalk, two, "hamilton"), "is a graph for each turn, and one is needed"},
		"weights":         {onGraph(ownGossip, two, "w.csv"), "w.csv is one matrix, and the graph is a sequence"},
		"mean":            {onGraph(ownGossip, two, "uniform"), "columns do not"},
		"mean, one graph": {onGraph(ownGossip, "{sequence: ['complete:6', 'star:6']}", "uniform"), "uniform on star:6"},
		"acceleration":    {onGraph(ownGossip, two, "hamilton", "acceleration: none", "acceleration: chebyshev"), "needs the same matrix at every turn"},
		"edges":           {onGraph(ownGossip, two, "hamilton", "acceleration: none", "wake: edges"), "a sequence says which graph a turn has"},
		"redraw":          {onGraph(ownGossip, two, "hamilton", "acceleration: none", "redraw: 2"), "a sequence says which graph a turn has"},
		"stopping time":   {onGraph(ownGossip, two, "hamilton", "steps: 5, ", ""), "steps: is missing"},
		"pairwise":        {onGraph(ownDescent, two, "hamilton", "clip: 0.3", "clip: 0.3, pairwise: 10"), "on one graph"},
		"published":       {onGraph(ownDescent, two, "hamilton", "sigma: 4", "sigma: 4, accountant: published"), "on a fixed graph only"},
		"sizes":           {onGraph(ownGossip, "{sequence: ['ring:6', 'star:7']}", "hamilton"), "ring:6 of a sequence has 6 nodes, and star:7 has 7"},
		"arrows":          {onGraph(ownGossip, "{sequence: ['ring:6', 'ring:6,directed']}", "hamilton"), "is directed"},
		"files":           {onGraph(ownGossip, "{sequence: ['ring:6', 'w.csv']}", "hamilton"), "\"w.csv\" in a sequence is no generator"},
		"apart":           {onGraph(ownGossip, "{sequence: ['regular:n=6,d=0', 'regular:n=6,d=0']}", "hamilton"), "not connected"},
		"keys":            {onGraph(ownGossip, "{sequence: ['ring:6'], every: 2}", "hamilton"), "but for one, sequence"},
		"numbers":         {onGraph(ownGossip, "{sequence: [6]}", "hamilton"), "is no graph"},
		"directed":        {onGraph(ownGossip, two, "hamilton\ndirected: false"), "is a generator"},
	} {
		_, err := Parse([]byte(c.text), name)
		if err == nil {
			_, err = openOwn(t, c.text, even)
		}
		if err == nil || !strings.Contains(err.Error(), c.words) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (hint %q), not %q", name, err, fault.Hint(err), c.words)
		}
	}
	s := load(t, map[string]string{"spec.yaml": onGraph(ownGossip, two, "hamilton")})
	s.Participants = make([]spec.Participant, 6)
	if _, err := readGraph(s); err == nil || !strings.Contains(err.Error(), "simulations alone") {
		t.Error(err)
	}
}
