package form

import (
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// A Claim holds the status of a number, the unit that it protects and its assumptions.
type Claim struct {
	Status      privacy.Status `json:"status"`
	Unit        privacy.Unit   `json:"unit"`
	If          string         `json:"if,omitempty"` // of "sound if": the unchecked condition
	Assumptions []string       `json:"assumptions"`
}

// PrintIf writes the unchecked condition of each claim that has one, each condition once.
func PrintIf(w io.Writer, claims ...Claim) {
	said := map[string]bool{}
	for _, c := range claims {
		if c.If != "" && !said[c.If] {
			fmt.Fprintf(w, "%s %s (asserted: no model was given, so nothing has checked it; hearsay plan SPEC does)\n", c.Status, c.If)
			said[c.If] = true
		}
	}
}

// NewClaim returns the JSON form of a claim.
func NewClaim(c privacy.Claim) Claim {
	return Claim{c.Status, c.UnitOrParticipant(), c.If, c.Grounds()}
}

// matrixLimit is the largest number n of nodes whose n^2 losses are printed.
const matrixLimit = 4096

// CheckMatrix returns an error if the losses of all pairs of n nodes are too many to print.
func CheckMatrix(n int) error {
	if n <= matrixLimit {
		return nil
	}
	return fault.New(fmt.Sprintf("the losses of all pairs of %d nodes are too many to print", n), "choose a pair with --u and --v")
}

// Matrix returns the n x n matrix with entries at(u, v), one row for each u.
func Matrix(n int, at func(u, v int) float64) [][]float64 {
	m := make([][]float64, n)
	for u := range m {
		m[u] = make([]float64, n)
		for v := range m[u] {
			m[u][v] = at(u, v)
		}
	}
	return m
}

// Away writes a distance in hops, "apart" for a negative one, which means that no path exists.
func Away(hops int) string {
	if hops < 0 {
		return "apart"
	}
	return fmt.Sprint(hops)
}

// BeyondNeighbours writes the largest loss between non-neighbours, "none" if there are none. Tables
// show it beside a mean because the mean hides neighbours.
func BeyondNeighbours(s report.Status, g *graph.Graph, at func(u, v int) float64) string {
	apart := privacy.Limit{Of: func(u, v int) bool { return !g.HasEdge(u, v) && !g.HasEdge(v, u) }}
	worst, some := apart.Worst(g.Len(), at)
	if !some {
		return "none"
	}
	return report.Loss(worst, s)
}

// Symmetry returns the classes of pairs with equal laws on a graph with a known symmetry. It returns false if none is known.
func Symmetry(t *graph.Transition) (walkpath.PairClass, bool) {
	s, ok := t.Graph().Symmetry()
	if !ok {
		return nil, false
	}
	return walkpath.SymmetricClass(s.Family, s.Sides)
}

// Loss writes a loss, rounded to the side on which it stays true.
func Loss(x report.Number, s report.Status) string { return report.Loss(float64(x), s) }

// LossRows returns the rows of Matrix in a type that JSON can carry, infinite entries as null.
func LossRows(n int, at func(u, v int) float64) []report.Vector {
	var all []report.Vector
	for _, row := range Matrix(n, at) {
		all = append(all, row)
	}
	return all
}
