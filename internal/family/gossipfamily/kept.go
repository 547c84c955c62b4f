package gossipfamily

import "fmt"

// keptWork is the approximate number of multiplications, a second or so, for scoring nodes' own models in a trial.
const keptWork = 5e7

// Kept implements family.Keeper. It returns all nodes, or as many evenly spaced ones as keptWork allows.
func (a *Algorithm) Kept() []int {
	p := a.Protocol
	if !p.KeepMean {
		return nil
	}
	count := p.Nodes
	if each := float64(a.Train.Len()+a.Test.Len()) * float64(p.Params); each*float64(count) > keptWork {
		count = max(min(count, 16), int(keptWork/each))
	}
	kept := make([]int, count)
	for i := range kept {
		kept[i] = i * p.Nodes / count
	}
	return kept
}

// whose describes the nodes in kept.
func (a *Algorithm) whose(kept []int) string {
	if len(kept) == a.Protocol.Nodes {
		return "the nodes' own models"
	}
	return fmt.Sprintf("the own models of %d of %d nodes, evenly spaced", len(kept), a.Protocol.Nodes)
}
