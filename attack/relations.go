package attack

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// A Relation is a linear combination of the values of nodes whose result the
// attackers know. None of the nodes is reconstructed.
type Relation struct {
	Nodes        []int      // ascending
	Coefficients []Fraction // one a node, the first 1; nil if one of them is no small fraction
}

// Relations returns a basis of all combinations that the attackers know of
// nodes that they do not reconstruct. It consists of the other rows of the
// reduced row-echelon form of the knowledge matrix (002, section 4.3), shortest
// first. It returns an error if the weights are not known as fractions or the
// elimination would take too long.
func (g *Gossip) Relations() ([]Relation, error) {
	form, err := g.averaging.Form(g.View, g.Attackers)
	if err != nil {
		return nil, err
	}
	relations := []Relation{}
	for k := range form.Rows() {
		if r := relation(form, k); len(r.Nodes) > 1 {
			relations = append(relations, r)
		}
	}
	slices.SortStableFunc(relations, func(a, b Relation) int { return cmp.Compare(len(a.Nodes), len(b.Nodes)) })
	return relations, nil
}

func relation(form *gossipview.Form, k int) Relation {
	nodes, residues := form.Row(k)
	r := Relation{Nodes: nodes}
	for i := range nodes {
		q, ok := small([2]uint64{residues[0][i], residues[1][i]})
		if !ok {
			return Relation{Nodes: nodes}
		}
		r.Coefficients = append(r.Coefficients, q)
	}
	return r
}

// Value returns the value of the combination, one number a coordinate. The
// relation must have coefficients.
func (v *Values) Value(r Relation) []float64 {
	sum := make([]float64, v.Dim)
	for i, u := range r.Nodes {
		for j := range sum {
			sum[j] += float64(r.Coefficients[i].Float() * v.Projection[u][j])
		}
	}
	return sum
}
