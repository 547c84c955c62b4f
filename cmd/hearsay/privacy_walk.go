package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/terminal"
)

// walkFlags are what `privacy walk` is asked.
type walkFlags struct {
	onGraph
	steps, contributions, paths, burnIn, u, v int
	tokens, edgeCap                           int
	sigma, alpha, power, skip                 float64
	sender, accountant, condition, start      string
	leaks, learns                             string // u and v as they are given
	final                                     bool
	cache                                     form.Cache
	pool                                      []string // names of those who pool what they see with v
	colluders                                 []int    // their numbers
}

func newPrivacyWalkCommand() *cobra.Command {
	var f walkFlags
	cmd := &cobra.Command{
		Use:   "walk --graph G --steps T --sigma S --alpha A",
		Short: "What a random walk of the model tells every node about every other",
		Long: `Walk prices random-walk SGD. The published accountant is 000 Theorem 3: eps is
contributions times the loss of a single one. The path accountant is sound: it
prices the paths of the token, for one pair given with --u (who leaks) and --v
(who learns), or for all pairs. Its delta holds for any eps,
however small; --paths also simulates paths and gives their confidence bound.
Of a pair it prints what the law of its path says alone and, on graphs of up to
512 nodes without symmetry, what it is charged as one of all pairs: the number
that plan, explain and tables have.
Several tokens share a node's contributions out evenly. A cap per edge and step
sizes that fall are priced by simulated paths only.

With --v alone it bounds everybody towards one observer, with --u alone one node
towards everybody, on graphs of any size: by first passages, which takes a cap of
contributions, and less closely than the law of a pair.`,
		Args: cobra.NoArgs,
		RunE: answering(f.account),
	}
	f.register(cmd)
	registerCache(cmd, &f.cache)
	flags := cmd.Flags()
	flags.IntVar(&f.steps, "steps", 0, "turns that update the token, T")
	flags.Float64Var(&f.sigma, "sigma", 0, "noise multiplier")
	flags.Float64Var(&f.alpha, "alpha", 2, "Renyi order")
	flags.StringVar(&f.sender, "sender", "hidden", "published: whether a node sees who handed it the token: hidden or known")
	flags.StringVar(&f.accountant, "accountant", "all", "published, path or all")
	flags.StringVar(&f.condition, "condition", "weakest", "published: what sigma must satisfy: weakest or printed")
	flags.IntVar(&f.contributions, "contributions", 0, "cap of a node's contributions (default: published 1, path no cap)")
	flags.StringVar(&f.start, "start", "uniform", "node that starts, or uniform")
	flags.IntVar(&f.burnIn, "burn-in", 0, "hops before the first update")
	flags.BoolVar(&f.final, "final", false, "path: the last token is shown to everybody")
	flags.IntVar(&f.tokens, "tokens", 1, "tokens that walk at once; a node's cap counts over all of them, and each has an even share")
	flags.Float64Var(&f.skip, "skip", 0, "path: probability that a holder takes no part in a turn and adds noise only")
	flags.IntVar(&f.edgeCap, "edge-cap", 0, "path: cap of a node's contributions after receipts from one neighbour (default: none)")
	flags.Float64Var(&f.power, "step-power", 0, "path: step sizes fall as 1/t^power (default: constant)")
	flags.IntVar(&f.paths, "paths", 0, "path: simulate so many paths as well")
	flags.StringVar(&f.leaks, "u", "", "node that leaks, by its name or number")
	flags.StringVar(&f.learns, "v", "", "node that learns")
	flags.StringArrayVar(&f.pool, "colluders", nil, "path: `names` of nodes, with commas, that follow the protocol but pool what they see with v")
	for _, name := range []string{"steps", "sigma"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// account answers the question.
func (f *walkFlags) account() (*walkAnswer, error) {
	w, err := f.open()
	if err != nil {
		return nil, err
	}
	if err := f.findPair(w.Graph()); err != nil {
		return nil, err
	}
	if err := f.check(w.Len()); err != nil {
		return nil, err
	}
	if err := f.findColluders(w.Graph()); err != nil {
		return nil, err
	}
	s, own, err := f.walk(w)
	if err != nil {
		return nil, err
	}
	a := &walkAnswer{N: w.Len(), graph: w.Graph()}
	if f.oneSide() {
		if f.v >= 0 {
			a.Observer = &f.v
		} else {
			a.About = &f.u
		}
	}
	if f.accountant == "published" || f.accountant == "all" && !f.simulatedOnly() && !f.oneSide() {
		if a.Accountants.Published, err = f.published(s); err != nil {
			return nil, err
		}
	}
	if f.accountant != "published" {
		if a.Accountants.Path, err = f.path(w, s, own); err != nil {
			return nil, err
		}
	}
	a.Accountants.Local, err = f.local(s.Most())
	return a, err
}

// findPair looks up the nodes of --u and --v, -1 where none is given.
func (f *walkFlags) findPair(g *graph.Graph) error {
	f.u, f.v = -1, -1
	for _, flag := range []struct {
		name, text string
		node       *int
	}{{"--u", f.leaks, &f.u}, {"--v", f.learns, &f.v}} {
		if flag.text == "" {
			continue
		}
		u, err := nodeOf(g, flag.name, flag.text)
		if err != nil {
			return err
		}
		*flag.node = u
	}
	return nil
}

// nodeOf is the node of a name or number; what is wrong with a number is said
// elsewhere.
func nodeOf(g *graph.Graph, flag, text string) (int, error) {
	u, ok := g.Lookup(text)
	if number, err := strconv.Atoi(text); !ok && err == nil && !g.Labelled() {
		u, ok = number, true
	}
	if !ok {
		return 0, fault.New(fmt.Sprintf("%s %s is not a node of %s", flag, text, g.Name()), "name nodes by their ids, such as "+g.Label(0))
	}
	return u, nil
}

// findColluders looks up the nodes of --colluders.
func (f *walkFlags) findColluders(g *graph.Graph) error {
	if len(f.pool) == 0 {
		return nil
	}
	if !f.onePair() || f.accountant != "path" || f.simulatedOnly() || f.paths > 0 {
		return fault.New("--colluders are priced by the law of the path, for one node and observer",
			"give --u, --v and --accountant path, without --paths")
	}
	f.colluders = nil
	known := func(name string) bool { _, err := nodeOf(g, "--colluders", name); return err == nil }
	for _, text := range terminal.NameList(f.pool, known) {
		u, err := nodeOf(g, "--colluders", text)
		if err != nil {
			return err
		}
		f.colluders = append(f.colluders, u)
	}
	return nil
}

// onePair reports whether a pair was chosen.
func (f *walkFlags) onePair() bool { return f.u >= 0 && f.v >= 0 }
