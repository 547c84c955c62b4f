package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Guarantees holds guarantees of a per-example loss over all theta, in the L2 norm, with the
// penalty of the objective that it is part of. They are sealed. Only the
// models of this package fill them in, and tests check these, or Assert, which
// marks them as claimed. The zero value guarantees nothing.
type Guarantees struct {
	loss       string
	bound      float64 // of the norm of (x, 1) or x; +Inf where it does not matter
	convex     bool
	clipSafe   bool
	smoothness float64 // of the loss
	strong     float64 // strong convexity of the loss
	lipschitz  float64
	classifies bool
	bend       float64 // of the loss, where its smoothness is of no use: that of its rounded corners; 0: the smoothness
	l2         float64
	asserted   string  // by whom; "": proved here
	steps      float64 // asserted Lipschitz constant of a step, whatever the loss; 0: follows from the rest
}

// Claims holds the guarantees that the author of a model claims for its loss, for Assert.
type Claims struct {
	Loss         string  // name
	Convex       bool    // in theta
	ClipSafe     bool    // a clipped gradient is still the gradient of a convex function that is as smooth
	Smoothness   float64 // beta > 0; +Inf when there is none
	StrongConvex float64 // mu, 0 when there is none
	Lipschitz    float64 // L > 0; +Inf when there is none
	Classifies   bool    // Correct means something
}

// Assert makes guarantees of claims that nothing here has checked: losses that
// rest on them hold if they do.
func Assert(c Claims) Guarantees {
	return Guarantees{
		loss: c.Loss, convex: c.Convex, clipSafe: c.ClipSafe, smoothness: c.Smoothness, strong: c.StrongConvex, lipschitz: c.Lipschitz,
		classifies: c.Classifies, asserted: "the " + c.Loss + " model is what its author says: nothing here has checked it",
	}
}

// AssertSteps returns guarantees of an unnamed loss. Updates that rest
// on them are Asserted ones, and nothing bounds a gradient but clipping.
func AssertSteps(lipschitz float64, because string) Guarantees {
	return Guarantees{loss: "asserted", lipschitz: math.Inf(1), steps: lipschitz, asserted: because}
}

// Convex reports whether the loss is convex in theta.
func (g Guarantees) Convex() bool { return g.convex }

// ClipSafe reports whether a clipped gradient is still the gradient of a convex
// function that is as smooth.
func (g Guarantees) ClipSafe() bool { return g.clipSafe }

// Smoothness returns beta of loss and penalty, +Inf if there is none.
func (g Guarantees) Smoothness() float64 { return g.smoothness + g.l2 }

// Bend returns an upper bound on the second derivative of the loss, rounded corners included. It bounds the sensitivity of
// slopes to the rounding of a margin.
func (g Guarantees) Bend() float64 { return max(g.smoothnessIfAny(), g.bend) }

func (g Guarantees) smoothnessIfAny() float64 {
	if math.IsInf(g.smoothness, 1) && g.bend > 0 {
		return 0
	}
	return g.smoothness
}

// LossSmoothness returns beta of the loss alone.
func (g Guarantees) LossSmoothness() float64 { return g.smoothness }

// StrongConvex returns mu of loss and penalty, 0 if there is none.
func (g Guarantees) StrongConvex() float64 { return g.strong + g.l2 }

// Lipschitz returns an upper bound on the norm of the gradient of the loss alone, +Inf if there is none.
func (g Guarantees) Lipschitz() float64 { return g.lipschitz }

// Unclipped reports whether no gradient is longer than clip, but for round-off: clip may be some 50 units in the last
// place below the bound, which is itself rounded.
func (g Guarantees) Unclipped(clip float64) bool { return g.lipschitz <= clip*(1+1e-14) }

// Classifies reports whether Correct means something.
func (g Guarantees) Classifies() bool { return g.classifies }
