package experiment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
)

// OpenPublic makes the spec of a federation concrete from public facts alone.
// No data are read, and no node holds any row. The noise is set as in OpenForPairs.
func OpenPublic(ctx context.Context, given *spec.Spec) (*Priced, error) {
	if !given.Federated() {
		return nil, fault.New("spec of a simulation: it lists no participants", "add participants: with a name and a key each, or use hearsay run")
	}
	own := *given
	return stage(ctx, nil, "", func(ctx context.Context) (*Priced, error) {
		ground, err := openGround(ctx, &own)
		if err != nil {
			return nil, err
		}
		holdings, err := describeData(*ground)
		if err != nil {
			return nil, err
		}
		p, err := makeAlgorithm(ctx, holdings)
		if err != nil {
			return nil, err
		}
		return p.setNoise(ctx)
	})
}

// PublicHoldings returns the holdings of a federation before any algorithm is made of it: its graph and
// its model, without any rows.
func PublicHoldings(ctx context.Context, given *spec.Spec) (*family.Holdings, error) {
	own := *given
	ground, err := openGround(ctx, &own)
	if err != nil {
		return nil, err
	}
	holdings, err := describeData(*ground)
	if err != nil {
		return nil, err
	}
	h, err := withModel(*holdings)
	return &h, err
}

// PublicShape returns the shape of everybody's data that a federation's spec states.
func PublicShape(s *spec.Spec) dataset.Shape {
	d, modelKind := s.Data, s.Model.Kind
	if modelKind == (model.External{}).Name() {
		return dataset.Shape{Task: dataset.Mean, External: true}
	}
	shape := dataset.Shape{
		Target: d.Target, Task: dataset.Classification, Classes: d.Classes, Ranges: make(map[string][2]float64, len(d.Ranges)),
		ByIndex: d.Split == "index", Unit: d.Normalise == "unit", Categories: d.Categories, Fill: fillOf(&d), SkipMissing: d.Missing == "drop", Notation: d.Notation(),
		Persons: dataset.Persons{Column: d.Person, Rows: d.RowsPerPerson},
	}
	for name, r := range d.Ranges {
		shape.Ranges[name] = r
	}
	shape.Encoding = s.Encoding(len(shape.Features()))
	switch {
	case modelKind == (model.Mean{}).Name():
		shape.Task, shape.Target, shape.Classes = dataset.Mean, "", nil
	case d.Task == string(dataset.Regression):
		shape.Task = dataset.Regression
	}
	return shape
}

// describeData puts a federation of no rows where data would be.
func describeData(g family.Ground) (*family.Holdings, error) {
	shape := PublicShape(g.Spec)
	if err := shape.Check(); err != nil {
		return nil, fault.Wrap(err, "data", fault.Hint(err))
	}
	federation, err := shape.Empty(g.Spec.Nodes)
	if err != nil {
		return nil, err
	}
	h := hold(g, federation)
	h.Public = true
	return h, nil
}

// Neighbours returns the nodes that node u exchanges messages with, ascending: in the graph,
// or in one of the graphs that are drawn.
func (p *Prepared) Neighbours(u int) []int32 {
	if m, ok := p.Algorithm.(family.Meeter); ok && m.Meets(u) != nil {
		return m.Meets(u)
	}
	return slices.Sorted(slices.Values(p.Graph.Neighbours(u)))
}

// Distances returns the hops from node u to each node, and -1 where there is no path.
func (p *Prepared) Distances(u int) []int {
	hops := make([]int, p.Spec.Nodes)
	for v := range hops {
		hops[v] = -1
	}
	hops[u] = 0
	for queue := []int{u}; len(queue) > 0; queue = queue[1:] {
		for _, v := range p.Neighbours(queue[0]) {
			if hops[v] < 0 {
				hops[v] = hops[queue[0]] + 1
				queue = append(queue, int(v))
			}
		}
	}
	return hops
}

// WithNoise returns the same run with the multiplier of the noise that is really added. It must be at
// least the accounted one, else WithNoise panics.
func (p *Priced) WithNoise(multiplier float64) (*Priced, error) {
	if !(multiplier >= p.Accounting.Sigma) || math.IsInf(multiplier, 1) {
		panic(fmt.Sprintf("experiment: noise multiplier %g under an accounting for %g", multiplier, p.Accounting.Sigma))
	}
	a, err := p.Algorithm.WithNoise(multiplier)
	if err != nil {
		return nil, err
	}
	return &Priced{newPrepared(a), p.Accounting}, nil
}
