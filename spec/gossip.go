package spec

import "fmt"

// checkGossip holds what the gossip algorithms take, and fills it in.
func (s *Spec) checkGossip() error {
	a := &s.Algorithm
	if !a.IsGossip() {
		if a.Gossip != (Gossip{}) {
			return invalid(fmt.Sprintf("algorithm: %s takes no gossip_steps, acceleration, wake, dropout, redraw or batch", a.Kind),
				"leave them out, or use kind: gossip, gossip-gd or gossip-sgd")
		}
		return nil
	}
	if err := a.checkWalkKeys(); err != nil {
		return err
	}
	a.fillGossip()
	for _, err := range []error{
		oneOf("algorithm.acceleration", a.Acceleration, "chebyshev", "none"),
		oneOf("algorithm.wake", a.Wake, "all", "edges"),
		s.checkAveraging(),
		checkAll(
			number{key: "algorithm.gossip_steps", value: float64(a.TurnsPerRound), low: 1, high: 1e9},
			number{key: "algorithm.dropout", value: a.Dropout, low: 0, high: 0.999},
			number{key: "algorithm.redraw", value: float64(a.Redraw), low: 0, high: 1e9},
			number{key: "algorithm.batch", value: float64(a.Batch), low: 0, high: 1e9},
		),
	} {
		if err != nil {
			return err
		}
	}
	if a.Acceleration == "chebyshev" && a.changes() {
		return invalid("algorithm.acceleration: chebyshev needs the same matrix at every turn of averaging",
			"use acceleration: none with wake: edges, dropout and redraw")
	}
	if a.Wake == "edges" && (a.Dropout > 0 || a.Redraw > 0) {
		return invalid("algorithm.wake: edges that wake one by one know no dropout and no redrawn graph", "keep one of them")
	}
	return nil
}

// changes reports whether the matrix changes within the averaging of one step.
func (a *Algorithm) changes() bool {
	return a.Wake == "edges" || a.Dropout > 0 || a.Redraw > 0 && a.Averaging()
}

// checkWalkKeys refuses what only a walk has.
func (a *Algorithm) checkWalkKeys() error {
	switch {
	case a.BurnIn != 0:
		return invalid("algorithm.burn_in: gossip has none", "leave it out")
	case !a.Start.Uniform:
		return invalid("algorithm.start: gossip starts everywhere", "leave it out")
	}
	return nil
}

// fillGossip writes the defaults out.
func (a *Algorithm) fillGossip() {
	if a.Wake == "" {
		a.Wake = "all"
	}
	if a.TurnsPerRound == 0 {
		a.TurnsPerRound = 1
	}
	if a.Kind == "gossip-sgd" && a.Batch == 0 {
		a.Batch = 1
	}
	if a.Acceleration == "" {
		a.Acceleration = "none"
		if !a.changes() && (a.Averaging() || a.TurnsPerRound > 1) {
			a.Acceleration = "chebyshev"
		}
	}
}

// checkAveraging holds what averaging alone is: one value a node.
func (s *Spec) checkAveraging() error {
	a := &s.Algorithm
	if a.Kind == "gossip-gd" && a.Batch != 0 {
		return invalid("algorithm.batch: gossip-gd uses all of a node's examples", "use kind: gossip-sgd, or leave batch out")
	}
	if !a.Averaging() {
		return nil
	}
	for _, wrong := range []struct {
		key   string
		given bool
	}{
		{"gossip_steps", a.TurnsPerRound != 1}, {"batch", a.Batch != 0}, {"step_size", a.StepSize != (StepSize{})},
		{"contributions", a.Contributions > 1}, {"radius", a.Radius != 0},
	} {
		if wrong.given {
			return invalid(fmt.Sprintf("algorithm.%s: gossip averages one value of each node, once", wrong.key),
				"leave it out, or use kind: gossip-gd")
		}
	}
	if s.Model.Kind != "mean" || s.Model.L2 != 0 {
		return invalid("model: gossip averages values", "use model: {kind: mean}, without l2, or kind: gossip-gd to learn a model")
	}
	a.Contributions, a.Average = 1, "none"
	return nil
}
