package gossipfamily

import "fmt"

// keptWork is about how many multiplications scoring the own models of nodes may take
// a trial: a second or so.
const keptWork = 5e7

// Kept implements family.Keeper: all nodes, or as many as there is time for, evenly
// spaced.
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

// whose says which nodes those are.
func (a *Algorithm) whose(kept []int) string {
	if len(kept) == a.Protocol.Nodes {
		return "the nodes' own models"
	}
	return fmt.Sprintf("the own models of %d of %d nodes, evenly spaced", len(kept), a.Protocol.Nodes)
}
