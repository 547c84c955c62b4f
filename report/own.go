package report

import "fmt"

// Own is what makes a page one participant's of a real run: it holds no loss but
// that of this node, and nothing of anybody else's data. Losses.At is then asked
// for pairs (Node, v) alone. The first account of Privacy is what was spent, the
// last the loss towards everybody together.
type Own struct {
	Node     int
	Name     string
	Standing string   // how the run stands, in sentences
	Alarms   []string // what must be read before anything else
	Towards  []OwnLoss
	Together []OwnLoss // coalitions, by the worst of each size; all others the last

	Contributed, Most int   // uses of the data, and how many are allowed
	Releases          int64 // values let out, contributions or not
	Noise             string
	Others            string      // what is known of other runs on the same rows
	Parameters        []Parameter // of the model; empty: not shown to this participant
	Model             string      // the file that has them
	Losses            string      // the file that has the losses
	Active            bool        // losses hold towards one who does not keep to the protocol too
}

// OwnLoss is what others may have learnt.
type OwnLoss struct {
	Name      string
	Hops      int    // -1: there is no way
	Allowed   Number // by the plan
	Spent     Number
	Deviating Number // spent, if they did not keep to the protocol
}

// A Parameter of a model.
type Parameter struct {
	Name  string
	Value Number
}

// about lists the nodes whose losses b holds: all n, or the participant's own.
func (b *Bundle) about(n int) []int {
	if b.Own != nil && n > 0 {
		return []int{b.Own.Node}
	}
	return spaced(n, n)
}

// figures are the numbers that sum up a run for one participant.
func (o *Own) figures(r *Result) []Figure {
	var list []Figure
	p := &r.Privacy
	if len(o.Parameters) > 0 {
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
		Figure{"turns of the run", count(r.Steps), plural(int(o.Releases), "value") + " let out by " + o.Name})
}

// worst is the participant that may have learnt most, the first of those alike.
func (o *Own) worst() OwnLoss {
	worst := o.Towards[0]
	for _, t := range o.Towards[1:] {
		if t.Spent > worst.Spent || t.Spent == worst.Spent && t.Allowed > worst.Allowed {
			worst = t
		}
	}
	return worst
}
