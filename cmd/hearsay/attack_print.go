package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
)

// print writes who is reconstructed, how much of the others leaks, and what
// would stop it.
func (a *attackAnswer) print(w io.Writer) error {
	attackers := a.attack.Attackers
	fmt.Fprintf(w, "%s, attackers %s: %d of %d others reconstructed, rank %d of %d (%s)\n",
		a.graph.Name(), a.names(attackers), len(a.Reconstructed)-len(attackers), a.N-len(attackers), a.Rank, a.N, a.Certainty)
	fmt.Fprintf(w, "reconstructed: %s\n\n", a.names(a.Reconstructed))
	if err := a.printDistances(w); err != nil {
		return err
	}
	a.printRelations(w)
	if err := a.printValues(w); err != nil {
		return err
	}
	a.printStop(w)
	a.printNotes(w)
	return nil
}

// distanceRow sums up the nodes that are so many hops from the nearest attacker.
type distanceRow struct {
	nodes int
	rest  graph.Tally // leakage of those that are not reconstructed
}

func (a *attackAnswer) byDistance() (near []distanceRow, apart distanceRow) {
	for u, d := range graph.NewSearch(a.links).Nearest(a.attack.Attackers) {
		row := &apart
		if d >= 0 {
			near = append(near, make([]distanceRow, max(0, d+1-len(near)))...)
			row = &near[d]
		}
		row.nodes++
		if _, known := slices.BinarySearch(a.Reconstructed, u); !known {
			row.rest.Add(a.Leakage[u])
		}
	}
	return near, apart
}

func (a *attackAnswer) printDistances(w io.Writer) error {
	near, apart := a.byDistance()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "hops\tnodes\treconstructed\tleakage of the rest: mean\tlargest\t")
	const most = 10
	for d, row := range near {
		if d > 0 && d < most {
			row.print(t, fmt.Sprint(d))
		}
	}
	var far distanceRow
	for _, row := range near[min(most, len(near)):] {
		far.nodes += row.nodes
		far.rest.Merge(row.rest)
	}
	far.print(t, fmt.Sprintf("%d or more", most))
	apart.print(t, "apart")
	return t.Flush()
}

func (r distanceRow) print(w io.Writer, hops string) {
	switch known := r.nodes - r.rest.Count; {
	case r.nodes == 0:
	case r.rest.Count == 0:
		fmt.Fprintf(w, "%s\t%d\t%d\t-\t-\t\n", hops, r.nodes, known)
	default:
		fmt.Fprintf(w, "%s\t%d\t%d\t%.4g\t%.4g\t\n", hops, r.nodes, known, r.rest.Mean(), r.rest.Max)
	}
}

// The guarantee by which the noise that would help is expressed.
const (
	stopEps   = 1
	stopDelta = 1e-6
)

// printStop says what would stop the reconstruction.
func (a *attackAnswer) printStop(w io.Writer) {
	fmt.Fprintln(w)
	if r := a.Rounds; r != nil && len(a.Reconstructed) > len(a.attack.Attackers)+a.attack.Contacts() {
		fmt.Fprintf(w, "fewer rounds: up to %d, only the %d nodes next to the attackers are reconstructed; from %d, all of the above\n",
			r.Contacts, a.attack.Contacts(), r.All)
	}
	most := 0.0
	for u, leakage := range a.Leakage {
		if !slices.Contains(a.attack.Attackers, u) {
			most = max(most, leakage)
		}
	}
	if most == 0 {
		fmt.Fprintln(w, "nothing of anybody else arrives")
		return
	}
	fmt.Fprintf(w, "noise: leakage l with noise multiplier s costs what one Gaussian release with multiplier s/sqrt(l) does;\n"+
		"       %.3g keeps everybody at (%d, %g)-differential privacy towards these attackers\n",
		math.Sqrt(most)/privacy.MuGaussian(stopEps, stopDelta), stopEps, stopDelta)
}

func (a *attackAnswer) printNotes(w io.Writer) {
	if unheard := len(a.Unheard); unheard > 0 {
		_, apart := a.byDistance()
		if far := unheard - apart.nodes; far > 0 {
			fmt.Fprintf(w, "warning: nothing of %d nodes arrives in so few rounds: they are further away\n", far)
		}
		if apart.nodes > 0 {
			fmt.Fprintf(w, "warning: nothing of %d nodes ever arrives: the graph falls apart\n", apart.nodes)
		}
	}
	if !a.Exact {
		fmt.Fprintln(w, "who is reconstructed was decided in floating point; exact arithmetic would take too long on this graph")
	}
	if a.Certainty == gossiploss.Open {
		fmt.Fprintln(w, "other leakages are too close to call: 1 stands for not known")
	}
	for _, note := range a.Notes {
		fmt.Fprintln(w, note)
	}
}

func (a *attackAnswer) names(nodes []int) string {
	var names []string
	for _, u := range nodes {
		names = append(names, a.graph.Label(u))
	}
	return strings.Join(names, " ")
}
