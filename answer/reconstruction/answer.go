package reconstruction

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// An Answer holds the result of `hearsay attack gradients`, with its JSON. Nodes are numbered 0..n-1.
type Answer struct {
	Name     string             `json:"name"`
	Kind     string             `json:"kind"`
	N        int                `json:"n"`
	Names    []string           `json:"names,omitempty"`
	Steps    int                `json:"steps"`
	Turns    int                `json:"gossip_steps"`
	Sigma    report.Number      `json:"sigma"`
	NoiseStd report.Number      `json:"noise_std"` // of a number of a gradient, as one node draws it
	Attacks  []Attack           `json:"attacks"`
	Nodes    []exposure.Exposed `json:"nodes"`
	Stop     Stop               `json:"stop"`
	Notes    []string           `json:"notes,omitempty"`

	algorithm *gossipfamily.Algorithm
}

// Attack is the result of one set of attackers.
type Attack struct {
	Attackers     []int         `json:"attackers"`
	Method        string        `json:"method"`
	Messages      int           `json:"messages"`
	Reconstructed []int         `json:"reconstructed"` // nodes whose gradient the messages determine, except for noise and the change of gradients
	Exact         []int         `json:"exact"`         // found to a relative error of 1e-6
	Recognised    []int         `json:"recognised"`    // found with a PSNR of at least 10, and above that of a guess
	Share         float64       `json:"share"`         // of the others, recognised
	Labels        int           `json:"labels"`        // recovered
	MeanPSNR      report.Number `json:"mean_psnr"`     // of the others with any result
	GuessPSNR     report.Number `json:"guess_psnr"`    // mean over all others for the mean of all examples, a guess without messages
	GuessLabels   int           `json:"guess_labels"`  // right if the most frequent label is guessed
	Refined       int           `json:"refined"`
	Unexplained   report.Number `json:"unexplained"` // share of the messages
	Unlooked      *missedNodes  `json:"unlooked,omitempty"`
	Targets       []Target      `json:"targets"`
}

// Target is the result of the attackers for one node.
type Target struct {
	Node       int           `json:"node"`
	Distance   int           `json:"distance"` // hops from the nearest attacker
	Single     bool          `json:"single"`   // the messages determine its gradient
	FirstRound bool          `json:"first_round"`
	Peeled     bool          `json:"peeled"` // its example is found node by node, however gradients change
	Solved     bool          `json:"solved"` // its example is found from all messages jointly, and it is unique
	Open       bool          `json:"open"`   // other examples explain all messages equally well, so none can be found
	Rounding   report.Number `json:"rounding"`
	Std        report.Number `json:"std"`   // of the noise in a number of the estimated gradient
	Floor      report.Number `json:"floor"` // lower bound for any unbiased estimate, whatever else the attackers know
	Error      report.Number `json:"relative_error"`
	PSNR       report.Number `json:"psnr"`
	GuessPSNR  report.Number `json:"guess_psnr"` // of the mean of all examples
	Label      bool          `json:"label"`      // recovered
	Rows       int           `json:"rows"`

	truth, found []float64
}

// recognised reports whether the messages show the node's example better than a guess does.
func (t *Target) recognised() bool {
	return t.PSNR >= gradientinversion.Recognised && t.PSNR > t.GuessPSNR
}

// Stop describes the changes that would stop the attackers.
type Stop struct {
	// Multiplier is the noise, standard deviation over sensitivity, that keeps everyone at (Eps,
	// Delta)-differential privacy towards each set of attackers, by the accountant of Floor.
	Multiplier  report.Number   `json:"multiplier"`
	Eps         float64         `json:"eps"`
	Delta       float64         `json:"delta"`
	Status      report.Status   `json:"status"` // of Multiplier and of every floor
	Accountant  string          `json:"accountant"`
	Unit        privacy.Unit    `json:"unit"` // of privacy
	Assumptions []string        `json:"assumptions"`
	Edges       []exposure.Edge `json:"edges,omitempty"`
}

// audit computes the answer for every set of attackers.
func (r *rehearsed) audit(ctx context.Context, sets [][]int, m gradientinversion.Method) (*Answer, error) {
	a := r.algorithm
	p := a.Protocol
	answer := &Answer{
		Name: a.Spec.Title(), Kind: a.Spec.Algorithm.Kind, N: p.Nodes, Names: a.Names(), Steps: p.Rounds, Turns: p.TurnsPerRound,
		Sigma: report.Number(p.Noise.Multiplier), NoiseStd: report.Number(p.Noise.Std()), algorithm: a,
	}
	all, _, err := r.listen(ctx, sets, m)
	if err != nil {
		return nil, err
	}
	worst := 0.0
	var behind privacy.Claim
	for k, e := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.progress("attacking", k, len(all))
		energies, claim := a.FlowEnergies(e.attacks)
		if k == 0 || claim.Status != privacy.Sound { // a claim with more assumptions stands for all
			behind = claim
		}
		answer.Attacks = append(answer.Attacks, r.found(e, energies))
		for u, energy := range energies {
			if !slices.Contains(e.attacks, u) {
				worst = max(worst, energy)
			}
		}
	}
	r.missed(answer)
	answer.Stop = Stop{
		Multiplier: report.Number(math.Sqrt(worst) / privacy.MuGaussian(exposure.StopEps, exposure.StopDelta)), Eps: exposure.StopEps, Delta: exposure.StopDelta,
		Status: report.Status(behind.Status), Accountant: behind.Accountant, Unit: behind.UnitOrParticipant(), Assumptions: behind.Grounds(),
	}
	r.note(answer)
	return answer, r.exposure(ctx, answer, sets)
}

// found runs one attack and compares its result with the truth.
func (r *rehearsed) found(e *eavesdrop, energies []float64) Attack {
	a := r.algorithm
	p := a.Protocol
	out := Attack{Attackers: e.attacks, Messages: len(e.attack.Knowledge().Rows()), Method: string(e.attack.Method),
		Reconstructed: []int{}, Exact: []int{}, Recognised: []int{}, Unexplained: report.Number(math.NaN()),
		MeanPSNR: report.Number(math.NaN()), GuessPSNR: report.Number(math.NaN())}
	hops := graph.NewSearch(a.Graph).Nearest(e.attacks)
	var f *gradientinversion.Found
	var guess *gradientinversion.Point
	span, sum, guessed, count := 0.0, 0.0, 0.0, 0
	if a.Public {
		f = e.attack.Plan()
	} else {
		f = e.attack.Run(e.seen)
		out.Refined, out.Unexplained = f.Refined, report.Number(f.Unexplained)
		out.Unlooked = r.unlooked(e.attack, f.Unlooked)
		span, guess = gradientinversion.Span(a.Train), gradientinversion.Guess(a.Train)
	}
	std := p.Noise.Std()
	for _, u := range e.attack.Knowledge().Targets() {
		t := Target{Node: u, Distance: hops[u], Single: f.Resolved[u], FirstRound: f.First != nil && f.First[u], Peeled: f.Peeled != nil && f.Peeled[u],
			Solved: f.Solved != nil && f.Solved[u], Open: f.Open != nil && f.Open[u],
			Rounding: report.Number(f.Rounding[u]), Std: report.Number(std * f.Gain[u]), Floor: report.Number(std / math.Sqrt(energies[u])),
			Error: report.Number(math.NaN()), PSNR: report.Number(math.NaN()), GuessPSNR: report.Number(math.NaN())}
		if std == 0 {
			t.Std, t.Floor = 0, 0
		}
		if t.Single {
			out.Reconstructed = append(out.Reconstructed, u)
		}
		if !a.Public {
			r.compare(&t, f.Points[u], span)
			bare := gradientinversion.Compare(guess, a.Examples.Examples(step.NodeID(u)), span)
			t.GuessPSNR = report.Number(bare.PSNR)
			guessed += bare.PSNR
			if bare.Labeled {
				out.GuessLabels++
			}
			if p := float64(t.PSNR); !math.IsInf(p, -1) {
				sum, count = sum+min(p, 300), count+1
			}
		}
		if t.Error <= gradientinversion.Precise {
			out.Exact = append(out.Exact, u)
		}
		if t.recognised() {
			out.Recognised = append(out.Recognised, u)
		}
		if t.Label {
			out.Labels++
		}
		out.Targets = append(out.Targets, t)
	}
	if count > 0 {
		out.MeanPSNR = report.Number(sum / float64(count))
	}
	if n := len(out.Targets); !a.Public && n > 0 {
		out.GuessPSNR = report.Number(guessed / float64(n))
	}
	out.Share = float64(len(out.Recognised)) / float64(max(1, len(out.Targets)))
	return out
}

// compare compares the result for a node with its examples.
func (r *rehearsed) compare(t *Target, found *gradientinversion.Point, span float64) {
	ex := r.algorithm.Examples.Examples(step.NodeID(t.Node))
	t.Rows = ex.Len()
	s := gradientinversion.Compare(found, ex, span)
	t.Error, t.PSNR, t.Label = report.Number(s.Error), report.Number(s.PSNR), s.Labeled
	if s.Row >= 0 {
		t.truth, _ = ex.Row(s.Row)
		t.found = found.X
	} else if ex.Len() > 0 {
		t.truth, _ = ex.Row(0)
	}
}

// note adds the notes that a reader needs.
func (r *rehearsed) note(answer *Answer) {
	a := r.algorithm
	most := 0
	for v := range a.Protocol.Nodes {
		if !a.Public {
			most = max(most, a.Examples.Examples(step.NodeID(v)).Len())
		}
	}
	switch a.Protocol.Objective.Model.(type) {
	case model.Mean, model.Own:
	default:
		if most > 1 {
			answer.Notes = append(answer.Notes, fmt.Sprintf("Nodes hold up to %d examples, and a gradient is their mean: "+
				"what is found is a mixture of them, compared with the nearest.", most))
		}
		if !a.Spec.Model.Intercept {
			answer.Notes = append(answer.Notes, "The model has no constants: examples are found up to their length where gradients are clipped, "+
				"and two labels may be told apart no more than an example from its mirror image.")
		}
	}
	open := 0
	for _, k := range answer.Attacks {
		for _, t := range k.Targets {
			if t.Open && t.Single {
				open++
			}
		}
	}
	if open > 0 {
		answer.Notes = append(answer.Notes, fmt.Sprintf("Of %d that are singled out the examples are open: they would be if gradients stayed the same, but as they change "+
			"the messages say less than there is to know, and other examples explain them as well.", open))
	}
	if a.Protocol.Radius > 0 {
		answer.Notes = append(answer.Notes, "Models are projected onto a ball; the attackers take them for not projected.")
	}
	if a.Public {
		answer.Notes = append(answer.Notes, "The participants' rows are not here: what the messages single out is known, how near examples come is not.")
	}
	if a.Changes() {
		answer.Notes = append(answer.Notes, "The graph changes from turn to turn: coalitions and edges were not looked at.")
	}
}
