package reconstruction

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Print writes the attackers' findings, the exposed nodes, and the changes that
// would stop the attackers.
func (a *Answer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s on %d nodes, %d rounds of %d turns, noise multiplier %.4g\n\n", a.Name, a.Kind, a.N, a.Steps, a.Turns, float64(a.Sigma))
	if len(a.Attacks) == 1 {
		if err := a.printOne(w, &a.Attacks[0]); err != nil {
			return err
		}
	} else if err := a.printEach(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "without noise every neighbour of a node sees its first gradient as it is")
	exposure.Print(w, a.Nodes)
	a.printStopping(w)
	for _, note := range a.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	return nil
}

// node returns the name of a node. list returns those of several nodes.
func (a *Answer) node(u int) string       { return exposure.Name(a.Names, u) }
func (a *Answer) list(nodes []int) string { return exposure.Names(a.Names, nodes) }

// summary describes an attack in one sentence.
func (a *Answer) summary(k *Attack) string {
	others := len(k.Targets)
	s := fmt.Sprintf("attackers %s, %d messages (%s): gradients of %d of %d others singled out",
		a.list(k.Attackers), k.Messages, k.Method, len(k.Reconstructed), others)
	if !math.IsNaN(float64(k.Unexplained)) {
		s += fmt.Sprintf("; examples of %d exact to 1e-6, of %d recognisable, %d labels (a guess: %d); %.2g of the messages unexplained",
			len(k.Exact), len(k.Recognised), k.Labels, k.GuessLabels, float64(k.Unexplained))
	}
	return s
}

func (a *Answer) printOne(w io.Writer, k *Attack) error {
	fmt.Fprintf(w, "%s\n\n", a.summary(k))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "node\thops\tsingled out\trelative error\tPSNR\ta guess\tlabel\tnoise std\tfloor\t")
	order := slices.Clone(k.Targets)
	slices.SortStableFunc(order, func(x, y Target) int { return cmp.Compare(x.Distance, y.Distance) })
	for i, n := range order {
		if i == 2*exposure.MostRows {
			fmt.Fprintf(t, "%d more\t...\t\t\t\t\t\t\t\t\n", len(order)-i)
			break
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n",
			a.node(n.Node), n.Distance, n.how(), form.Digits(float64(n.Error)), form.Digits(float64(n.PSNR)), form.Digits(float64(n.GuessPSNR)), exposure.Yes(n.Label), form.Digits(float64(n.Std)), form.Digits(float64(n.Floor)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if a.Sigma > 0 {
		fmt.Fprintln(w, "noise std: of a number of the estimated gradient; floor: the least that any unbiased estimate has ("+string(a.Stop.Status)+")")
	}
	fmt.Fprintln(w)
	return nil
}

// how names the method that determines a node's gradient.
func (n *Target) how() string {
	switch {
	case n.FirstRound:
		return "first round"
	case n.Peeled:
		return "step by step"
	case n.Solved:
		return "all messages"
	case n.Open && n.Single:
		return "all rounds, open"
	case n.Single:
		return "all rounds"
	}
	return "no"
}

func (a *Answer) printEach(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "attacker\tneighbours\tsingled out\texact\trecognised\tmean PSNR\ta guess\t")
	order := slices.Clone(a.Attacks)
	slices.SortStableFunc(order, func(x, y Attack) int { return len(y.Recognised) - len(x.Recognised) })
	for i, k := range order {
		if i == 2*exposure.MostRows {
			fmt.Fprintf(t, "%d more\t...\t\t\t\t\t\t\n", len(order)-i)
			break
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t\n", a.list(k.Attackers), a.Nodes[k.Attackers[0]].Neighbours,
			len(k.Reconstructed), len(k.Exact), len(k.Recognised), form.Digits(float64(k.MeanPSNR)), form.Digits(float64(k.GuessPSNR)))
	}
	fmt.Fprintln(t)
	if err := t.Flush(); err != nil {
		return err
	}
	if len(order) > 0 && !math.IsNaN(float64(order[0].GuessPSNR)) {
		fmt.Fprintln(w, "recognised: with a PSNR of 10 or more, and more than a guess has that saw no message: the mean of all examples")
	}
	return nil
}

func (a *Answer) printStopping(w io.Writer) {
	s := &a.Stop
	fmt.Fprintf(w, "noise: multiplier %s keeps everybody at (%g, %g)-differential privacy towards these attackers (%s: %s; unit of privacy: %s)\n",
		form.Enough(float64(s.Multiplier)), s.Eps, s.Delta, s.Status, s.Accountant, s.Unit)
	for _, e := range a.Stop.Edges {
		fmt.Fprintf(w, "without the edge %s - %s these are no longer singled out: %s\n", a.node(e.Ends[0]), a.node(e.Ends[1]), a.list(e.Saves))
	}
}
