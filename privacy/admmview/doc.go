// Package admmview accounts for private consensus ADMM (002, chapter 8), centralised, federated and
// decentralised. It holds the published losses beside sound ones. The sharp sound one is a Plan
// (docs/ADMM.md). Given who updates when, and when an observer sees the mean of all variables, a Plan bounds
// the loss of one node.
//
//	p := admmview.NewPlan(admmview.Step{Lambda: 0.5}, nodes, u)
//	p.Seen(turns)                                  // the turns between two looks, once for each look
//	mu := math.Sqrt(p.Energy()) / c.Multiplier()   // c a Consensus
package admmview
