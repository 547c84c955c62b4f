package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/attack/rehearsal"
)

// mostTerms is how many terms of a relation are shown to people.
const mostTerms = 8

func (a *attackAnswer) printRelations(w io.Writer) {
	if a.Known == nil || *a.Known == 0 {
		return
	}
	fmt.Fprintf(w, "\nrelations known between the others: %d\n", *a.Known)
	for _, r := range a.Relations {
		fmt.Fprintf(w, "  %s\n", a.sentence(r))
	}
}

// sentence is a relation as a sum.
func (a *attackAnswer) sentence(r relationAnswer) string {
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
		fmt.Fprintf(&b, " = %s", numbers(r.Value))
	}
	return b.String()
}

func (a *attackAnswer) printValues(w io.Writer) error {
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
		fmt.Fprintf(w, "what is reconstructed is the noisy value: noise of std %.4g a number lies between it and the true one\n", rehearsal.EstimateStd(a.Sigma, 1))
	}
	if len(a.Estimates) == 0 {
		return nil
	}
	return a.table(w, "estimate, the others known", "std", a.Estimates)
}

// lost counts the values that rounding has destroyed.
func (a *attackAnswer) lost() int {
	count := 0
	for _, v := range a.Values {
		if v.Lost {
			count++
		}
	}
	return count
}

// table shows values, and the truth where it is known.
func (a *attackAnswer) table(w io.Writer, what, spread string, values []valueAnswer) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "node\t%s\t%s\t", what, spread)
	truth := values[0].True != nil
	if truth {
		fmt.Fprint(t, "true\t")
	}
	fmt.Fprintln(t)
	for k, v := range values {
		if k == mostRows {
			fmt.Fprintf(t, "%d more\t...\t...\t\n", len(values)-mostRows)
			break
		}
		value := numbers(v.Value)
		if v.Lost {
			value = "lost in rounding"
		}
		fmt.Fprintf(t, "%s\t%s\t%.2g\t", a.graph.Label(v.Node), value, float64(v.Uncertainty))
		if truth {
			fmt.Fprintf(t, "%s\t", numbers(v.True))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// numbers are the first coordinates of a value.
func numbers(x []float64) string {
	const most = 3
	var parts []string
	for k, v := range x {
		if k == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%.9g", v))
	}
	return strings.Join(parts, " ")
}
