package experiment

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
)

// ruleHint says which weights need no file.
var ruleHint = "use weights: " + strings.Join(graph.Rules(), ", ") + " or lazy:0.5"

// WeightsFile returns the path of the file that a spec's weights name, relative to the spec's
// folder, or "" if they are a rule.
func WeightsFile(s *spec.Spec) string {
	switch {
	case !graphfile.IsWeights(s.Weights):
		return ""
	case s.Matrix != "":
		return s.Matrix
	case filepath.IsAbs(s.Weights):
		return s.Weights
	}
	return filepath.Join(s.Dir, s.Weights)
}

// checkOwnWeights refuses a file of weights if participants might have different copies of it,
// or if the kind does not state its accountants' requirements on a matrix.
func checkOwnWeights(s *spec.Spec) error {
	path := WeightsFile(s)
	switch {
	case graph.IsOfEdges(s.Weights) && !s.Kind().OwnWeights:
		return fault.New(fmt.Sprintf("weights: %s are those of a file's edges, and kind: %s takes none", s.Weights, s.Algorithm.Kind),
			ruleHint+"; walk, proximal-walk, gossip, gossip-gd and gossip-sgd take them")
	case path == "":
		return nil
	case s.Federated():
		return fault.New(fmt.Sprintf("weights: %s is a file, which participants might have different copies of", filepath.Base(path)), ruleHint)
	case !s.Kind().OwnWeights:
		return fault.New(fmt.Sprintf("weights: %s is a file, and kind: %s takes none", filepath.Base(path), s.Algorithm.Kind),
			ruleHint+"; walk, proximal-walk, gossip, gossip-gd and gossip-sgd take files")
	}
	return nil
}

// setWeights makes the transition matrix of a ground. Weights are then the file's name alone,
// and Matrix is its path.
func setWeights(g *family.Ground) (err error) {
	s := g.Spec
	path := WeightsFile(s)
	if path == "" {
		if g.Transition, err = graph.NewTransition(g.Graph, s.Weights); err == nil {
			s.Weights, g.Graph = g.Transition.Rule(), g.Transition.Graph()
		}
		return err
	}
	if g.Transition, err = graphfile.OpenWeights(path, g.Graph); err != nil {
		return err
	}
	g.Graph = g.Transition.Graph() // without symmetries that the matrix need not have
	if s.Matrix = path; filepath.IsAbs(s.Weights) {
		if s.Weights = filepath.Base(path); !graphfile.IsWeights(s.Weights) {
			s.Weights = "./" + s.Weights // not a rule of that name
		}
	}
	return nil
}
