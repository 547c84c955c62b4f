package gossipview

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Of returns the accountant of a schedule of one round: averaging after one draw of noise, whose inputs do not
// depend on messages. It does not use the schedule's updates.
func Of(s schedule.Gossip) (*Accountant, error) {
	if err := covers(s); err != nil {
		return nil, err
	}
	if s.W != nil {
		return New(s.W, s.TurnsPerRound)
	}
	return changing(s, MostEntries)
}

// covers returns an error that names the first property of a schedule that views of averaging do not cover.
func covers(s schedule.Gossip) error {
	const local = "charge the local loss (accountant: local)"
	switch {
	case s.Rounds != 1:
		return fault.New(fmt.Sprintf("averaging of %d rounds of contributions", s.Rounds), "price rounds that follow the state by the flow accountant, or locally")
	case s.W != nil && s.W.N != s.Nodes:
		return fault.New(fmt.Sprintf("averaging among %d nodes with weights of %d", s.Nodes, s.W.N), "give the weights of this graph")
	case s.Final:
		return fault.New("the messages of the last turn are public, and a view holds those of the observers alone", local)
	case s.Projected:
		return fault.New("values are projected after noise was added to them, and a view is linear in what was added", "leave out the radius, or "+local)
	case s.Memory != nil:
		return fault.New("noise that remembers earlier rounds, and a view is of one draw of noise", local)
	case s.W == nil && s.Asynchronous:
		return fault.New("nodes that are away in the first turn add no noise", local)
	}
	return nil
}

// MostEntries bounds the memory of changing matrices: the entries of all turns, plus one per row. It is a few
// gigabytes.
const MostEntries = 1 << 26

// changing returns the accountant of changing matrices with at most most entries.
func changing(s schedule.Gossip, most int) (*Accountant, error) {
	var matrices []*sparse.Matrix
	for t, entries := 0, 0; t < s.TurnsPerRound; t++ {
		w := s.Matrix(step.Turn(t))
		if entries += len(w.Values) + w.N; entries > most {
			return nil, fault.New(fmt.Sprintf("the matrices of %d turns take more memory than the exact accountant may use: they fit up to turn %d", s.TurnsPerRound, t),
				"take fewer steps, or charge the local loss (accountant: local)")
		}
		matrices = append(matrices, w)
	}
	return NewChanging(matrices)
}

// RoundsOf returns the accountant of a schedule of several rounds on a fixed graph.
func RoundsOf(s schedule.Gossip) (*Rounds, error) {
	if s.W == nil || s.Asynchronous || s.Every > 1 || s.Momentum != 0 || s.Memory != nil || s.Epoch > 1 {
		return nil, fault.New("rounds of gossip whose weights or contributions differ from round to round, whose steps carry momentum or whose noise has a memory", "price them locally")
	}
	return NewRounds(s.W, s.TurnsPerRound, s.Rounds, s.Acceleration())
}
