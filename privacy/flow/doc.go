// Package flow is the sound accountant of gossip that learns. A round has a local step, noise
// on every message and averaging with neighbours. The step may depend on everything received
// before (gradients). The accountant bounds the loss of a node towards a coalition by the
// energy of a flow. The difference that the node's data makes spreads with the weights, and
// must be absorbed by the noise of other nodes before the coalition sees it. docs/FLOW.md has
// the theorem and its proof.
//
//	acc, err := flow.Of(s)                 // the schedule of a run, or
//	acc, err := flow.New(flow.Problem{Weights: ..., Rounds: t})
//	best, err := acc.Optimal(u, v)         // one pair, its plan and how near the optimum it is
//	energies, err := acc.Towards(v, 2)     // every u, one observer
//	pairs := acc.Cheap(2)                  // all pairs, one plan for all
//	low, err := acc.Audit(u, v)            // the leakage of linear updates
//	energy, err := flow.Energy(p, plan)    // anybody's plan, no solver
//
// Energies V are in units of one contribution: the coalition's view is mu-GDP with mu^2 =
// V/sigma^2, sigma the noise multiplier. Every upper bound is the evaluation of a plan,
// rounded upwards. So a solver that fails gives a larger number, never an invalid one. Lower
// bounds are rounded downwards.
package flow
