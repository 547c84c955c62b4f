package runs

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/nodes"
	"github.com/hearsay-dp/hearsay/answer/sweeps"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

func printPlan(w io.Writer, p *experiment.Plan) {
	fmt.Fprintf(w, "%s\n\n", p.Name)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "graph\t%s, %d nodes, %d edges, degrees %d to %d\n", p.Graph.Name, p.Graph.Nodes, p.Graph.Edges, p.Graph.MinDegree,
		p.Graph.MaxDegree)
	if s := p.Graph.Secrets; s != nil {
		fmt.Fprintf(t, "secrets\t%s\n", s)
	}
	fmt.Fprintf(t, "data\t%s, %d rows on nodes, %d for testing\n", p.Data.Source, p.Data.Train, p.Data.Test)
	fmt.Fprintf(t, "noise\tmultiplier %s, %s per coordinate, %.4g in all\n", report.Upwards(p.Privacy.Sigma, 4), p.Privacy.Deviation(), p.Utility.NoisePerHop)
	for _, a := range p.Privacy.All() {
		fmt.Fprintf(t, "%s (%s)\tmean %s%s, worst %s, worst beyond neighbours %s, %s\n", a.Accountant, a.Status, form.Loss(a.Mean, a.Status), a.MeanNote(),
			form.Loss(a.Max, a.Status), form.BeyondOf(a), p.Privacy.Metric)
	}
	if s := p.SeveralRows; s != nil {
		for _, a := range s.Accounts {
			fmt.Fprintf(t, "%d rows of a person\tmean %s, worst %s, by %s (%s)\n", s.Rows, form.Loss(a.Mean, a.Status), form.Loss(a.Max, a.Status), a.Accountant, a.Status)
		}
	}
	if c := p.Privacy.Coalition; c != nil {
		fmt.Fprintf(t, "coalition\t%s\n", c)
	}
	if public := p.Privacy.Public; public != nil {
		fmt.Fprintf(t, "public\t%s\n", public)
	}
	for i, assumption := range p.Privacy.Assumptions {
		key := "assumes"
		if i > 0 {
			key = ""
		}
		fmt.Fprintf(t, "%s\t%s\n", key, assumption)
	}
	fmt.Fprintf(t, "utility\t%s\n", promise(p.Utility))
	if c := p.Cost.Time; c != nil {
		fmt.Fprintf(t, "time\t%.4g s simulated, %.4g s if one token went after the other\n", c.Seconds, c.Serial)
	}
	fmt.Fprintf(t, "cost\t%d %ss of %d bytes (%.3g MB), %.3g %ss a node\n", p.Cost.Hops, p.Cost.Unit, p.Cost.BytesPerHop,
		float64(p.Cost.Bytes)/1e6, p.Cost.PerNode, p.Cost.Unit)
	t.Flush()
	printDistances(w, p.Pairs)
	PrintNodes(w, p.Privacy.Nodes)
	printBrackets(w, p.Privacy.Brackets)
	for _, note := range p.Notes {
		fmt.Fprintf(w, "\nnote: %s", note)
	}
	fmt.Fprintln(w)
}

// printBrackets writes, for the pair that loses most at each distance, the loss that an explicit attack attains and
// the upper bound.
func printBrackets(w io.Writer, brackets []report.Bracket) {
	if len(brackets) == 0 {
		return
	}
	fmt.Fprintf(w, "\nHow near the bound is to an attack, of a pair that loses most at each distance\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "hops\tabout\tobserver\tat least (audit)\tat most (%s)\t\n", brackets[0].Accountant)
	for _, b := range brackets {
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\t\n", b.Distance, b.About, b.Observer, form.Loss(b.Audit, report.Audit), form.Loss(b.Sound, report.Sound))
	}
	t.Flush()
}

// promise writes the utility guarantee in one line.
func promise(u family.Utility) string {
	switch {
	case u.Distance2 == nil:
		return "no promise: " + u.Why
	case u.StepSize == nil:
		return fmt.Sprintf("at most %.4g, %s", *u.Distance2, u.Why)
	}
	return fmt.Sprintf("Theorem 2: E|x_T - x*|^2 at most %.4g, excess loss at most %.4g with step size %.4g, %s", *u.Distance2, *u.Excess,
		*u.StepSize, u.Why)
}

// printDistances prints one line for each distance, with a mean and a worst loss for each accountant.
func printDistances(w io.Writer, pairs []experiment.DistanceLoss) {
	if len(pairs) == 0 {
		return
	}
	fmt.Fprintf(w, "\nLoss by distance\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	accountants, last := columns(pairs)
	fmt.Fprint(t, "hops\tpairs\t")
	for _, a := range accountants {
		fmt.Fprintf(t, "%s (%s)\tworst\t", a.Accountant, a.Status)
	}
	fmt.Fprintln(t)
	for distance := 1; distance <= last; distance++ {
		for i, a := range accountants {
			d := find(pairs, a.Accountant, distance)
			if i == 0 {
				fmt.Fprintf(t, "%d\t%d\t", distance, d.Pairs)
			}
			if d.Pairs == 0 {
				fmt.Fprint(t, "\t\t") // not attacked
				continue
			}
			fmt.Fprintf(t, "%s\t%s\t", form.Loss(d.Mean, d.Status), form.Loss(d.Max, d.Status))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// mostNodes is the largest number of nodes that are printed.
const mostNodes = 5

// PrintNodes writes the nodes that lose most, unless all lose alike.
func PrintNodes(w io.Writer, nodes *report.NodeLosses) {
	if nodes == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(nodes.Each), func(n report.NodeLoss) bool { return n.Towards < 0 || n.About < 0 })
	slices.SortStableFunc(list, func(a, b report.NodeLoss) int { return cmp.Compare(b.Loses, a.Loses) })
	if len(list) == 0 || list[0].Loses <= list[len(list)-1].Loses*(1+alike) {
		return
	}
	fmt.Fprintf(w, "\nThe nodes that lose most, %s (%s)\n", nodes.Accountant, nodes.Status)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "node\tloses\ttowards\tlearns\tabout")
	for _, n := range list[:min(len(list), mostNodes)] {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", n.Name, form.Loss(n.Loses, nodes.Status), nodes.Each[n.Towards].Name, form.Loss(n.Learns, nodes.Status), nodes.Each[n.About].Name)
	}
	t.Flush()
	if rest := len(list) - mostNodes; rest > 0 {
		last := list[len(list)-1]
		fmt.Fprintf(w, "and %d more, down to %s, which loses %s\n", rest, last.Name, form.Loss(last.Loses, nodes.Status))
	}
}

// alike is the relative difference up to which losses count as equal.
const alike = 1e-6

// columns lists the accountants and the largest distance.
func columns(pairs []experiment.DistanceLoss) (accountants []experiment.DistanceLoss, last int) {
	for _, p := range pairs {
		if len(accountants) == 0 || accountants[len(accountants)-1].Accountant != p.Accountant {
			accountants = append(accountants, p)
		}
		last = max(last, p.Distance)
	}
	return accountants, last
}

func find(pairs []experiment.DistanceLoss, accountant string, distance int) experiment.DistanceLoss {
	for _, p := range pairs {
		if p.Accountant == accountant && p.Distance == distance {
			return p
		}
	}
	return experiment.DistanceLoss{}
}

// A PlanQuestion holds the settings of `hearsay plan`.
type PlanQuestion struct {
	Name, PolicyFile string
	Rows             int
	Set              []string
	Cache            form.Cache
	Queued           sweeps.PairQueue
}

// Plan prints the loss of every pair before anything runs. In a federation it prices the pairs of one participant.
func (q *PlanQuestion) Plan(ask form.Asker, args []string) error {
	s, err := form.LoadSpec(ask.Context, args[0], q.Set...)
	if err != nil {
		return err
	}
	if q.Name != "" || q.PolicyFile != "" || s.Federated() {
		if q.Queued.Given() {
			return fault.New("--queue is for plans of simulations", "leave it out: a participant's plan prices its own pairs")
		}
		return nodes.PlanFor(ask, s, q.Name, q.PolicyFile, q.Rows, q.Cache)
	}
	ctx, used, err := q.Queued.Watched(ask, q.Cache)
	if err != nil {
		return err
	}
	setup, err := experiment.Prepare(ctx, s,
		func(what string) { fmt.Fprintln(ask.Stderr, what) })
	if err != nil {
		return err
	}
	if !used() {
		fmt.Fprintln(ask.Stderr, "note: nothing was given out: pairs of this spec are priced here, or are known already")
	}
	plan, err := setup.Plan()
	if err != nil {
		return err
	}
	if q.Rows != 0 {
		if plan.SeveralRows, err = setup.ForRows(q.Rows); err != nil {
			return err
		}
	}
	if ask.JSON {
		return ask.Value(plan)
	}
	printPlan(ask.Stdout, plan)
	return nil
}
