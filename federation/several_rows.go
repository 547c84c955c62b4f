package federation

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// SeveralRows holds the losses of a person who gave several rows to one participant, if all of them are replaced
// at once.
type SeveralRows struct {
	Rows    int        `json:"rows"`
	Towards []RowsLoss `json:"towards"`       // each other participant, in the plan's order
	Local   float64    `json:"local_epsilon"` // everybody together

	may bool // values may come late, which the losses do not count
}

// RowsLoss holds such a loss towards one participant.
type RowsLoss struct {
	Name    string  `json:"name"`
	Epsilon float64 `json:"epsilon"`
}

// ForRows adds to the plan the losses of a person with rows rows, 2 or more. Replacing k rows one after the other moves the
// result of a node by at most k times the sensitivity of one row (triangle inequality). The losses are therefore those of one
// row at noise sigma/k. A Poisson sample holds at least one of the rows with probability 1-(1-q)^k. ForRows assumes that it then
// holds all of them. That view reveals no less, because scaling it down and adding noise gives the real one.
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
	found := &SeveralRows{Rows: rows, may: p.MostLate > 0, Local: many.local(p.Contributions, p.Sigma/k, p.Delta)}
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

// print writes the losses as text. A nil s prints nothing.
func (s *SeveralRows) print(w io.Writer) {
	if s == nil {
		return
	}
	late := ""
	if s.may {
		late = ", if no value comes late"
	}
	fmt.Fprintf(w, "\nA person with %d rows here loses more than %d times as much as a rule%s:\n", s.Rows, s.Rows, late)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, to := range s.Towards {
		fmt.Fprintf(t, "towards %s\t%s\n", to.Name, digits(to.Epsilon))
	}
	fmt.Fprintf(t, "towards %s\t%s\n", allTogether, digits(s.Local))
	t.Flush()
}
