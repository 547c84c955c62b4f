package rehearse

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// A venue provides the trials: the participants of a federation, or the nodes of a
// simulation.
type venue interface {
	names() []string
	worlds() []World
	public() *experiment.Priced
	// round draws one trial in one world.
	round(ctx context.Context, world, trial int) (*round, error)
	rows(v int) string // source of a participant's rows, in words
	notes() []string
}

// A round is the run of one trial, with the training rows and test rows of each participant.
// If nobody has test rows all are scored on the training rows.
type round struct {
	run         *experiment.Priced
	seed        uint64
	train, test []model.Examples
}

// together scores everyone on the test rows of all.
func (r *round) together() {
	all := r.run.Test
	for u := range r.test {
		r.test[u] = all
	}
}

// simulated is a spec that lists no participants. It uses its own rows, as hearsay run does.
type simulated struct {
	priced *experiment.Priced
	called []string
}

func newSimulated(p *experiment.Priced) *simulated {
	s := &simulated{priced: p}
	own := p.Names()
	for v := range p.Spec.Nodes {
		name := fmt.Sprintf("node %d", v)
		if own != nil {
			name = own[v]
		}
		s.called = append(s.called, name)
	}
	return s
}

func (s *simulated) names() []string            { return s.called }
func (s *simulated) public() *experiment.Priced { return s.priced }
func (s *simulated) rows(int) string            { return s.priced.Spec.Data.Source }

func (s *simulated) worlds() []World {
	return []World{{Name: s.priced.Spec.Data.Source, Words: "The rows of the spec: " + s.priced.Spec.Data.Source + "."}}
}

func (s *simulated) notes() []string {
	if s.priced.Test.Len() == 0 {
		return []string{"The spec keeps no rows for testing: all are scored on the rows that the nodes learn from together."}
	}
	notes := []string{fmt.Sprintf("All are scored on the same %d rows, which nobody learns from.", s.priced.Test.Len())}
	if s.priced.Resplit == nil {
		notes = append(notes, "All trials have the same rows, and differ in noise and routes alone: the spread says nothing of what other rows would give.")
	}
	return notes
}

func (s *simulated) round(ctx context.Context, _, trial int) (*round, error) {
	p, err := s.priced.OfTrial(ctx, trial)
	if err != nil {
		return nil, err
	}
	r := &round{run: p, seed: experiment.TrialSeed(p.Spec.Seed, trial)}
	for v := range p.Spec.Nodes {
		r.train, r.test = append(r.train, p.Examples.Examples(step.NodeID(v))), append(r.test, p.Test)
	}
	return r, nil
}
