package experiment

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// dataFacts returns a report's facts about the data.
func dataFacts(s *family.Holdings) report.Data {
	f := s.Federation
	d := report.Data{
		Source: f.Source, Target: f.Target, Features: f.FeatureNames, Preprocessing: preprocessing(f),
		Train: s.Train.Len(), Test: s.Test.Len(), Unused: f.Unused, SetAside: f.SetAside, Partition: f.Partition,
	}
	if len(f.Classes) == 2 {
		d.Positive = f.Classes[1]
	}
	d.Classes = f.Classes
	for _, c := range f.Columns {
		d.Columns = append(d.Columns, scaling(c))
	}
	if f.Label != nil {
		label := scaling(*f.Label)
		d.Label = &label
	}
	if f.Unit {
		one := 1.0
		d.RowNorm = &one
	}
	d.Categories, d.Fill, d.Encoding = f.Categories, f.Fill, f.Encoding
	return d
}

// Recipe returns everything, besides the parameters, that a prediction needs.
func (p *Prepared) Recipe() report.Recipe {
	d, m := dataFacts(p.Holdings), p.Spec.Model
	r := report.NewRecipe(m.Kind, &d)
	r.Task, r.WithIntercept, r.ClassWeights = string(p.Federation.Task), m.Intercept && m.Kind != (model.Mean{}).Name(), m.ClassWeights
	if r.External = externalRecipe(&p.Spec.Model); r.External != nil {
		r.Task, r.WithIntercept = m.Task, false
	}
	switch {
	case m.Kind == (model.ConvNet{}).Name():
		r.Hidden, r.Activation, r.Maps, r.Kernel = m.Hidden, "relu", m.Maps, m.Kernel
		r.Shape = p.Spec.Data.Picture(len(d.Features))
	case m.Hidden != nil:
		r.Hidden, r.Activation = m.Hidden, "tanh"
	}
	if missing := p.Spec.Data.Missing; missing != "" {
		r.Missing = missing
	}
	if n := p.Spec.Data.Notation(); !n.IsZero() {
		r.Table = &n
	}
	return r
}

func scaling(c dataset.Column) report.Scaling {
	return report.Scaling{Name: c.Name, Shift: c.Shift, Factor: c.Factor, Limit: report.Number(c.Limit)}
}

// preprocessing lists the transformations of a row, in order.
func preprocessing(f *dataset.Federation) []string {
	var steps []string
	for _, column := range slices.Sorted(maps.Keys(f.Fill)) {
		steps = append(steps, fmt.Sprintf("%s: a missing value becomes %s", column, f.Fill[column]))
	}
	for _, column := range slices.Sorted(maps.Keys(f.Categories)) {
		steps = append(steps, fmt.Sprintf("%s: a feature for each of %s, 1 where it is that and else 0", column, strings.Join(f.Categories[column], ", ")))
	}
	for _, c := range f.Columns {
		line := fmt.Sprintf("%s: (value - %.17g) x %.17g", c.Name, c.Shift, c.Factor)
		if !math.IsInf(c.Limit, 1) {
			line += fmt.Sprintf(", limited to [-%g, %g]", c.Limit, c.Limit)
		}
		steps = append(steps, line)
	}
	steps = append(steps, f.Encoding.Words()...)
	if f.Unit {
		steps = append(steps, "then each row scaled to L2 norm 1")
	}
	return steps
}

func (s *Priced) graphFacts() report.Graph {
	if s.Graph == nil {
		return report.Graph{Name: "none", Weights: "uniform over all nodes", Nodes: s.Spec.Nodes, Diameter: -1, SpectralGap: -1}
	}
	low, _, high := s.Graph.DegreeRange()
	g := report.Graph{
		Name: filepath.Base(s.Graph.Name()), Weights: s.Transition.Rule(), Nodes: s.Graph.Len(), Edges: s.Graph.Edges(),
		MinDegree: low, MaxDegree: high, Diameter: -1, SpectralGap: -1,
	}
	if d, err := s.Graph.Diameter(0); err == nil && d.Exact() {
		g.Diameter = d.Upper
	}
	if s.Gap.Converged {
		g.SpectralGap = s.Gap.Value
	}
	g.Secrets = secretsFacts(s.Algorithm)
	return g
}

// secretsFacts describes the graph of nodes that share secrets. It returns nil if no nodes do.
func secretsFacts(a family.Algorithm) *report.Secrets {
	sharer, ok := a.(family.Sharer)
	if !ok || sharer.Secrets() == nil {
		return nil
	}
	g := sharer.Secrets()
	low, _, high := g.DegreeRange()
	facts := &report.Secrets{Name: filepath.Base(g.Name()), Pairs: g.Edges(), MinPartners: low, MaxPartners: high}
	if g == a.Of().Graph {
		facts.Name = graphfile.EdgeSecrets
	}
	return facts
}
