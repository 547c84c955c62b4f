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

// An Answer holds what `hearsay attack gossip` found, with its JSON. Nodes are numbered 0..n-1, in
// the order of their ids.
type Answer struct {
	Reconstructed []int                `json:"reconstructed"`
	Leakage       []float64            `json:"leakage"`
	Rank          int                  `json:"rank"`
	N             int                  `json:"n"`
	Attackers     []int                `json:"attackers"`
	Certainty     gossipview.Certainty `json:"certainty"`         // of the leakages
	Exact         bool                 `json:"exact"`             // rank and reconstructed were decided in exact arithmetic
	Labels        []string             `json:"labels,omitempty"`  // of the reconstructed, if ids are not 0..n-1
	Unheard       []int                `json:"unheard,omitempty"` // nothing of them arrives
	Rounds        *Rounds              `json:"rounds,omitempty"`
	Known         *int                 `json:"relations_known,omitempty"` // how many there are
	Relations     []Relation           `json:"relations,omitempty"`
	Values        []Value              `json:"values,omitempty"` // of the reconstructed
	Estimates     []Value              `json:"estimates,omitempty"`
	Residual      *report.Number       `json:"residual,omitempty"`
	Sigma         float64              `json:"sigma,omitempty"`
	Notes         []string             `json:"notes,omitempty"`

	graph  *graph.Graph
	links  *graph.Graph // what distances are measured along
	attack *attack.Gossip
	solved *attack.Values
}

// Rounds says how many rounds of averaging give how much away.
type Rounds struct {
	Contacts int `json:"only_contacts"` // so many rounds give away attackers' contacts only
	All      int `json:"all"`           // so many give away all that are reconstructed
}

// Relation is a combination that the attackers know.
type Relation struct {
	Nodes        []int         `json:"nodes"`
	Coefficients []string      `json:"coefficients,omitempty"` // fractions; none if some are too long
	Value        report.Vector `json:"value,omitempty"`
}

// Value is what the attackers find of a node.
type Value struct {
	Node        int           `json:"node"`
	Label       string        `json:"label,omitempty"`
	Value       report.Vector `json:"value"`
	Uncertainty report.Number `json:"uncertainty"` // of values: by rounding of the messages; of estimates: the standard deviation
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

// labelled reports whether ids are not just 0..n-1.
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

// findNodes looks nodes up by their ids, or by number where the ids are names.
func findNodes(g *graph.Graph, labels []string) ([]int, error) {
	var nodes []int
	known := func(name string) bool { _, ok := g.Lookup(name); return ok }
	for _, label := range terminal.NameList(labels, known) {
		u, ok := g.Lookup(label)
		if !ok {
			return nil, fault.New(fmt.Sprintf("attacker %q is not a node of %s", label, g.Name()),
				fmt.Sprintf("name nodes by their ids, such as %s", g.Label(0)))
		}
		nodes = append(nodes, u)
	}
	return nodes, nil
}
