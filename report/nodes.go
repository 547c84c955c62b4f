package report

import (
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// NodeLosses holds for each node, by one accountant, the observer of its largest loss
// and the node about which it learns most.
type NodeLosses struct {
	Accountant string         `json:"accountant"`
	Status     Status         `json:"status"`
	Each       List[NodeLoss] `json:"each"` // by number
}

// A NodeLoss holds the largest priced loss of one node, and the largest one towards it.
// Of equal losses it is the first.
type NodeLoss struct {
	Node    int    `json:"node"`
	Name    string `json:"name"`
	Loses   Number `json:"loses"`   // null: unbounded, or no priced pair
	Towards int    `json:"towards"` // -1: no priced pair
	Learns  Number `json:"learns"`
	About   int    `json:"about"`
}

// NewNodeLosses computes them over all pairs of l. name returns the name of a node.
func NewNodeLosses(l *Losses, name func(node int) string) *NodeLosses {
	all := &NodeLosses{Accountant: l.Accountant, Status: l.Status, Each: make([]NodeLoss, l.N)}
	for v := range all.Each {
		all.Each[v] = NodeLoss{Node: v, Name: name(v), Loses: nan, Towards: -1, Learns: nan, About: -1}
	}
	for u := range l.N {
		for v := range l.N {
			loss := Number(l.At(u, v))
			if u == v || math.IsNaN(float64(loss)) {
				continue
			}
			if own := &all.Each[u]; own.Towards < 0 || loss > own.Loses {
				own.Loses, own.Towards = loss, v
			}
			if own := &all.Each[v]; own.About < 0 || loss > own.Learns {
				own.Learns, own.About = loss, u
			}
		}
	}
	return all
}

// Worst returns at most most nodes with the largest losses, largest first. Nodes with
// equal losses are in the order of their numbers.
func (n *NodeLosses) Worst(most int) []NodeLoss {
	list := make([]NodeLoss, 0, most+1)
	for _, one := range n.Each {
		if one.Towards < 0 || len(list) == most && !(one.Loses > list[most-1].Loses) {
			continue
		}
		at := len(list)
		for at > 0 && one.Loses > list[at-1].Loses {
			at--
		}
		list = append(list, NodeLoss{})
		copy(list[at+1:], list[at:])
		list[at] = one
		list = list[:min(len(list), most)]
	}
	return list
}

// shortTable is the number of nodes in the short table.
const shortTable = 10

// Short returns the nodes of the short table.
func (n *NodeLosses) Short() []NodeLoss { return n.Worst(shortTable) }

// appendLine appends the cells of a node in nodes.csv.
func (n *NodeLosses) appendLine(line []byte, node int) []byte {
	one := n.Each[node]
	line = append(append(line, ','), n.Accountant...)
	for _, of := range []struct {
		loss Number
		with int
	}{{one.Loses, one.Towards}, {one.Learns, one.About}} {
		line = append(appendLoss(line, float64(of.loss), n.Status), ',')
		if of.with >= 0 {
			line = strconv.AppendInt(line, int64(of.with), 10)
		}
	}
	return line
}

// nodeColumns holds the columns that the page's script sorts. It is nil if there are
// none.
type nodeColumns struct {
	Accountant int    `json:"accountant"` // its index
	Loses      Vector `json:"loses"`      // null: infinite, or no pair
	Towards    []int  `json:"towards"`
	Learns     Vector `json:"learns"`
	About      []int  `json:"about"`
}

// newNodeColumns finds the accountant of n among those of the page.
func newNodeColumns(n *NodeLosses, losses []*Losses) *nodeColumns {
	if n == nil {
		return nil
	}
	for k, l := range losses {
		if l.Accountant != n.Accountant || l.Status != n.Status {
			continue
		}
		c := &nodeColumns{Accountant: k}
		for _, one := range n.Each {
			c.Loses, c.Towards = append(c.Loses, float64(one.Loses)), append(c.Towards, one.Towards)
			c.Learns, c.About = append(c.Learns, float64(one.Learns)), append(c.About, one.About)
		}
		return c
	}
	return nil
}
