package price

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// A WalkAnswer holds the result of `hearsay privacy walk`, with its JSON.
type WalkAnswer struct {
	N           int             `json:"n"`
	About       *int            `json:"about,omitempty"`    // with --u alone: losses are towards each node, null at itself
	Observer    *int            `json:"observer,omitempty"` // with --v alone: losses are from each node, null at itself
	Accountants WalkAccountants `json:"accountants"`
	graph       *graph.Graph
}

// WalkAccountants holds the results of the accountants of a walk. Those that were not
// asked are nil.
type WalkAccountants struct {
	Published *PublishedWalk `json:"published,omitempty"`
	Path      *PathWalk      `json:"path,omitempty"`
	Local     *LocalWalk     `json:"local,omitempty"`
	Refused   Refused        `json:"refused,omitempty"`
}

// Refused holds accountants whose theorem does not cover the matrix, with the missing
// condition.
type Refused map[string]string

// print writes a line for each.
func (r Refused) print(w io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		fmt.Fprintf(w, "no %s number: %s\n", name, r[name])
	}
}

// PublishedWalk is the result of the published formula for all pairs.
type PublishedWalk struct {
	form.Claim
	Single any `json:"single,omitempty"` // of one contribution: matrix [u][v], or one number with --u and --v; nil for all pairs at a delta
	Eps    any `json:"eps"`
}

// PathWalk is the result of the path accountant for one pair, a side, or all pairs.
type PathWalk struct {
	form.Claim
	side       *walkpath.Side // with one node alone
	sideLosses []float64

	Eps        any          `json:"eps"`                 // Renyi divergence of order alpha, or epsilon at delta
	Table      *float64     `json:"table_eps,omitempty"` // of a pair: its value in the tables of all pairs
	Confidence float64      `json:"confidence"`
	Delta      []DeltaAt    `json:"delta,omitempty"`
	Energy     float64      `json:"mean_energy,omitempty"`
	Paths      int          `json:"paths"`
	Sampled    *SampledWalk `json:"sampled,omitempty"`
}

// name describes the method behind the numbers.
func (p *PathWalk) name() string {
	if p.Confidence < 1 {
		return fmt.Sprintf("path, %d simulated, confidence %g", p.Paths, p.Confidence)
	}
	return "path"
}

// A DeltaAt is the delta at one epsilon.
type DeltaAt struct {
	Eps   float64 `json:"eps"`
	Delta float64 `json:"delta"`
}

// SampledWalk holds confidence bounds from simulated paths. All of them hold jointly
// with probability Confidence (union bound).
type SampledWalk struct {
	Eps        float64   `json:"eps"`
	Confidence float64   `json:"confidence"`
	Delta      []DeltaAt `json:"delta"` // includes the failure probability
	Energy     float64   `json:"mean_energy"`
	Paths      int       `json:"paths"`
}

// LocalWalk is the loss of all contributions of a node that all can see.
type LocalWalk struct {
	form.Claim
	Eps float64 `json:"eps"`
}

// Print writes a table for a terminal.
func (a *WalkAnswer) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name string, status privacy.Status, eps any) {
		switch x := eps.(type) {
		case float64:
			fmt.Fprintf(t, "%s\t(%s)\t%s\n", name, status, report.Loss(x, report.Status(status)))
		case [][]float64:
			mean, worst := Summarise(x)
			s := report.Status(status)
			beyond := form.BeyondNeighbours(s, a.graph, func(u, v int) float64 { return x[u][v] })
			fmt.Fprintf(t, "%s\t(%s)\tmean %s, worst %s, worst beyond neighbours %s over all pairs\n", name, status, report.Loss(mean, s), report.Loss(worst, s), beyond)
		}
	}
	if p := a.Accountants.Published; p != nil {
		line("published, one contribution", p.Status, p.Single)
		line("published", p.Status, p.Eps)
	}
	if p := a.Accountants.Path; p != nil {
		if p.Table == nil {
			line(p.name(), p.Status, p.Eps)
		} else {
			line("path, as one of all pairs: plan and tables", p.Status, *p.Table)
			line("path, its law alone", p.Status, p.Eps)
		}
		for _, d := range p.Delta {
			fmt.Fprintf(t, "path, delta at eps %g\t(%s)\t%s\n", d.Eps, p.Status, report.Loss(d.Delta, report.Status(p.Status)))
		}
		if s := p.Sampled; s != nil {
			line(fmt.Sprintf("%d simulated paths, confidence %g", s.Paths, s.Confidence), p.Status, s.Eps)
		}
	}
	if l := a.Accountants.Local; l != nil {
		line("local", l.Status, l.Eps)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	a.Accountants.Refused.print(w)
	p := a.Accountants.Path
	if p == nil {
		return nil
	}
	if p.side != nil {
		if err := a.printSide(w, p); err != nil {
			return err
		}
	}
	form.PrintIf(w, p.Claim)
	return nil
}

// Summarise returns the mean and the maximum off the diagonal.
func Summarise(m [][]float64) (mean, worst float64) {
	n := float64(len(m))
	for u, row := range m {
		for v, x := range row {
			if u != v {
				mean += x / (n * (n - 1))
				worst = max(worst, x)
			}
		}
	}
	return mean, worst
}
