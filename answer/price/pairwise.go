package price

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/report"
)

// A PairwiseQuestion holds the settings of `hearsay privacy pairwise`.
type PairwiseQuestion struct {
	form.GraphQuestion
	Secrets          string // see graphfile.OpenSecrets
	Rounds           int
	Own, Pair, Ratio float64
	Pool             []string // names or numbers
	Any              int
	Absent           int // nodes that may miss a round
	Delta, Eps       float64
}

func (f *PairwiseQuestion) check() error {
	if f.Rounds < 1 || f.Rounds > mostRounds {
		return fault.New(fmt.Sprintf("--rounds %d is out of range", f.Rounds), fmt.Sprintf("give a number from 1 to %d", mostRounds))
	}
	if f.Any != 0 && len(f.Pool) > 0 {
		return fault.New("both --coalition and --any", "name the colluders, or say how many of them there may be")
	}
	if f.Any < 0 {
		return fault.New(fmt.Sprintf("--any %d is out of range", f.Any), "give how many nodes may collude, or 0 for an outsider")
	}
	if f.Absent < 0 {
		return fault.New(fmt.Sprintf("--absent %d is out of range", f.Absent), "give how many nodes may miss a round, or 0")
	}
	given := f.Given
	switch {
	case f.Eps == 0 && !given("own"):
		return fault.New("--own is missing", "give the noise in units of the sensitivity, such as 1.2, or --eps to find it")
	case f.Eps == 0:
		return cmp.Or(form.CheckDelta(f.Delta), privacy.CheckSigma(f.Own))
	case given("own") || given("pair"):
		return fault.New("--eps finds the noise, and --own or --pair give it", "keep one of them; with --eps, --ratio says how one is to the other")
	case len(f.Pool) > 0:
		return fault.New("--eps finds the noise for every node, and --coalition has members", "say how many may collude with --any")
	}
	f.Own, f.Pair = 1, f.Ratio
	return privacy.CheckTarget(f.Eps, f.Delta)
}

// A PairwiseAnswer holds the result of `hearsay privacy pairwise`, with its
// JSON.
type PairwiseAnswer struct {
	N         int           `json:"n"`
	Secrets   Secrets       `json:"secrets"`
	Rounds    int           `json:"rounds"`
	Own       float64       `json:"own"`
	Pair      float64       `json:"pair"`
	Delta     float64       `json:"delta"`
	Coalition []int         `json:"coalition,omitempty"`
	Any       int           `json:"any,omitempty"`
	Absent    int           `json:"absent,omitempty"` // nodes that may miss a round
	Energy    report.Vector `json:"energy"`           // of every node, null in the coalition
	Eps       report.Vector `json:"eps"`
	Local     PairwiseLocal `json:"local"`
	form.Claim
	graph  *graph.Graph
	target float64 // 0: none
}

// Secrets describes the graph of shared secrets.
type Secrets struct {
	Graph string `json:"graph"`
	Pairs int    `json:"pairs"`
}

// PairwiseLocal is the loss with the own noise alone.
type PairwiseLocal struct {
	Energy report.Number `json:"energy"`
	Eps    report.Number `json:"eps"`
}

// Answer answers the question.
func (f *PairwiseQuestion) Answer() (*PairwiseAnswer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	t, err := f.Open()
	if err != nil {
		return nil, err
	}
	coalition, err := nodesOf(t.Graph(), "--coalition", f.Pool)
	if err != nil {
		return nil, err
	}
	slices.Sort(coalition)
	coalition = slices.Compact(coalition)
	if rest := t.Len() - 1 - max(f.Any, len(coalition)); f.Absent > max(0, rest) {
		return nil, fault.New(fmt.Sprintf("--absent %d: so many nodes that neither observe nor are asked about are not among %d", f.Absent, t.Len()), fmt.Sprintf("give at most %d", max(0, rest)))
	}
	partners, err := f.partners(t)
	if err != nil {
		return nil, err
	}
	metric := privacy.Metric{Delta: f.Delta}
	problem := pairwise.Problem{Pairs: partners.Sparse(), Own: f.Own, Pair: f.Pair, Contributions: f.Rounds, Absent: f.Absent}
	if class, ok := form.Symmetry(partners); ok {
		problem.Class = class
	}
	a, err := pairwise.New(problem)
	if err != nil {
		return nil, err
	}
	if f.Eps > 0 {
		found, _, err := a.Calibrate(f.Any, f.Eps, metric, form.Workers())
		if err != nil {
			return nil, err
		}
		problem.Own, problem.Pair = found.Sigma, found.Sigma*f.Ratio
		if a, err = pairwise.New(problem); err != nil {
			return nil, err
		}
	}
	answer := &PairwiseAnswer{
		N: t.Len(), Secrets: Secrets{partners.Graph().Name(), partners.Graph().Edges()}, Rounds: f.Rounds, Own: problem.Own, Pair: problem.Pair, Delta: f.Delta, Coalition: coalition, Any: f.Any, Absent: f.Absent,
		graph: t.Graph(), target: f.Eps,
	}
	answer.Local = PairwiseLocal{report.Number(a.Local(0)), report.Number(metric.GaussianView(a.Local(0)))}
	return answer, f.price(answer, a, metric)
}

// partners returns the graph of shared secrets.
func (f *PairwiseQuestion) partners(t *graph.Transition) (*graph.Transition, error) {
	if f.Secrets == graphfile.EdgeSecrets {
		return t, nil
	}
	g, note, err := graphfile.OpenSecrets(f.Secrets, t.Graph(), f.Seed)
	if err != nil {
		return nil, err
	}
	if note != "" {
		fmt.Fprintln(f.Stderr, "note: secrets: "+note)
	}
	return graph.NewTransition(g, "")
}

// price sets the energies and the losses.
func (f *PairwiseQuestion) price(answer *PairwiseAnswer, a *pairwise.Accountant, metric privacy.Metric) error {
	energies, claim, err := a.Beside(answer.Coalition, form.Workers())
	if f.Any > 0 {
		energies, claim, err = a.Worst(f.Any, form.Workers())
	}
	if err != nil {
		return err
	}
	answer.Energy, answer.Claim = energies, form.NewClaim(claim)
	known := map[float64]float64{}
	for _, e := range energies {
		if _, found := known[e]; !found && !math.IsNaN(e) {
			known[e] = metric.GaussianView(e)
		}
		eps, found := known[e]
		if !found {
			eps = math.NaN()
		}
		answer.Eps = append(answer.Eps, eps)
	}
	return nil
}

// towards describes the observers.
func (a *PairwiseAnswer) towards() string {
	switch {
	case a.Any == 1:
		return "any single other node"
	case a.Any > 1:
		return fmt.Sprintf("any %d of the other nodes together", a.Any)
	case len(a.Coalition) == 1:
		return "node " + a.graph.Label(a.Coalition[0])
	case len(a.Coalition) > 1:
		names := make([]string, len(a.Coalition))
		for i, v := range a.Coalition {
			names[i] = a.graph.Label(v)
		}
		return "nodes " + strings.Join(names, ", ") + " together"
	}
	return "an outsider"
}

// Print writes the best and the worst protected node.
func (a *PairwiseAnswer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d nodes, secrets of %d pairs (%s), %d rounds, own noise %s, shared noise %s\n", a.graph.Name(), a.N, a.Secrets.Pairs, a.Secrets.Graph, a.Rounds, report.Upwards(a.Own, 6),
		report.Upwards(a.Pair, 6))
	missing := ""
	if a.Absent > 0 {
		missing = fmt.Sprintf(", while at most %d of the others miss each round", a.Absent)
	}
	learns := "learns"
	if a.Any > 1 || len(a.Coalition) > 1 {
		learns = "learn"
	}
	fmt.Fprintf(w, "what %s, seeing every message, %s of a node%s, %s:\n\n", a.towards(), learns, missing, privacy.Metric{Delta: a.Delta})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tenergy\teps\t")
	for _, row := range []struct {
		name  string
		least bool
	}{{"best protected", true}, {"worst protected", false}} {
		if energy, eps, some := a.extreme(row.least); some {
			fmt.Fprintf(t, "%s\t%s\t%s\t\n", row.name, report.Loss(energy, report.Sound), report.Loss(eps, report.Status(a.Status)))
		}
	}
	fmt.Fprintf(t, "own noise alone (local)\t%s\t%s\t\n", form.Loss(a.Local.Energy, report.Sound), form.Loss(a.Local.Eps, report.Sound))
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, assumption := range a.Assumptions {
		fmt.Fprintf(w, "%s assumes: %s\n", a.Status, assumption)
	}
	return nil
}

// extreme returns the smallest or the largest loss outside the coalition.
func (a *PairwiseAnswer) extreme(least bool) (energy, eps float64, some bool) {
	outside := func(v report.Vector) []float64 {
		return slices.DeleteFunc(slices.Clone([]float64(v)), math.IsNaN)
	}
	energies, losses := outside(a.Energy), outside(a.Eps)
	if len(energies) == 0 {
		return 0, 0, false
	}
	if least {
		return slices.Min(energies), slices.Min(losses), true
	}
	return slices.Max(energies), slices.Max(losses), true
}
