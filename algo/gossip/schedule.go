package gossip

import (
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Schedule returns the releases of a run of p, known before it runs, as accountants take them. g holds the
// guarantees of the objective for all possible examples. If weights never change, the caller may set the
// schedule's W instead.
func (p *Protocol) Schedule(w Weights, g model.Guarantees) schedule.Gossip {
	s := schedule.Gossip{
		Nodes: p.Nodes, Weights: w, Rounds: p.Rounds, TurnsPerRound: p.TurnsPerRound, Gamma: p.Gamma, Cap: p.Cap, Asynchronous: p.Asynchronous,
		NoiseAlways: true, NoiseEachTurn: p.NoiseEachTurn, Pairwise: p.Pairwise, Pairs: p.Pairs, Absent: p.Absent, Memory: p.Memory, Epoch: p.Epoch, Projected: p.Radius > 0, Momentum: p.Momentum, Final: p.Final,
		Sensitivity: p.Noise.Sensitivity(), Sensitivities: p.Noise.Sensitivities(), Records: p.Noise.Records(), Noise: p.Noise.Std(), Update: p.Update(g),
	}
	if p.StepSize.Power != 0 {
		for t := range p.Rounds {
			s.StepSizes = append(s.StepSizes, p.StepSize.At(t))
		}
	}
	return s
}

// EachBeginner calls do with every node that adds noise at turn t (Kernel.Begin).
func (p *Protocol) EachBeginner(w Weights, t step.Turn, do func(step.NodeID)) {
	if !p.noisy(t) {
		return
	}
	if p.Asynchronous {
		if active := w.Active(t); active != nil {
			for _, v := range active {
				do(v)
			}
			return
		}
	}
	for v := range step.NodeID(p.Nodes) {
		do(v)
	}
}

// noisy reports whether nodes that take part in turn t add noise before it.
func (p *Protocol) noisy(t step.Turn) bool { return p.NoiseEachTurn || p.first(t) }

// Begins reports whether node v adds noise at turn t.
func (p *Protocol) Begins(w Weights, v step.NodeID, t step.Turn) bool {
	return p.noisy(t) && (!p.Asynchronous || active(w, v, t))
}
