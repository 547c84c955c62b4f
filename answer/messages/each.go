package messages

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/graph"
)

// An EachAnswer holds the result of `hearsay attack gossip --each`, with its
// JSON.
type EachAnswer struct {
	N         int      `json:"n"`
	Attackers []Single `json:"attackers"`
	MeanShare float64  `json:"mean_share"`
	Exact     bool     `json:"exact"` // everything was decided in exact arithmetic
	graph     *graph.Graph
}

// A Single is the result of one attacker alone.
type Single struct {
	Attacker      int     `json:"attacker"`
	Label         string  `json:"label,omitempty"`
	Degree        int     `json:"degree"`
	Reconstructed int     `json:"reconstructed"` // other nodes
	Share         float64 `json:"share"`         // of the other nodes
	Rank          int     `json:"rank"`
	Exact         bool    `json:"exact"`
}

// Each makes every node the attacker in turn.
func (f *Question) Each() (*EachAnswer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	run, err := f.averaging()
	if err != nil {
		return nil, err
	}
	each, err := attack.EachGossip(run.Accountant, form.Workers())
	if err != nil {
		return nil, err
	}
	a := &EachAnswer{N: run.Len(), graph: run.graph, Exact: true}
	for v, e := range each {
		others := len(e.Reconstructed) - 1
		single := Single{
			Attacker: v, Degree: a.graph.Degree(v), Reconstructed: others,
			Share: float64(others) / float64(max(1, a.N-1)), Rank: e.Rank, Exact: e.Exact,
		}
		if a.graph.Labelled() {
			single.Label = a.graph.Label(v)
		}
		a.Attackers = append(a.Attackers, single)
		a.MeanShare += single.Share / float64(a.N)
		a.Exact = a.Exact && e.Exact
	}
	return a, nil
}

// Print writes the attackers who reconstruct most.
func (a *EachAnswer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: a single attacker reconstructs %.3g of the %d others in the mean\n\n", a.graph.Name(), a.MeanShare, a.N-1)
	order := slices.Clone(a.Attackers)
	slices.SortStableFunc(order, func(x, y Single) int { return cmp.Compare(y.Reconstructed, x.Reconstructed) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "attacker\tdegree\treconstructed\tshare\trank\t")
	for k, e := range order {
		if k >= exposure.MostRows/2 && k < len(order)-exposure.MostRows/2 {
			if k == exposure.MostRows/2 {
				fmt.Fprintf(t, "%d more\t...\t...\t...\t...\t\n", len(order)-exposure.MostRows)
			}
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.3g\t%d\t\n", a.graph.Label(e.Attacker), e.Degree, e.Reconstructed, e.Share, e.Rank)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if !a.Exact {
		fmt.Fprintln(w, "\nsome were decided in floating point; exact arithmetic would take too long on this graph")
	}
	return nil
}
