package federation

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// SeveralRows are the losses of a person who gave several rows to one participant, all of them replaced at once.
type SeveralRows struct {
	Rows    int        `json:"rows"`
	Towards []RowsLoss `json:"towards"`       // one other participant, in the plan's order
	Local   float64    `json:"local_epsilon"` // everybody together
}

// RowsLoss is what somebody loses towards one participant.
type RowsLoss struct {
	Name    string  `json:"name"`
	Epsilon float64 `json:"epsilon"`
}

// ForRows adds to the plan what a person with so many rows loses (2 or more). Replacing k rows one after the other moves what a
// node computes by at most k times what one of them can (triangle inequality): the losses are those of one row at noise
// sigma/k. Of Poisson samples at least one of the rows is in with probability 1-(1-q)^k; a view in which all of them are then in
// tells no less (scaling it down and adding noise makes the real one).
func (p *Plan) ForRows(rows int) error {
	switch {
	case rows < 2:
		return fault.New(fmt.Sprintf("--rows-each %d: the plan itself is for one row", rows), "give 2 or more")
	case p.persons:
		return fault.New("--rows-each: all rows of a person are protected together, and the plan says what they lose", "leave --rows-each out")
	case p.Record == "":
		return fault.New("--rows-each: all data of a participant are protected, however many rows they are", "leave --rows-each out, or set privacy.unit: record")
	}
	k, many := float64(rows), *p
	if p.rate < 1 {
		many.rate = 1 - math.Pow(1-p.rate, k)
	}
	found := &SeveralRows{Rows: rows, Local: many.local(p.Contributions, p.Sigma/k, p.Delta)}
	for i, l := range p.laws {
		if l.IsCurved() {
			return fault.New("--rows-each: answers are random, and no bound for several rows is known", "use a kind with Gaussian noise")
		}
		law := *l
		if l.Rate > 0 && l.Rate < 1 {
			law.Rate = 1 - math.Pow(1-l.Rate, k)
		}
		found.Towards = append(found.Towards, RowsLoss{p.Towards[i].Name, p.loss(&law, p.Sigma/k, p.Delta)})
	}
	p.SeveralRows = found
	return nil
}

// print writes the losses for people; nothing of nil.
func (s *SeveralRows) print(w io.Writer) {
	if s == nil {
		return
	}
	fmt.Fprintf(w, "\nA person with %d rows here loses more than %d times as much as a rule:\n", s.Rows, s.Rows)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, to := range s.Towards {
		fmt.Fprintf(t, "towards %s\t%s\n", to.Name, digits(to.Epsilon))
	}
	fmt.Fprintf(t, "towards %s\t%s\n", allTogether, digits(s.Local))
	t.Flush()
}
