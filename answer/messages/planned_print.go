package messages

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/report"
)

//go:embed planned.html
var plannedPage string

// writePlannedPage writes the page of an answer as one file.
func writePlannedPage(w io.Writer, a *PlannedAnswer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"name": a.node, "names": a.list, "digits": optional, "hides": hides, "enough": sufficient, "number": func(x report.Number) string { return form.Digits(float64(x)) }, "plain": func(x float64) string { return form.Digits(x) },
		"alone":     func(n plannedNode) string { return n.StrangersAlone() },
		"coalition": func(n plannedNode) string { return a.coalition(n) }, "remove": func(n plannedNode) string { return a.removed(n) }, "says": a.says,
	}).Parse(exposure.Parts + plannedPage)
	if err != nil {
		return err
	}
	return t.Execute(w, a)
}

// optional formats a number, "–" if it is not known.
func optional(x *report.Number) string {
	if x == nil {
		return "–"
	}
	return form.Digits(float64(*x))
}

// hides formats the exact remaining epsilon of a node, "–" if it is not known.
func hides(x *report.Number) string {
	if x == nil {
		return "–"
	}
	return exposure.Allowed(*x)
}

// sufficient formats a sufficient multiplier, rounded up.
func sufficient(x *report.Number) string {
	if x == nil {
		return "–"
	}
	return form.Enough(float64(*x))
}

// node returns the name of a node. list returns those of several nodes.
func (a *PlannedAnswer) node(u int) string       { return exposure.Name(a.Names, u) }
func (a *PlannedAnswer) list(nodes []int) string { return exposure.Names(a.Names, nodes) }

// coalition describes the smallest coalition of non-neighbours that could reconstruct a node, and whether
// it is certain.
func (a *PlannedAnswer) coalition(n plannedNode) string {
	switch c := n.Beyond; {
	case c != nil && c.Low == c.High:
		return fmt.Sprintf("%d: %s (exact)", c.High, a.list(c.Members))
	case c != nil:
		return fmt.Sprintf("%d to %d: %s (at most)", c.Low, c.High, a.list(c.Members))
	case n.Possible != nil:
		return "none"
	}
	return "not looked at"
}

// mostRemoved is the largest number of edges that are named for a node.
const mostRemoved = 3

// removed names edges whose removal leaves no stranger that could reconstruct the node alone.
func (a *PlannedAnswer) removed(n plannedNode) string {
	var names []string
	for k, e := range n.Remove {
		if k == mostRemoved {
			names = append(names, fmt.Sprintf("or %d more", len(n.Remove)-k))
			break
		}
		names = append(names, a.node(e[0])+" - "+a.node(e[1]))
	}
	return strings.Join(names, ", ")
}

// exposedFirst returns the nodes with the most exposed first: by leakage to the named attackers, then by
// the smallest coalition, then by leakage to strangers.
func (a *PlannedAnswer) exposedFirst() []plannedNode {
	nodes := slices.Clone(a.Nodes)
	key := func(n plannedNode) float64 {
		x := 0.0
		if n.Beyond != nil {
			x += 1000 / float64(n.Beyond.High)
		}
		if n.Leakage != nil {
			x += float64(*n.Leakage)
		}
		if n.To != nil {
			x += float64(1e6 * float64(*n.To))
		}
		return x
	}
	slices.SortStableFunc(nodes, func(x, y plannedNode) int {
		switch {
		case key(x) > key(y):
			return -1
		case key(x) < key(y):
			return 1
		}
		return 0
	})
	return nodes
}

// says returns the notes that a reader needs.
func (a *PlannedAnswer) says() (lines []string) {
	if len(a.Attackers) > 0 {
		do := map[bool]string{true: "reconstructs", false: "together reconstruct"}[len(a.Attackers) == 1]
		lines = append(lines, fmt.Sprintf("Without noise %s %s %d of %d others: %s.", a.list(a.Attackers), do, len(a.Reconstructed), a.N-len(a.Attackers),
			cmp.Or(a.list(a.Reconstructed), "nobody")))
	}
	lines = append(lines,
		"Every neighbour of a node is sent its value, noisy where noise is added; strangers are those that are no neighbours.",
		fmt.Sprintf("Noise: a multiplier of %s keeps everybody at (%d, %g)-differential privacy towards every other node%s, by the exact accountant (sound); unit: %s.",
			form.Enough(float64(a.Multiplier)), exposure.StopEps, exposure.StopDelta, map[bool]string{true: " and the attackers together"}[len(a.Attackers) > 0], a.Unit))
	if a.Beyond != nil && *a.Beyond > 0 {
		lines = append(lines, fmt.Sprintf("A multiplier of %s does towards every stranger.", form.Enough(float64(*a.Beyond))))
	}
	if a.Sigma > 0 {
		lines = append(lines, fmt.Sprintf("Floor: no unbiased estimate of a number of a node's value has a smaller standard deviation, whatever else is known: noise of %.4g over the root of the leakage. Epsilon: sound, at delta %g.",
			float64(a.NoiseStd), a.Delta))
	}
	return append(lines, a.Notes...)
}

// Print writes who could reconstruct whom, and the changes that prevent it.
func (a *PlannedAnswer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: averaging of %d nodes in %d turns, noise multiplier %.4g\n\n", a.Name, a.N, a.Turns, a.Sigma)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "node\tneighbours\tstrangers alone\tsmallest coalition of strangers\tleakage to worst\tfloor\tepsilon\tnoise for 1\twithout an edge\t"
	if len(a.Attackers) > 0 {
		head += "to attackers\tfloor\tepsilon\t"
	}
	fmt.Fprintln(t, head)
	for k, n := range a.exposedFirst() {
		if k == 2*exposure.MostRows {
			fmt.Fprintf(t, "%d more\t...\t\n", a.N-k)
			break
		}
		worst := optional(n.Leakage)
		if n.Stranger != nil {
			worst += " " + a.node(*n.Stranger)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t", a.node(n.Node), n.Neighbours, n.StrangersAlone(), a.coalition(n), worst, optional(n.Floor), hides(n.Epsilon), sufficient(n.Multiplier), a.removed(n))
		if len(a.Attackers) > 0 {
			fmt.Fprintf(t, "%s\t%s\t%s\t", optional(n.To), optional(n.FloorTo), hides(n.EpsilonTo))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, e := range a.Edges {
		fmt.Fprintf(w, "without the edge %s - %s the attackers no longer reconstruct: %s\n", a.node(e.Ends[0]), a.node(e.Ends[1]), a.list(e.Saves))
	}
	for _, line := range a.says() {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
