package report

import "fmt"

// Own marks a page of one participant of a real run. The page holds only the
// losses of this node, and no data of others. Losses.At is then called for pairs
// (Node, v) only. The first account of Privacy is the spent loss, the last the
// loss towards all others in collusion.
type Own struct {
	Node     int
	Name     string
	Standing string   // state of the run, in sentences
	Ended    bool     // false: the model is that of an earlier turn
	Left     []string // sentences about a participant that has left, which Standing does not have; empty: it has not left, and its rows were read
	Alarms   []string // to be read first
	Towards  []OwnLoss
	Together []OwnLoss // coalitions, by the worst of each size; all others last

	Contributed, Most int   // uses of the data, and how many are allowed
	Releases          int64 // values sent, contributions or not
	Noise             string
	Others            string      // what is known of other runs on the same rows
	Parameters        []Parameter // of the model; empty: not shown to this participant
	Model             string      // file with the parameters
	Losses            string      // file with the losses
	Active            bool        // losses also hold towards a participant that deviates from the protocol
}

// OwnLoss is the possible loss to other participants.
type OwnLoss struct {
	Name      string
	Hops      int    // -1: unreachable
	Allowed   Number // by the plan
	Spent     Number
	Deviating Number // spent, if they deviated from the protocol
}

// A Parameter is a parameter of a model.
type Parameter struct {
	Name  string
	Value Number
}

// about lists the nodes whose losses b holds: all n, or the participant alone.
func (b *Bundle) about(n int) []int {
	if b.Own != nil && n > 0 {
		return []int{b.Own.Node}
	}
	return spaced(n, n)
}

// figures returns the summary numbers for one participant.
func (o *Own) figures(r *Result) []Figure {
	var list []Figure
	p := &r.Privacy
	if len(o.Parameters) > 0 && o.Left == nil {
		list = scores(r, "on "+plural(r.Data.Test, "row")+" of its own")
	}
	said := func(label string, loss Number, note string) {
		list = append(list, Figure{label, lossSymbol(*p) + " ≤ " + bound(float64(loss), Sound), note})
	}
	if len(o.Towards) > 0 {
		worst, mean := o.worst(), p.Mean
		said("spent, worst participant", worst.Spent, fmt.Sprintf("%s; allowed: %s", worst.Name, bound(float64(worst.Allowed), Sound)))
		said("spent, mean participant", mean, "what it has let out so far")
	}
	all := o.Together[len(o.Together)-1]
	said("spent towards all together", all.Spent, "also towards one who does not keep to the protocol; allowed: "+bound(float64(all.Allowed), Sound))
	list = append(list, Figure{"contributions", count(o.Contributed), fmt.Sprintf("uses of its data, of at most %s", count(o.Most))})
	return append(list, Figure{"noise multiplier σ", number(p.Sigma, 4), p.Deviation()},
		Figure{"turns of the run", count(r.Steps), plural(int(o.Releases), "release") + " in the ledger of " + o.Name})
}

// worst returns the participant with the largest spent loss, the first of equal
// ones by the allowed loss.
func (o *Own) worst() OwnLoss {
	worst := o.Towards[0]
	for _, t := range o.Towards[1:] {
		if t.Spent > worst.Spent || t.Spent == worst.Spent && t.Allowed > worst.Allowed {
			worst = t
		}
	}
	return worst
}
