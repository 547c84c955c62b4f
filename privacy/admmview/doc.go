// Package admmview accounts for private consensus ADMM (002, chapter 8): centralised,
// federated and decentralised as published, beside the losses that hold. Of these a Plan
// is the sharp one (docs/ADMM.md): given who updates when, and when an observer
// looks at the mean of all variables, it bounds what is learnt about one node.
//
//	p := admm.NewPlan(admm.Step{Lambda: 0.5}, nodes, u)
//	p.Seen(turns)                                  // between one look and the next, as often as there are looks
//	mu := math.Sqrt(p.Energy()) / c.Multiplier()   // c a Consensus
package admmview
