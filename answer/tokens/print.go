package tokens

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
)

// Print writes the attackers' findings, the proofs, the exposed nodes, and the changes that would
// stop the attackers.
func (a *Answer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", a.headline())
	var err error
	if len(a.Attacks) == 1 {
		err = a.printOne(w, &a.Attacks[0])
	} else {
		err = a.printWorst(w)
	}
	if err != nil {
		return err
	}
	a.printLegend(w)
	if a.Nodes != nil {
		fmt.Fprintln(w, "without noise every neighbour of a node that the token visits and comes straight back from sees its contribution as it is")
		exposure.Print(w, a.Nodes)
	}
	for _, line := range a.stops() {
		fmt.Fprintln(w, line)
	}
	for _, note := range a.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	return nil
}

// headline describes the attacked run.
func (a *Answer) headline() string {
	tokens := "one token"
	if a.Tokens > 1 {
		tokens = fmt.Sprintf("%d tokens", a.Tokens)
	}
	return fmt.Sprintf("%s: %s on %d nodes, %s of %d turns, noise multiplier %.4g; attackers see: %s", a.Name, a.Kind, a.N, tokens, a.Steps, float64(a.Sigma), a.Sees)
}

// node returns the name of a node.
func (a *Answer) node(u int) string { return nodeCalled(a.Names, u) }

func (a *Answer) list(nodes []int) string { return listCalled(a.Names, nodes) }

// nodeCalled returns a name, or the number if there are no names.
func nodeCalled(names []string, u int) string {
	if u < len(names) {
		return names[u]
	}
	return fmt.Sprint(u)
}

// listCalled returns the first names of some nodes.
func listCalled(names []string, nodes []int) string {
	var list []string
	for _, u := range nodes {
		list = append(list, nodeCalled(names, u))
	}
	return terminal.Listed(list, exposure.MostRows)
}

// summary describes an attack in one sentence.
func (a *Answer) summary(k *Case) string {
	s := fmt.Sprintf("attackers %s, %d receipts: without noise contributions of %d of %d others singled out", a.list(k.Attackers), k.Receipts, len(k.Single), len(k.Targets))
	if a.planned {
		return s
	}
	return s + fmt.Sprintf(", of %d exact to 1e-6; in the run with noise %d found to within a half", len(k.Exact), len(k.Near))
}

func isDash(x report.Number) bool { return x != x }

// targetColumns are the columns of a target in a table, after the first ones.
const targetColumns = "contributions\tstraight back\tsingled out\terror\twith noise\texample\twith noise\teps proved\troute known\tallowed\t"

// cells returns the cells of a target.
func (t *Target) cells() string {
	example, noisy := notKnown, notKnown
	if t.Example != nil {
		example, noisy = t.Example.Error, t.Example.NoisyError
	}
	s := fmt.Sprintf("%d\t%d\t%s\t", t.Contributions, t.Direct, exposure.Yes(t.Single))
	for _, x := range []report.Number{t.Error, t.NoisyError, example, noisy} {
		s += form.Digits(float64(x)) + "\t"
	}
	return s + exposure.Proved(t.Proved) + "\t" + exposure.Proved(t.Route) + "\t" + exposure.Allowed(t.Sound) + "\t"
}

func (a *Answer) printOne(w io.Writer, k *Case) error {
	fmt.Fprintf(w, "%s\n\n", a.summary(k))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "node\thops\t"+targetColumns)
	order := mostExposed(k.Targets)
	for i, at := range order {
		if i == 2*exposure.MostRows {
			fmt.Fprintf(t, "%d more\t...\t\t\t\t\t\t\t\t\t\t\t\n", len(order)-i)
			break
		}
		n := &k.Targets[at]
		fmt.Fprintf(t, "%s\t%s\t%s\n", a.node(n.Node), exposure.Hops(n.Distance), n.cells())
	}
	return t.Flush()
}

// ranked returns the nodes in the order of the attackers' information, largest first.
func (a *Answer) ranked() []Row {
	rows := slices.Clone(a.rows)
	slices.SortStableFunc(rows, func(x, y Row) int { return cmp.Compare(y.energy, x.energy) })
	return rows
}

// printWorst writes for every node the attackers who learn most about it.
func (a *Answer) printWorst(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "node\tattacker\thops\t"+targetColumns)
	rows := a.ranked()
	for i, n := range rows {
		if i == 2*exposure.MostRows {
			fmt.Fprintf(t, "%d more\t...\t\t\t\t\t\t\t\t\t\t\t\t\n", len(rows)-i)
			break
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", a.node(n.Node), a.list(a.Attacks[n.attack].Attackers), exposure.Hops(n.Distance), n.cells())
	}
	return t.Flush()
}

// floors describes the effect of the noise on estimates.
func (a *Answer) floors() string {
	return fmt.Sprintf("std: of a number of the best estimate by attackers who know the route and all else; floor: no unbiased estimate has less, by the sound accountant on this route (one turn's noise has %s)",
		form.Digits(float64(a.NoiseStd)))
}

// printLegend explains the targetColumns.
func (a *Answer) printLegend(w io.Writer) {
	fmt.Fprintln(w)
	for _, line := range a.legend() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
}

// legend explains the numbers of a table, with their status and unit.
func (a *Answer) legend() (lines []string) {
	lines = append(lines, "error: relative, of a node's mean contribution as attackers find it in one run, without its noise and with it",
		"example: the same of the nearest of its rows, by the gradient of its first contribution that came straight back")
	how := fmt.Sprintf("with %.0f %% confidence all together, from %d simulated routes", 100*a.Proofs.Confidence, a.Proofs.Runs)
	if a.Proofs.Runs == 0 {
		how = "exactly, on the route that everybody knows"
		if a.Sigma == 0 {
			how = "without noise"
		}
	}
	return append(lines, fmt.Sprintf("eps proved (%s): by attackers who see %s, and by those who know the route, %s; allowed: by the sound accountant; %s, unit of privacy: %s",
		a.Proofs.Status, a.Sees, how, a.Metric, a.Unit))
}

// stops lists the changes that would stop the attackers.
func (a *Answer) stops() (lines []string) {
	if a.Stop.Multiplier > math.MaxFloat64 {
		lines = append(lines, "noise: none is enough, as some value comes to these attackers without any")
	} else if !isDash(a.Stop.Multiplier) {
		lines = append(lines, fmt.Sprintf("noise: multiplier %s keeps everybody at (%g, %g)-differential privacy towards these attackers (%s: %s; unit of privacy: %s)",
			form.Enough(float64(a.Stop.Multiplier)), a.Stop.Eps, a.Stop.Delta, a.Stop.Status, a.Stop.Accountant, a.Unit))
	}
	for _, e := range a.Stop.Edges {
		lines = append(lines, fmt.Sprintf("without the edge %s - %s, %s loses %s instead of %s (%s, %s)", a.node(e.Ends[0]), a.node(e.Ends[1]), a.node(e.Node), form.Digits(float64(e.After)),
			form.Digits(float64(e.Before)), a.Stop.Status, a.Metric))
	}
	return lines
}
