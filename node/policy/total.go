package policy

import (
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Total is a limit on the joint loss of all runs on the same rows, towards one participant of each run, all of
// these together.
type Total struct {
	Epsilon float64
	Delta   float64
	Since   time.Time // runs signed before do not count; zero: all count
}

// A Standing is the total loss of a plan and the other runs on the same rows, from the participant's budget book.
type Standing struct {
	Alone  func(delta float64) float64 // epsilon without the plan
	Total  func(delta float64) float64 // with it
	Counts string                      // describes the other runs
	Unit   privacy.Unit                // unit of the other runs' losses: Record if that of any is
}

// total reads the limit on all runs together.
func (d *document) total(p *Policy) error {
	if d.Total == nil {
		return nil
	}
	t := &Total{}
	for _, l := range []limit{
		{key: "total.epsilon", given: d.Total.Epsilon, into: &t.Epsilon, must: true, high: math.MaxFloat64},
		{key: "total.delta", given: d.Total.Delta, into: &t.Delta, must: true, high: 1, open: true},
	} {
		if err := l.read(); err != nil {
			return err
		}
	}
	if d.Total.Since != nil {
		since, err := time.Parse(time.DateOnly, *d.Total.Since)
		if err != nil {
			return fault.New(fmt.Sprintf("total.since: %.40q is no date", *d.Total.Since), "write the year, the month and the day: 2026-01-31; leave it out and all runs count")
		}
		t.Since = since
	}
	p.Total = t
	return nil
}

// checkTotal compares all runs on the same rows with the policy, if both a total limit and a book exist.
func (p *Policy) checkTotal(plan Plan) []Objection {
	if p.Total == nil || plan.Book == nil {
		return nil
	}
	most := p.Total.Epsilon
	if p.Unit != privacy.Record && plan.Book.Unit == privacy.Record {
		return []Objection{{Key: "total", What: "the policy's total is about all data of this participant, and other runs on these rows protected a record each: " + plan.Book.Counts,
			Fits: "unit: record in the policy would fit, if what is to be protected are records; or a name for these rows (--dataset), if they are others"}}
	}
	total, alone := plan.Book.Total(p.Total.Delta), plan.Book.Alone(p.Total.Delta)
	if total <= most {
		return nil
	}
	o := Objection{Key: "total.epsilon", What: fmt.Sprintf("over all runs on these rows the loss would be eps %s at delta %g, %s more than the %g that the policy allows (total.epsilon): it counts %s and this run",
		up(total, most), p.Total.Delta, up(total-most, 0), most, plan.Book.Counts)}
	if !(alone < most) {
		o.Fits = fmt.Sprintf("no noise would fit: the others come to eps %s by themselves. A larger total.epsilon would, or a later total.since", up(alone, 0))
	}
	return []Objection{o}
}

// Pending describes the limit that a plan without the budget book cannot be held against. It returns "" if there is none.
func (p *Policy) Pending() string {
	if p.Total == nil {
		return ""
	}
	return "its total over all runs on these rows was not looked at (hearsay budget check)"
}
