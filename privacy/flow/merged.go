package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// If few nodes take part in a turn, as where one edge wakes, a schedule may have very
// many turns. Turns without a common node commute, because the messages of a node depend
// only on its own turns' noise and on the messages it heard in them. So each turn goes
// into the first round after all earlier turns of its nodes. A run of T turns of a pair
// each takes a few T/n rounds. A node that is in no turn of a round takes no step, adds
// no noise and keeps its value. It has constant 1, noise 0, and a row with itself alone,
// which no other node sees.
//
// Numbers are in units of the first step size, so that turns of a round may have
// different ones.

// A mergedRound holds the turns of one round, by node. Rows are empty for nodes in no
// turn.
type mergedRound struct {
	columns                [][]int32
	values                 [][]float64
	gives, noise, constant []float64
}

func newMergedRound(n int) *mergedRound {
	return &mergedRound{
		columns: make([][]int32, n), values: make([][]float64, n),
		gives: make([]float64, n), noise: make([]float64, n), constant: slices.Repeat([]float64{1}, n),
	}
}

// A merger puts turns into rounds.
type merger struct {
	schedule.Gossip
	rounds  []*mergedRound
	free    []int // first round after all turns of a node so far
	used    []int // contributions of a node so far
	entries int
}

// merged returns the problem of a schedule whose nodes take part in some turns. It
// returns an error if the problem has more than most entries.
func merged(s schedule.Gossip, most int) (Problem, error) {
	m := &merger{Gossip: s, free: make([]int, s.Nodes), used: make([]int, s.Nodes)}
	everybody := make([]step.NodeID, s.Nodes)
	for v := range everybody {
		everybody[v] = step.NodeID(v)
	}
	for t := range s.Turns() {
		nodes := s.Active(t)
		if nodes == nil {
			nodes = everybody
		}
		if m.take(t, nodes); m.entries > most {
			return Problem{}, tooLong(t, s.Turns())
		}
	}
	if len(m.rounds) == 0 { // no node ever takes part
		m.rounds = append(m.rounds, newMergedRound(s.Nodes))
	}
	return m.problem(), nil
}

// take puts turn t of these nodes into its round.
func (m *merger) take(t step.Turn, nodes []step.NodeID) {
	at := 0
	for _, v := range nodes {
		row, _ := m.Row(v, t)
		for _, u := range row { // v among them
			at = max(at, m.free[u])
		}
	}
	if len(nodes) > 0 && at == len(m.rounds) {
		m.rounds = append(m.rounds, newMergedRound(m.Nodes))
		m.entries += 8 * m.Nodes
	}
	for _, v := range nodes {
		row, weights := m.Row(v, t)
		m.rounds[at].columns[v], m.rounds[at].values[v] = slices.Clone(row), slices.Clone(weights)
		m.entries += len(row)
		for _, u := range row {
			m.free[u] = at + 1
		}
		m.add(m.rounds[at], t, v)
	}
}

// add adds the noise, Lipschitz constant and contribution of v in turn t.
func (m *merger) add(r *mergedRound, t step.Turn, v step.NodeID) {
	sizes, round := sizes(m.Gossip), int(t)/m.TurnsPerRound
	gamma := sizes[min(round, len(sizes)-1)]
	unit := 1.0
	if m.StepSizes != nil {
		unit = gamma / sizes[0]
	}
	r.noise[v] = unit
	if t%step.Turn(m.TurnsPerRound) != 0 {
		return
	}
	if r.constant[v] = m.Update.Lipschitz(gamma); m.Contributes(round, m.used[v]) {
		r.gives[v] = unit
		m.used[v]++
	}
}

func (m *merger) problem() Problem {
	p := Problem{Rounds: len(m.rounds)}
	for _, r := range m.rounds {
		p.Weights = append(p.Weights, r.matrix())
		p.Contributions, p.Noise, p.Lipschitz = append(p.Contributions, r.gives), append(p.Noise, r.noise), append(p.Lipschitz, r.constant)
	}
	return p
}

// matrix returns the matrix of the round. It frees the rows.
func (r *mergedRound) matrix() *sparse.Matrix {
	n := len(r.columns)
	w := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1), Columns: make([]int32, 0, 2*n), Values: make([]float64, 0, 2*n)}
	for v := range n {
		if r.columns[v] == nil {
			w.Columns, w.Values = append(w.Columns, int32(v)), append(w.Values, 1)
		} else {
			w.Columns, w.Values = append(w.Columns, r.columns[v]...), append(w.Values, r.values[v]...)
		}
		w.Offsets = append(w.Offsets, len(w.Columns))
	}
	r.columns, r.values = nil, nil
	return w
}
