package walk

import (
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Schedule returns the releases of a run of p, known before it runs, which are the input of accountants. The token
// moves by the transition matrix w; nil means uniform over all nodes. g holds the guarantees of the objective for all
// possible examples. The walk starts at p.Start; a caller that draws the start must set schedule.AnyStart. For
// several tokens the schedule covers all of them.
func (p *Protocol) Schedule(w *sparse.Matrix, g model.Guarantees) schedule.Walk {
	s := schedule.Walk{
		Nodes: p.Nodes, W: w, Start: int(p.Start), Turns: p.Steps, BurnIn: p.BurnIn, Cap: p.Cap, EdgeCap: p.EdgeCap, Final: p.Final,
		Power: p.StepSize.Power, Forward: p.After == Forward, Reroutes: p.Handover != Handover{},
		Sensitivity: p.Noise.Sensitivity(), Sensitivities: p.Noise.Sensitivities(), Records: p.Noise.Records(), Noise: p.Noise.Std(), Update: p.Update(g), Tokens: p.Tokens, Skip: p.Skip,
	}
	if p.Updates != nil {
		s.Update = *p.Updates
	}
	for _, at := range p.Starts {
		s.Starts = append(s.Starts, int(at))
	}
	return s
}
