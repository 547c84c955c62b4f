package experiment

import (
	"context"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// Prepared is a spec made concrete: a graph, data on its nodes and an algorithm,
// whose noise is not set yet.
type Prepared struct {
	*family.Holdings
	Algorithm family.Algorithm
}

// Priced is Prepared with its noise set and the losses at that noise. Nothing has been
// trained yet.
type Priced struct {
	Prepared
	Accounting family.Accounting
}

func newPrepared(a family.Algorithm) Prepared { return Prepared{a.Of(), a} }

// Prepare makes a spec concrete and prices every pair. Each stage is announced to
// say, which may be nil. The spec is not changed.
func Prepare(ctx context.Context, given *spec.Spec, say func(string)) (*Priced, error) {
	p, err := Open(ctx, given, say)
	if err != nil {
		return nil, err
	}
	return p.Price(ctx, say)
}

// Price accounts for every pair of an opened spec and sets its noise. say, if not nil, is called with the stage.
func (p *Prepared) Price(ctx context.Context, say func(string)) (*Priced, error) {
	return stage(ctx, say, "accounting for every pair", p.price)
}

// PriceSome sets the noise as Price does. It prices pairs only if the noise is to be calibrated.
func (p *Prepared) PriceSome(ctx context.Context, say func(string)) (*Priced, error) {
	return stage(ctx, say, "setting the noise", p.setNoise)
}

// OpenForPairs prepares a spec for questions about single pairs. Answers quote the stated losses
// of these pairs, so that all have to be priced. If there are too many pairs
// for every accountant that tells them apart, none is priced.
func OpenForPairs(ctx context.Context, given *spec.Spec, say func(string)) (*Priced, error) {
	p, err := Open(ctx, given, say)
	if err != nil {
		return nil, err
	}
	if err := p.Algorithm.Pairs(); err != nil {
		return nil, err
	}
	if p.Spec.Nodes <= family.PairLimit {
		return stage(ctx, say, "accounting for every pair", p.price)
	}
	return stage(ctx, say, "setting the noise", p.setNoise)
}

// mostPriced is the largest number of nodes for which an attack on one node prices all pairs.
const mostPriced = 512

// OpenForAttack prepares a spec for attacks on one node. If nodes are few, its pairs are priced with all others,
// else one by one.
func OpenForAttack(ctx context.Context, given *spec.Spec, say func(string)) (*Priced, error) {
	p, err := Open(ctx, given, say)
	if err != nil {
		return nil, err
	}
	return p.PriceForAttack(ctx, say)
}

// PriceForAttack prices an opened spec as OpenForAttack does.
func (p *Prepared) PriceForAttack(ctx context.Context, say func(string)) (*Priced, error) {
	if p.Spec.Nodes <= mostPriced || p.Algorithm.Pairs() != nil {
		return stage(ctx, say, "accounting for every pair", p.price)
	}
	return stage(ctx, say, "setting the noise", p.setNoise)
}

// Open prepares a spec without the accounting: no noise is set.
func Open(ctx context.Context, given *spec.Spec, say func(string)) (*Prepared, error) {
	return openWith(ctx, given, say, openGround)
}

// OpenOn opens a spec on the graph g, which takes the place of the graph that the spec names. The
// resolved spec has the name of g, and a caller that opens it again must give g again.
func OpenOn(ctx context.Context, given *spec.Spec, g *graph.Graph) (*Prepared, error) {
	return openWith(ctx, given, nil, func(ctx context.Context, s *spec.Spec) (*family.Ground, error) { return groundOn(ctx, s, g) })
}

func openWith(ctx context.Context, given *spec.Spec, say func(string), on func(context.Context, *spec.Spec) (*family.Ground, error)) (*Prepared, error) {
	own := *given
	ground, err := stage(ctx, say, "reading the graph "+own.Graph, func(ctx context.Context) (*family.Ground, error) {
		g, err := on(ctx, &own)
		if err == nil && say != nil {
			if note := g.Note(); note != "" {
				say("note: " + note)
			}
		}
		return g, err
	})
	if err != nil {
		return nil, err
	}
	holdings, err := stage(ctx, say, reading(&own), func(context.Context) (*family.Holdings, error) {
		return loadData(*ground)
	})
	if err != nil {
		return nil, err
	}
	return stage(ctx, say, "setting up the "+own.Algorithm.Kind, func(ctx context.Context) (*Prepared, error) {
		return makeAlgorithm(ctx, holdings)
	})
}

// price sets the noise and prices every pair.
func (p *Prepared) price(ctx context.Context) (*Priced, error) {
	a, all, err := family.Price(ctx, p.Algorithm)
	if err != nil {
		return nil, err
	}
	if err := family.Describe(ctx, a, &all); err != nil {
		return nil, err
	}
	if err := family.Restate(ctx, a, &all); err != nil {
		return nil, err
	}
	return priced(a, all), nil
}

// priced returns the priced run. Its spec becomes the resolved one and names the accountant that was chosen. If the
// losses shown first are the least of several, it leaves the choice open, so that a run of it gives the same losses.
func priced(a family.Algorithm, all family.Accounting) *Priced {
	p := newPrepared(a)
	if all.Accounts[0].Part != nil {
		h := a.Of().WithSpec(func(s *spec.Spec) { s.Privacy.Accountant = spec.Sound })
		p.Holdings = &h
	}
	return &Priced{p, all}
}

// setNoise sets the noise and prices no more than it must.
func (p *Prepared) setNoise(ctx context.Context) (*Priced, error) {
	a, all, err := family.SetNoise(ctx, p.Algorithm)
	if err != nil {
		return nil, err
	}
	return &Priced{newPrepared(a), all}, nil
}

// stage announces one step on the way to a result and does it, until ctx ends.
func stage[A any](ctx context.Context, say func(string), what string, do func(context.Context) (A, error)) (A, error) {
	var made, none A
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if say != nil {
		say(what)
	}
	done := make(chan A, 1)
	err := Within(ctx, func() error {
		a, err := do(ctx)
		done <- a
		return err
	})
	if err != nil {
		return none, err // what do goes on to make is not looked at
	}
	made = <-done
	return made, nil
}

// Within calls do and returns its error. If ctx ends first, it returns the error of ctx, because linear
// algebra looks at no context. Results that do goes on to compute must then not be used.
func Within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// makeAlgorithm chooses the model and makes the algorithm.
func makeAlgorithm(ctx context.Context, data *family.Holdings) (*Prepared, error) {
	h, err := withModel(*data)
	if err != nil {
		return nil, err
	}
	a, err := family.Of(h.Spec).Prepare(ctx, h)
	if err != nil {
		return nil, err
	}
	p := newPrepared(a)
	return &p, nil
}

// withModel returns holdings with the model of their spec, and its guarantees for all rows
// that are possible.
func withModel(h family.Holdings) (_ family.Holdings, err error) {
	if h.Objective, err = objective(&h); err != nil {
		return h, err
	}
	if err := begin(&h); err != nil {
		return h, err
	}
	slab := *h.Examples.(*sim.Slab)
	slab.Norms = model.Norms(h.Objective.Model, h.Train)
	h.Examples, h.Guarantees = &slab, h.Objective.Guarantees(h.Federation.Bound)
	return h, nil
}

// reading names the work that is done before an algorithm has its rows.
func reading(s *spec.Spec) string {
	if s.Data.Features.Steps == nil {
		return "reading the data " + s.Data.Source
	}
	return "reading the data " + s.Data.Source + " and computing features of each row"
}
