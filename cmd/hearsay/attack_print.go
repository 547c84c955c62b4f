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
	nodes, known int
	sum, most    float64 // leakage of those that are not reconstructed
}

func (a *attackAnswer) byDistance() (near []distanceRow, apart distanceRow) {
	hops := a.hops()
	for u, d := range hops {
		row := &apart
		if d >= 0 {
			near = append(near, make([]distanceRow, max(0, d+1-len(near)))...)
			row = &near[d]
		}
		row.nodes++
		if _, known := slices.BinarySearch(a.Reconstructed, u); known {
			row.known++
			continue
		}
		row.sum += a.Leakage[u]
		row.most = max(row.most, a.Leakage[u])
	}
	return near, apart
}

// hops are the distances to the nearest attacker, -1 if there is no path.
func (a *attackAnswer) hops() []int {
	nearest := slices.Repeat([]int{-1}, a.N)
	search := graph.NewSearch(a.links)
	for _, v := range a.attack.Attackers {
		for u, d := range search.From(v) {
			if d >= 0 && (nearest[u] < 0 || int(d) < nearest[u]) {
				nearest[u] = int(d)
			}
		}
	}
	return nearest
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
		far.merge(row)
	}
	far.print(t, fmt.Sprintf("%d or more", most))
	apart.print(t, "apart")
	return t.Flush()
}

func (r *distanceRow) merge(other distanceRow) {
	r.nodes += other.nodes
	r.known += other.known
	r.sum += other.sum
	r.most = max(r.most, other.most)
}

func (r distanceRow) print(w io.Writer, hops string) {
	switch rest := r.nodes - r.known; {
	case r.nodes == 0:
	case rest == 0:
		fmt.Fprintf(w, "%s\t%d\t%d\t-\t-\t\n", hops, r.nodes, r.known)
	default:
		fmt.Fprintf(w, "%s\t%d\t%d\t%.4g\t%.4g\t\n", hops, r.nodes, r.known, r.sum/float64(rest), r.most)
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
