package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// Setup is a spec made concrete: data on nodes, a graph, a protocol with its
// noise set, and what that costs every pair. Nothing has been trained yet.
type Setup struct {
	Spec       *spec.Spec // every default filled in
	Federation *dataset.Federation
	Graph      *graph.Graph      // nil for the baselines, which use none
	Transition *graph.Transition // nil likewise
	Gap        graph.Gap
	Mixing     float64 // upper bound of the mixing time, in turns; 1 where turns are independent
	Choose     walk.Chooser
	Objective  model.Objective
	Guarantees model.Guarantees // for all rows the data can have
	Protocol   *walk.Protocol   // of a walk, and of the baselines that run as one
	Gossip     *gossip.Protocol // of gossip, otherwise nil
	Weights    graph.Sequence   // of gossip: the matrix of every turn
	Accounting Accounting

	train, test model.Examples

	glanceTrain, glanceTest model.Examples // the rows that curves are scored on

	slab     *sim.Slab       // what the nodes hold
	holdings sim.Holdings    // the slab; other worlds of an audit put theirs here
	watch    *pathloss.Watch // follows the path accountant; nil: nobody does

	everyLeftOpen bool // of averaging: report.every is to follow the turns

	scales []float64 // of the nodes' gradients, see descent.Local

	weights, glanceWeights []float64 // of the rows of train and glanceTrain in what is minimised; nil: nothing is
}

// Prepare makes a spec concrete. Each stage is announced to say, which may be
// nil. The spec is not changed.
func Prepare(ctx context.Context, given *spec.Spec, say func(string)) (*Setup, error) {
	s, err := Open(ctx, given, say)
	if err != nil {
		return nil, err
	}
	if err := inStages(ctx, say, stage{"accounting for every pair", s.account}); err != nil {
		return nil, err
	}
	return s, nil
}

// Open is Prepare without the accounting: no noise is set.
func Open(ctx context.Context, given *spec.Spec, say func(string)) (*Setup, error) {
	own := *given
	s := &Setup{Spec: &own, watch: watchOf(ctx)}
	if err := inStages(ctx, say,
		stage{"reading the graph " + own.Graph, func(ctx context.Context) error {
			err := s.openGraph(ctx)
			if note := s.graphNote(); err == nil && note != "" && say != nil {
				say("note: " + note)
			}
			return err
		}},
		stage{"reading the data " + own.Data.Source, s.loadData},
		stage{"setting up the " + own.Algorithm.Kind, s.setUp},
	); err != nil {
		return nil, err
	}
	return s, nil
}

// A stage is one step on the way to a Setup.
type stage struct {
	what string
	do   func(context.Context) error
}

// inStages does one stage after the other until one fails.
func inStages(ctx context.Context, say func(string), stages ...stage) error {
	for _, stage := range stages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if say != nil {
			say(stage.what)
		}
		if err := Within(ctx, func() error { return stage.do(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

// Within calls do and returns its error, or that of ctx as soon as it ends: linear
// algebra looks at no context. What do goes on to compute must then not be used.
func Within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// openGraph builds the graph and its transition matrix. The baselines draw
// from all nodes alike and need none.
func (s *Setup) openGraph(context.Context) (err error) {
	if kind := s.Spec.Algorithm.Kind; kind == "local" || kind == "central" {
		return s.withoutGraph()
	}
	if !s.Spec.Federated() {
		if err := s.resolveGraph(); err != nil {
			return err
		}
	}
	if s.Graph, err = s.readGraph(); err != nil {
		return err
	}
	if err := s.Graph.Connected(); err != nil {
		return err
	}
	if n := s.Graph.Len(); s.Spec.Nodes != 0 && s.Spec.Nodes != n {
		return fault.New(fmt.Sprintf("nodes: %d, but the graph %s has %d", s.Spec.Nodes, s.Spec.Graph, n),
			"leave nodes out, or make them agree")
	}
	s.Spec.Nodes = s.Graph.Len()
	if s.Transition, err = graph.NewTransition(s.Graph, s.Spec.Weights); err != nil {
		return err
	}
	s.Spec.Weights = s.Transition.Rule()
	s.Choose = s.Transition
	return s.measureMixing()
}

// graphNote is what the file of the graph says and nobody uses.
func (s *Setup) graphNote() string {
	if s.Graph == nil {
		return ""
	}
	return s.Graph.Dropped().Note()
}

// resolveGraph makes the path of an edge list, which is relative to the spec's
// folder, absolute.
func (s *Setup) resolveGraph() error {
	given, dir := s.Spec.Graph, s.Spec.Dir
	if gen.IsExpression(given) || filepath.IsAbs(given) || dir == "" {
		return nil
	}
	path := filepath.Join(dir, given)
	if _, err := os.Stat(path); err != nil {
		return fault.New(fmt.Sprintf("graph: %s is neither a generator nor a file in %s", given, dir),
			"give the path of an edge list, or a generator such as hypercube:11; hearsay graph --help lists all")
	}
	s.Spec.Graph = path
	return nil
}

// withoutGraph is for baselines that use no graph: where the spec names one and
// no number of nodes, it says how many there are.
func (s *Setup) withoutGraph() error {
	if s.Spec.Nodes == 0 && s.Spec.Graph == noGraph {
		return fault.New("nodes: is missing", fmt.Sprintf("the %s baseline uses no graph; say how many nodes there are", s.Spec.Algorithm.Kind))
	}
	if s.Spec.Nodes == 0 {
		if err := s.resolveGraph(); err != nil {
			return err
		}
		g, err := s.readGraph()
		if err != nil {
			return err
		}
		s.Spec.Nodes = g.Len()
	}
	s.Spec.Graph, s.Spec.Weights = noGraph, ""
	s.Choose, s.Mixing = walk.Uniform(s.Spec.Nodes), 1
	return nil
}

// noGraph stands for the graph in the resolved spec of a run without one.
const noGraph = "none"

// measureMixing finds the spectral gap and, where it is known, a bound of the
// mixing time.
func (s *Setup) measureMixing() (err error) {
	if s.Graph.Directed() {
		return nil
	}
	if s.Gap, err = s.Transition.SpectralGap(); err != nil {
		return err
	}
	mixing, err := s.Transition.MixingTime(0.25, s.Gap)
	if err != nil {
		return fault.New("weights: "+err.Error(), "use weights: hamilton, with which the walk stays put now and then")
	}
	s.Mixing = float64(mixing.Upper)
	return nil
}

func (s *Setup) loadData(context.Context) error {
	options, err := dataOptions(&s.Spec.Data, s.Spec.Nodes)
	if err != nil {
		return err
	}
	options.Names = s.graphNames()
	if s.Federation, err = dataset.Build(options, s.Spec.Seed); err != nil {
		return err
	}
	showDefaults(&s.Spec.Data, options)
	s.hold()
	return nil
}

// hold spreads the data over the nodes.
func (s *Setup) hold() {
	shards, test := s.Federation.Shards, s.Federation.Test
	s.slab = &sim.Slab{Features: shards.Features, X: shards.X, Y: shards.Y, Offsets: shards.Offsets}
	s.holdings, s.train = s.slab, s.slab.All()
	s.test = model.Examples{Features: test.Features, X: test.X, Y: test.Y}
	s.glanceTrain, s.glanceTest = thin(s.train, glanceRows), thin(s.test, glanceRows)
}

// setUp makes the protocol and checks what the theory asks of it.
func (s *Setup) setUp(ctx context.Context) (err error) {
	if s.Objective, err = objective(s.Spec.Model); err != nil {
		return err
	}
	if err := s.checkTask(); err != nil {
		return err
	}
	s.slab.Norms = model.Norms(s.Objective.Model, s.train)
	s.Guarantees = s.Objective.Guarantees(s.Federation.Bound)
	if err := s.family().setUp(); err != nil {
		return err
	}
	if s.scales, err = sim.Scales(ctx, s.Local(), s.Spec.Nodes, s.holdings, runtime.GOMAXPROCS(0)); err != nil {
		return err
	}
	s.weigh()
	return nil
}

// checkTask refuses a model that the labels do not fit.
func (s *Setup) checkTask() error {
	task, kind := s.Federation.Task, s.Objective.Name()
	fits := map[string]bool{
		"logistic": task == dataset.Classification && len(s.Federation.Classes) == 2,
		"ridge":    task != dataset.Mean, "mean": true,
	}
	if fits[kind] {
		return nil
	}
	return fault.New(fmt.Sprintf("model.kind: %s cannot learn from %s, %s", kind, s.Federation.Source, s.labels()),
		"logistic takes two classes, ridge takes numbers, mean takes no labels")
}

// labels says what the labels of the data are.
func (s *Setup) labels() string {
	switch s.Federation.Task {
	case dataset.Classification:
		return fmt.Sprintf("whose labels are %d classes", len(s.Federation.Classes))
	case dataset.Mean:
		return "which has no labels"
	}
	return "whose labels are numbers"
}
