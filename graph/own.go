package graph

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Tolerance is the largest allowed difference of a row or column sum of a given matrix from 1,
// and of an entry from its mirror image.
const Tolerance = 1e-9

// An Entry is one number of a matrix: the probability to go from From to To, or the weight that
// From gives to the value of To.
type Entry struct {
	From, To int
	Value    float64
}

// own is a matrix that is not held as two numbers a node.
type own struct {
	given      bool           // by the user (NewOwn, edge weights)
	w          *sparse.Matrix // an entry for each edge and on the diagonal, 0 too
	until      []float64      // cumulative sums of each row
	reversible bool           // measure_u W_uv is symmetric
}

// NewOwn builds the transition whose matrix has these entries, and 0 elsewhere. name is the
// name of the matrix in messages.
//
// It fails on an entry that is not finite, is negative, is repeated, or leads where g has no
// edge. It fails on a row that does not sum to 1 within Tolerance, and where some node is never
// reached from another. The error names the nodes. A rounding error of a row sum goes to the
// diagonal, or is spread over the row if it has no diagonal. The graph of the transition has no
// Symmetry, because the matrix need not have the symmetry of g.
func NewOwn(g *Graph, name string, entries []Entry) (*Transition, error) {
	w, err := ownMatrix(g, name, entries)
	if err != nil {
		return nil, err
	}
	for u := range w.N {
		if err := settle(g, name, w, u); err != nil {
			return nil, err
		}
	}
	bare := g.With(Design{Directed: g.design.Directed, Place: g.design.Place})
	t := &Transition{graph: bare, rule: name, own: newOwn(w)}
	t.own.given = true
	if from, to, found := t.unreached(); found {
		return nil, fault.New(sprintf("weights: %s never leads from node %s to node %s", name, g.Label(from), g.Label(to)),
			"give weights that lead from every node to every other, or a graph without the node")
	}
	t.balance()
	return t, nil
}

// ownMatrix writes the entries into the sparsity pattern of g.
func ownMatrix(g *Graph, name string, entries []Entry) (*sparse.Matrix, error) {
	w := placesOf(g)
	taken := make([]bool, len(w.Values))
	for _, e := range entries {
		if !(e.Value >= 0) || math.IsInf(e.Value, 1) {
			return nil, fault.New(sprintf("weights: %s has %g from node %s to node %s", name, e.Value, g.Label(e.From), g.Label(e.To)),
				"give numbers that are finite and not negative")
		}
		columns, _ := w.Row(e.From)
		k, found := slices.BinarySearch(columns, int32(e.To))
		switch at := w.Offsets[e.From] + k; {
		case !found && e.Value == 0:
		case !found:
			return nil, fault.New(sprintf("weights: %s has %g from node %s to node %s, and the graph %s has no such edge",
				name, e.Value, g.Label(e.From), g.Label(e.To), g.name), "give the graph that edge, or put 0 there")
		case taken[at]:
			return nil, fault.New(sprintf("weights: %s has two numbers from node %s to node %s", name, g.Label(e.From), g.Label(e.To)), "give each once")
		default:
			taken[at], w.Values[at] = true, e.Value
		}
	}
	return w, nil
}

// placesOf returns a matrix of zeros with an entry for every edge of g and on the diagonal.
func placesOf(g *Graph) *sparse.Matrix {
	n := g.Len()
	w := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1), Columns: make([]int32, 0, n+len(g.targets)), Values: make([]float64, n+len(g.targets))}
	for u := range n {
		row := g.Neighbours(u)
		diagonal, _ := search(row, u)
		w.Columns = append(append(append(w.Columns, row[:diagonal]...), int32(u)), row[diagonal:]...)
		w.Offsets = append(w.Offsets, len(w.Columns))
	}
	return w
}

// settle makes row u sum to 1 as exactly as floating point allows.
func settle(g *Graph, name string, w *sparse.Matrix, u int) error {
	columns, row := w.Row(u)
	sum := total(row)
	if !(math.Abs(sum-1) <= Tolerance) {
		return fault.New(sprintf("weights: the row of node %s in %s sums to %.12g, not to 1", g.Label(u), name, sum),
			sprintf("divide the row by its sum; it may be off by %g", Tolerance))
	}
	if math.Abs(sum-1) <= float64(len(row))*0x1p-53 {
		return nil
	}
	if k, _ := slices.BinarySearch(columns, int32(u)); row[k] > 0 && row[k]+(1-sum) >= 0 {
		row[k] += 1 - sum
		return nil
	}
	sparse.Scale(row, 1/sum)
	return nil
}

func newOwn(w *sparse.Matrix) *own {
	o := &own{w: w, until: make([]float64, len(w.Values))}
	for u := range w.N {
		sum := 0.0
		for k := w.Offsets[u]; k < w.Offsets[u+1]; k++ {
			sum += w.Values[k]
			o.until[k] = sum
		}
	}
	return o
}

// next draws a node by row u. x must be uniform in [0, 1).
func (o *own) next(u int, x float64) int {
	first, end := o.w.Offsets[u], o.w.Offsets[u+1]
	x *= o.until[end-1]
	k, _ := slices.BinarySearchFunc(o.until[first:end], x, func(sum, x float64) int {
		if sum > x {
			return 1
		}
		return -1
	})
	if k += first; k == end { // x was rounded up to the sum
		for k--; o.w.Values[k] == 0; k-- {
		}
	}
	return int(o.w.Columns[k])
}

// Lazy is the prefix of a rule that stays with a given probability and otherwise moves by
// another rule: lazy:0.5, or lazy:0.5,metropolis.
const Lazy = "lazy:"

// IsRule reports whether NewTransition knows a rule of that name.
func IsRule(rule string) bool {
	if rest, lazy := strings.CutPrefix(rule, Lazy); lazy {
		_, rule, _ = strings.Cut(rest, ",")
	}
	return rule == "" || IsOfEdges(rule) || slices.Contains(Rules(), canonical(rule))
}

// newLazy builds P I + (1-P) W, where W is the matrix of a rule. It is symmetric if W is.
func newLazy(g *Graph, rest string) (*Transition, error) {
	share, rule, _ := strings.Cut(rest, ",")
	stay, ok := number(share)
	if !ok || !(stay >= 0 && stay < 1) {
		return nil, fault.New(sprintf("weights: lazy:%s stays with a probability that is not from 0 to below 1", share), "use weights: lazy:0.5")
	}
	if strings.HasPrefix(rule, Lazy) {
		return nil, fault.New(sprintf("weights: %s%s is lazy twice", Lazy, rest), "use weights: lazy:0.5")
	}
	t, err := NewTransition(g, rule)
	if err != nil {
		return nil, err
	}
	w := t.Sparse()
	for u := range w.N {
		columns, row := w.Row(u)
		for k, v := range columns {
			if row[k] = float64((1 - stay) * row[k]); int(v) == u {
				row[k] += stay
			}
		}
	}
	lazy := &Transition{graph: t.graph, rule: Lazy + share + "," + t.rule, measure: t.measure, own: newOwn(w)}
	lazy.own.given, lazy.own.reversible = t.Own(), t.Reversible()
	return lazy, nil
}
