package walk

import (
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Schedule is what a run of p releases, known before it runs: what accountants
// take. The token goes by w, nil for every node alike; g are the guarantees of
// the objective for all examples that there can be. The walk starts where p does;
// whoever draws the start sets schedule.AnyStart.
// Of a protocol of several tokens it is that of all of them.
func (p *Protocol) Schedule(w *sparse.Matrix, g model.Guarantees) schedule.Walk {
	s := schedule.Walk{
		Nodes: p.Nodes, W: w, Start: int(p.Start), Turns: p.Steps, BurnIn: p.BurnIn, Cap: p.Cap, EdgeCap: p.EdgeCap, Final: p.Final,
		Power: p.StepSize.Power, Forward: p.After == Forward, Reroutes: p.Handover != Handover{},
		Sensitivity: p.Noise.Sensitivity(), Sensitivities: p.Noise.Sensitivities(), Noise: p.Noise.Std(), Update: p.Update(g), Tokens: p.Tokens, Skip: p.Skip,
	}
	if p.Updates != nil {
		s.Update = *p.Updates
	}
	for _, at := range p.Starts {
		s.Starts = append(s.Starts, int(at))
	}
	return s
}
