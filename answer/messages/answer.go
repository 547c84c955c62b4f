package messages

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
)

// An Answer holds the result of `hearsay attack gossip`, with its JSON. Nodes are numbered 0..n-1,
// in the order of their ids.
type Answer struct {
	Reconstructed []int                `json:"reconstructed"`
	Leakage       []float64            `json:"leakage"`
	Rank          int                  `json:"rank"`
	N             int                  `json:"n"`
	Attackers     []int                `json:"attackers"`
	Certainty     gossipview.Certainty `json:"certainty"`         // of the leakages
	Exact         bool                 `json:"exact"`             // rank and reconstructed are decided in exact arithmetic
	Labels        []string             `json:"labels,omitempty"`  // of the reconstructed, if ids are not 0..n-1
	Unheard       []int                `json:"unheard,omitempty"` // none of their values arrives
	Rounds        *Rounds              `json:"rounds,omitempty"`
	Known         *int                 `json:"relations_known,omitempty"` // number of known relations
	Relations     []Relation           `json:"relations,omitempty"`
	Values        []Value              `json:"values,omitempty"` // of the reconstructed
	Estimates     []Value              `json:"estimates,omitempty"`
	Residual      *report.Number       `json:"residual,omitempty"`
	Sigma         float64              `json:"sigma,omitempty"`
	Notes         []string             `json:"notes,omitempty"`

	graph  *graph.Graph
	links  *graph.Graph // graph for distances
	attack *attack.Gossip
	solved *attack.Values
}

// Rounds gives the numbers of rounds of averaging that disclose values.
type Rounds struct {
	Contacts int `json:"only_contacts"` // with at most this many rounds only attackers' contacts are reconstructed
	All      int `json:"all"`           // least number of rounds that discloses all reconstructed values
}

// Relation is a linear combination that the attackers know.
type Relation struct {
	Nodes        []int         `json:"nodes"`
	Coefficients []string      `json:"coefficients,omitempty"` // fractions; empty if some are too long
	Value        report.Vector `json:"value,omitempty"`
}

// Value is the attackers' value of a node.
type Value struct {
	Node        int           `json:"node"`
	Label       string        `json:"label,omitempty"`
	Value       report.Vector `json:"value"`
	Uncertainty report.Number `json:"uncertainty"` // of values: by rounding of the messages; of estimates: standard deviation
	Lost        bool          `json:"lost,omitempty"`
	True        report.Vector `json:"true,omitempty"`
}

func newAttackAnswer(run *averaging, g *attack.Gossip) *Answer {
	view := g.View
	a := &Answer{
		N: g.Len(), Attackers: g.Attackers, graph: run.graph, links: run.union, attack: g, Reconstructed: view.Reconstructed(), Rank: view.Rank(),
		Certainty: view.Certainty(), Exact: view.Exact(), Unheard: g.Unheard(),
	}
	for u := range a.N {
		a.Leakage = append(a.Leakage, view.Leakage(u))
	}
	for _, u := range a.Reconstructed {
		if a.labelled() {
			a.Labels = append(a.Labels, a.graph.Label(u))
		}
	}
	return a
}

// labelled reports whether the ids differ from 0..n-1.
func (a *Answer) labelled() bool { return a.graph.Labelled() }

func newRelationAnswer(a *Answer, r attack.Relation) Relation {
	answer := Relation{Nodes: r.Nodes}
	for _, q := range r.Coefficients {
		answer.Coefficients = append(answer.Coefficients, q.String())
	}
	if a.solved != nil && r.Coefficients != nil {
		answer.Value = a.solved.Value(r)
	}
	return answer
}

// findNodes looks up nodes by their ids, or by number if the ids are names.
func findNodes(g *graph.Graph, labels []string) ([]int, error) {
	var nodes []int
	known := func(name string) bool { _, ok := g.Lookup(name); return ok }
	for _, label := range terminal.NameList(labels, known) {
		u, ok := g.Lookup(label)
		if !ok {
			return nil, fault.New(fmt.Sprintf("attacker %q is not a node of %s", label, g.Name()), g.Hint(label))
		}
		nodes = append(nodes, u)
	}
	return nodes, nil
}
