package messages

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/attack/rehearsal"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
)

// averaging is the run that is attacked, on one graph or on one a turn.
type averaging struct {
	graph    *graph.Graph
	union    *graph.Graph     // of all turns
	matrices []*sparse.Matrix // one a turn; a single one if it never changes
	*gossipview.Accountant
}

func (f *Question) averaging() (*averaging, error) {
	w, err := f.Open()
	if err != nil {
		return nil, err
	}
	a := &averaging{graph: w.Graph(), union: w.Graph(), matrices: []*sparse.Matrix{w.Sparse()}}
	if f.Turns == "" {
		a.Accountant, err = gossipview.New(a.matrices[0], f.Steps)
		return a, err
	}
	if w.Own() {
		return nil, fault.New(fmt.Sprintf("--weights %s is a matrix, and --turns says who averages with whom", w.Rule()), "give one of them, or a rule such as --weights hamilton")
	}
	turns, err := f.readTurns(a.graph)
	if err != nil {
		return nil, err
	}
	if err := a.change(turns, f.Weights); err != nil {
		return nil, err
	}
	a.Accountant, err = gossipview.NewChanging(a.matrices)
	return a, err
}

// readTurns reads the edges of every turn.
func (f *Question) readTurns(nodes *graph.Graph) ([][][2]int, error) {
	if f.Steps < 1 {
		return nil, fault.New(fmt.Sprintf("a graph that changes over %d steps", f.Steps), "give 1 step or more")
	}
	file, err := regular.Open(f.Turns)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("there is no file of turns "+f.Turns, "give the path of a file with lines of a turn and the two ends of an edge")
	}
	if err != nil {
		return nil, fault.Wrap(err, "cannot open the turns", "give the path of a readable file")
	}
	defer file.Close()
	return attack.ReadTurns(file, f.Turns, f.Steps, nodes.Lookup)
}

// change gives the edges of every turn their weights.
func (a *averaging) change(turns [][][2]int, weights string) error {
	n := a.graph.Len()
	a.matrices = nil
	for t, edges := range turns {
		g, err := graph.FromEdges(fmt.Sprintf("turn %d", t), n, edges)
		if err != nil {
			return err
		}
		w, err := graph.NewTransition(g, weights)
		if err != nil {
			return err
		}
		a.matrices = append(a.matrices, w.Sparse())
	}
	var err error
	a.union, err = graph.FromEdges("all turns", n, slices.Concat(turns...))
	return err
}

// values adds the values that the messages give, if there are messages.
func (f *Question) values(a *Answer, run *averaging) error {
	switch {
	case f.Given("messages"):
		messages, err := readMessages(f.Messages, a.graph)
		if err != nil {
			return err
		}
		if err := f.solve(a, messages); err != nil {
			return fault.Wrap(err, f.Messages, fault.Hint(err))
		}
		return nil
	case f.Given("simulate"):
		return f.attackSimulated(a, run)
	}
	return nil
}

func readMessages(path string, g *graph.Graph) ([]attack.Message, error) {
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("there is no file of messages "+path,
			"give the path of a CSV file; hearsay attack gossip --simulate 1 --save FILE makes one")
	}
	if err != nil {
		return nil, fault.Wrap(err, "cannot open the messages", "give the path of a readable CSV file")
	}
	defer file.Close()
	return attack.ReadMessages(file, path, g.Lookup)
}

// solve computes the values of the reconstructed nodes from messages.
func (f *Question) solve(a *Answer, messages []attack.Message) error {
	solved, err := a.attack.Values(messages, f.Gamma)
	if err != nil {
		return err
	}
	a.solved = solved
	if solved.Spare > 0 {
		residual := report.Number(solved.Residual)
		a.Residual = &residual
	}
	for _, u := range a.Reconstructed {
		value := Value{Node: u, Value: solved.Projection[u], Uncertainty: report.Number(solved.Uncertainty[u]), Lost: solved.Lost(u)}
		if a.labelled() {
			value.Label = a.graph.Label(u)
		}
		a.Values = append(a.Values, value)
	}
	return nil
}

// attackSimulated simulates values and messages, attacks them, and adds the
// true values.
func (f *Question) attackSimulated(a *Answer, run *averaging) error {
	s, err := rehearsal.Averaging{
		Matrices: run.matrices, Steps: f.Steps, Gamma: f.Gamma, Attackers: a.Attackers, Dim: f.Dim,
		Sigma: f.Sigma, Seed: f.Simulate, Workers: form.Workers(),
	}.Run(f.Context)
	if err != nil {
		return err
	}
	if f.Save != "" {
		err := regular.Write(f.Save, 0o644, func(out io.Writer) error { return attack.WriteMessages(out, s.Messages, a.graph.Label) })
		if err != nil {
			return fault.Wrap(err, "cannot write the messages", "check that the folder exists, is writable and has room")
		}
	}
	if err := f.solve(a, s.Messages); err != nil {
		return err
	}
	for k := range a.Values {
		a.Values[k].True = s.Values[a.Values[k].Node]
	}
	a.Sigma = f.Sigma
	if f.Sigma > 0 {
		return f.estimate(a, s)
	}
	return nil
}

// estimate adds the best estimates of attackers who know all other values.
func (f *Question) estimate(a *Answer, s *rehearsal.Heard) error {
	for u, leakage := range a.Leakage {
		if leakage <= 0 || leakage == 1 || a.solved.Lost(u) {
			continue
		}
		estimate, err := a.attack.BestEstimate(a.solved, u, s.Values)
		if err != nil {
			return err
		}
		value := Value{Node: u, Value: estimate, Uncertainty: report.Number(rehearsal.EstimateStd(f.Sigma, leakage)), True: s.Values[u]}
		if a.labelled() {
			value.Label = a.graph.Label(u)
		}
		a.Estimates = append(a.Estimates, value)
	}
	return nil
}
