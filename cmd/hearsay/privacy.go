package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	graphfile "github.com/hearsay-dp/hearsay/graph/file"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/report"
)

func newPrivacyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "privacy",
		Short: "Account for an algorithm on a graph, calibrate its noise, audit the claims",
		Long: "Privacy prices one algorithm for every pair of nodes. Each number says whether it\n" +
			"is published (a paper's formula), sound (a bound), sound if (a bound if something\n" +
			"is true that the command cannot see, such as what a model guarantees) or audit (a\n" +
			"lower bound), and what it assumes. hearsay plan SPEC knows the model.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPrivacyWalkCommand(), newPrivacyGossipCommand(), newPrivacyFlowCommand(), newPrivacyPairwiseCommand())
	cmd.AddCommand(newPrivacyCalibrateCommand(), newPrivacyAuditCommand(), newPrivacyExplainCommand(), newPrivacyCacheCommand())
	cmd.AddCommand(newPrivacyRingCommand(), newPrivacyCompleteCommand(), newPrivacyADMMCommand(), newPrivacyGammaCommand(),
		newPrivacyConvertCommand())
	for _, sub := range cmd.Commands() {
		sub.RunE = interruptible(sub.RunE)
	}
	return cmd
}

// interruptible ends a command as soon as its context does: accountants look at
// no context.
func interruptible(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return experiment.Within(cmd.Context(), func() error { return run(cmd, args) })
	}
}

// onGraph are the flags of accountants that look at a graph.
type onGraph struct {
	graph, weights string
	seed           uint64
	cmd            *cobra.Command // whose flags these are
}

func (o *onGraph) register(cmd *cobra.Command) {
	o.cmd = cmd
	cmd.Flags().StringVar(&o.graph, "graph", "", "generator such as hypercube:11, or a graph file")
	cmd.Flags().StringVar(&o.weights, "weights", "", "transition matrix (default hamilton; directed graphs: uniform)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "seed of random graphs and of simulated paths")
	must(cmd.MarkFlagRequired("graph"))
}

// open builds the graph and its transition matrix.
func (o *onGraph) open() (*graph.Transition, error) {
	g, err := graphfile.Open(o.graph, o.seed)
	if err != nil {
		return nil, err
	}
	if note := g.Dropped().Note(); note != "" {
		fmt.Fprintln(o.cmd.ErrOrStderr(), "note: "+note)
	}
	return graph.NewTransition(g, o.weights)
}

// must is for what only a programmer can get wrong.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// claimJSON is what stands behind a number.
type claimJSON struct {
	Status      privacy.Status `json:"status"`
	Unit        privacy.Unit   `json:"unit"`
	If          string         `json:"if,omitempty"` // of "sound if": what nobody has checked
	Assumptions []string       `json:"assumptions"`
}

// printIf writes on whose word numbers rest that are sound if it holds.
func printIf(w io.Writer, claims ...claimJSON) {
	said := map[string]bool{}
	for _, c := range claims {
		if c.If != "" && !said[c.If] {
			fmt.Fprintf(w, "%s %s (asserted: no model was given, so nothing has checked it; hearsay plan SPEC does)\n", c.Status, c.If)
			said[c.If] = true
		}
	}
}

func claimed(c privacy.Claim) claimJSON {
	return claimJSON{c.Status, c.UnitOrParticipant(), c.If, c.Grounds()}
}

// matrixLimit is the most nodes whose n^2 losses are printed.
const matrixLimit = 4096

func checkMatrix(n int) error {
	if n <= matrixLimit {
		return nil
	}
	return fault.New(fmt.Sprintf("the losses of all pairs of %d nodes are too many to print", n), "choose a pair with --u and --v")
}

// matrix fills n x n from rows of u.
func matrix(n int, at func(u, v int) float64) [][]float64 {
	m := make([][]float64, n)
	for u := range m {
		m[u] = make([]float64, n)
		for v := range m[u] {
			m[u][v] = at(u, v)
		}
	}
	return m
}

// away says how many hops pairs are apart.
func away(hops int) string {
	if hops < 0 {
		return "apart"
	}
	return fmt.Sprint(hops)
}

// beyondNeighbours is the largest loss between nodes that no edge joins, written by a
// format, "none" if there are none: a mean hides neighbours.
func beyondNeighbours(s report.Status, g *graph.Graph, at func(u, v int) float64) string {
	apart := privacy.Limit{Of: func(u, v int) bool { return !g.HasEdge(u, v) && !g.HasEdge(v, u) }}
	worst, some := apart.Worst(g.Len(), at)
	if !some {
		return "none"
	}
	return report.Loss(worst, s)
}

// workers is how many goroutines an accountant may use.
func workers() int { return runtime.GOMAXPROCS(0) }

// symmetry is the pairs of one law on a graph whose nodes are all alike.
func symmetry(t *graph.Transition) (pathloss.PairClass, bool) {
	s, ok := t.Graph().Symmetry()
	if !ok {
		return nil, false
	}
	return pathloss.SymmetricClass(s.Family, s.Sides)
}
