package messages

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack/rehearsal"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// Print writes the reconstructed nodes, the leakage of the others, and the
// changes that would stop the attackers.
func (a *Answer) Print(w io.Writer) error {
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

// distanceRow summarises the nodes at one distance from the nearest attacker.
type distanceRow struct {
	nodes int
	rest  graph.Tally // leakage of those that are not reconstructed
}

func (a *Answer) byDistance() (near []distanceRow, apart distanceRow) {
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

func (a *Answer) printDistances(w io.Writer) error {
	near, apart := a.byDistance()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "hops\tnodes\treconstructed\tleakage of the rest: mean\tlargest\t")
	const most = 10
	for d, row := range near {
		if d > 0 && d < most {
			row.Print(t, fmt.Sprint(d))
		}
	}
	var far distanceRow
	for _, row := range near[min(most, len(near)):] {
		far.nodes += row.nodes
		far.rest.Merge(row.rest)
	}
	far.Print(t, fmt.Sprintf("%d or more", most))
	apart.Print(t, "apart")
	return t.Flush()
}

// Print writes the row of one distance. It writes nothing if no node has it.
func (r distanceRow) Print(w io.Writer, hops string) {
	switch known := r.nodes - r.rest.Count; {
	case r.nodes == 0:
	case r.rest.Count == 0:
		fmt.Fprintf(w, "%s\t%d\t%d\t-\t-\t\n", hops, r.nodes, known)
	default:
		fmt.Fprintf(w, "%s\t%d\t%d\t%.4g\t%.4g\t\n", hops, r.nodes, known, r.rest.Mean(), r.rest.Max)
	}
}

// printStop writes the changes that would stop the reconstruction.
func (a *Answer) printStop(w io.Writer) {
	fmt.Fprintln(w)
	if r := a.Rounds; r != nil && len(a.Reconstructed) > len(a.attack.Attackers)+a.attack.Contacts() {
		fmt.Fprintf(w, "fewer rounds: up to %d, no more than the %d next to the attackers are reconstructed; from %d, all of the above\n",
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
		"       %s keeps everybody at (%d, %g)-differential privacy towards these attackers\n",
		form.Enough(math.Sqrt(most)/privacy.MuGaussian(exposure.StopEps, exposure.StopDelta)), exposure.StopEps, exposure.StopDelta)
}

func (a *Answer) printNotes(w io.Writer) {
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
	if a.Certainty == gossipview.Open {
		fmt.Fprintln(w, "other leakages are too close to call: 1 stands for not known")
	}
	for _, note := range a.Notes {
		fmt.Fprintln(w, note)
	}
}

func (a *Answer) names(nodes []int) string {
	var names []string
	for _, u := range nodes {
		names = append(names, a.graph.Label(u))
	}
	return terminal.Listed(names, len(names))
}

// mostTerms is the largest number of terms of a relation that are printed.
const mostTerms = 8

func (a *Answer) printRelations(w io.Writer) {
	if a.Known == nil || *a.Known == 0 {
		return
	}
	fmt.Fprintf(w, "\nrelations known between the others: %d\n", *a.Known)
	for _, r := range a.Relations {
		fmt.Fprintf(w, "  %s\n", a.sentence(r))
	}
}

// sentence formats a relation as a sum.
func (a *Answer) sentence(r Relation) string {
	if r.Coefficients == nil {
		return fmt.Sprintf("%d nodes, %s among them, by fractions too long to print", len(r.Nodes), a.names(r.Nodes[:2]))
	}
	var b strings.Builder
	for k, u := range r.Nodes {
		if k == mostTerms {
			fmt.Fprintf(&b, " + %d more terms", len(r.Nodes)-mostTerms)
			break
		}
		q, minus := strings.CutPrefix(r.Coefficients[k], "-")
		switch {
		case minus:
			b.WriteString(" - ")
		case k > 0:
			b.WriteString(" + ")
		}
		if q != "1" {
			b.WriteString(q + " ")
		}
		b.WriteString("x[" + a.graph.Label(u) + "]")
	}
	if r.Value != nil {
		fmt.Fprintf(&b, " = %s", exposure.Numbers(r.Value))
	}
	return b.String()
}

func (a *Answer) printValues(w io.Writer) error {
	if a.solved == nil {
		return nil
	}
	if err := a.table(w, "reconstructed", "rounding", a.Values); err != nil {
		return err
	}
	if a.Residual != nil {
		fmt.Fprintf(w, "the values explain all messages but for %.2g of the largest\n", float64(*a.Residual))
	}
	if lost := a.lost(); lost > 0 {
		fmt.Fprintf(w, "%d of them are reconstructed in exact arithmetic only: messages of 16 digits do not hold them\n", lost)
	}
	if a.Sigma > 0 {
		fmt.Fprintf(w, "what is reconstructed is the noisy value: noise of std %.4g a number lies between it and the true one\n",
			rehearsal.EstimateStd(a.Sigma, 1))
	}
	if len(a.Estimates) == 0 {
		return nil
	}
	return a.table(w, "estimate, the others known", "std", a.Estimates)
}

// lost counts the values that rounding has destroyed.
func (a *Answer) lost() int {
	count := 0
	for _, v := range a.Values {
		if v.Lost {
			count++
		}
	}
	return count
}

// table writes values, and the true values if they are known.
func (a *Answer) table(w io.Writer, what, spread string, values []Value) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "node\t%s\t%s\t", what, spread)
	truth := values[0].True != nil
	if truth {
		fmt.Fprint(t, "true\t")
	}
	fmt.Fprintln(t)
	for k, v := range values {
		if k == exposure.MostRows {
			fmt.Fprintf(t, "%d more\t...\t...\t\n", len(values)-exposure.MostRows)
			break
		}
		value := exposure.Numbers(v.Value)
		if v.Lost {
			value = "lost in rounding"
		}
		fmt.Fprintf(t, "%s\t%s\t%.2g\t", a.graph.Label(v.Node), value, float64(v.Uncertainty))
		if truth {
			fmt.Fprintf(t, "%s\t", exposure.Numbers(v.True))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
