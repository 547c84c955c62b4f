package protocols

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Price is one result of an accountant of a fixed protocol: a loss, the noise
// that keeps it below a target, or the reason for a refusal.
type Price struct {
	Name string `json:"-"`
	form.Claim
	Accountant  string          `json:"accountant"`
	Eps         *report.Number  `json:"eps,omitempty"`   // null is infinite
	Delta       *float64        `json:"delta,omitempty"` // of eps
	Order       float64         `json:"order,omitempty"` // of eps, if it is a Renyi divergence
	Mean        *float64        `json:"mean,omitempty"`  // over pairs; eps is the largest
	Least       *float64        `json:"least,omitempty"`
	Nodes       []report.Number `json:"nodes,omitempty"` // of every node, if they differ; eps is the largest
	Calibration *Calibrated     `json:"calibration,omitempty"`
	Value       *report.Number  `json:"value,omitempty"` // of the quantity in the name
	Refused     string          `json:"refused,omitempty"`
	Hint        string          `json:"hint,omitempty"`
}

// Calibrated is a noise level with its bracket. At Low the loss is too large.
type Calibrated struct {
	Sigma float64 `json:"sigma"`
	Low   float64 `json:"low"`
	Loss  float64 `json:"loss"`
}

// pricedBy returns a line without its number.
func pricedBy(name string, c privacy.Claim) Price {
	return Price{Name: name, Claim: form.NewClaim(c), Accountant: c.Accountant}
}

// lost returns a loss in a metric.
func lost(name string, c privacy.Claim, eps float64, m privacy.Metric) Price {
	p, number := pricedBy(name, c), report.Number(eps)
	p.Eps, p.Order = &number, m.Order
	if m.Order == 0 {
		p.Delta = &m.Delta
	}
	return p
}

// guaranteed returns a loss at its own delta.
func guaranteed(name string, g privacy.Guarantee) Price {
	return lost(name, g.Claim, g.Epsilon, privacy.Metric{Delta: g.Delta})
}

// tightened returns a calibrated noise level.
func tightened(name string, c privacy.Claim, cal privacy.Calibration) Price {
	p := pricedBy(name, c)
	p.Calibration = &Calibrated{cal.Sigma, cal.Low, cal.Loss}
	return p
}

// valued returns a number of another kind.
func valued(name string, c privacy.Claim, x float64) Price {
	p, number := pricedBy(name, c), report.Number(x)
	p.Value = &number
	return p
}

// A Bill holds the results of several accountants for one question.
type Bill struct {
	Accountants map[string]Price `json:"accountants"` // by name

	lines  []Price
	failed error // the first refusal
}

// add adds a line. If err is not nil the line records why an accountant of
// that status refuses.
func (b *Bill) add(status privacy.Status, p Price, err error) {
	if err != nil {
		p = Price{Name: p.Name, Claim: form.Claim{Status: status, Unit: privacy.Participant, Assumptions: []string{}}, Refused: err.Error(),
			Hint: fault.Hint(err)}
		if b.failed == nil {
			b.failed = err
		}
	}
	b.lines = append(b.lines, p)
}

// calibrate adds the smallest sigma at which a published accountant stays at
// or below eps.
func (b *Bill) calibrate(eps float64, loss func(sigma float64) (privacy.Guarantee, error)) {
	claim, cal, err := privacy.SmallestGuaranteed(loss, eps)
	b.add(privacy.Published, tightened("published", claim, cal), err)
}

// shown returns the bill, or the first refusal if every accountant refuses.
func (b *Bill) shown() (*Bill, error) {
	b.Accountants = make(map[string]Price)
	some := false
	for _, p := range b.lines {
		b.Accountants[p.Name] = p
		some = some || p.Refused == ""
	}
	if !some {
		return nil, b.failed
	}
	return b, nil
}

// Print writes one line an accountant.
func (b *Bill) Print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range b.lines {
		fmt.Fprintf(t, "%s\t(%s)\t%s\n", p.Name, p.Status, p.text())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var claims []form.Claim
	for _, p := range b.lines {
		claims = append(claims, p.Claim)
	}
	form.PrintIf(out, claims...)
	return nil
}

func (p Price) text() string {
	switch {
	case p.Refused != "":
		return "refused: " + p.Refused
	case p.Calibration != nil:
		return "sigma " + report.Upwards(p.Calibration.Sigma, 6)
	case p.Value != nil:
		return fmt.Sprintf("%.6g", float64(*p.Value))
	}
	return p.loss()
}

func (p Price) loss() string {
	var s strings.Builder
	up := func(x float64) string { return report.Loss(x, report.Status(p.Status)) }
	fmt.Fprintf(&s, "eps %s", up(float64(*p.Eps)))
	if math.IsInf(float64(*p.Eps), 1) {
		s.Reset()
		s.WriteString("no privacy: eps is infinite")
	}
	if p.Delta != nil {
		fmt.Fprintf(&s, " at delta %.3g", *p.Delta)
	}
	if p.Order != 0 {
		fmt.Fprintf(&s, " at Renyi order %g", p.Order)
	}
	if p.Mean != nil {
		fmt.Fprintf(&s, " at most, mean %s, least %s", up(float64(*p.Mean)), up(float64(*p.Least)))
	}
	return s.String()
}

// mostLocal is the largest local epsilon that is accepted. It is above the epsilon of any usefully randomised answer.
const mostLocal = 100.0

// checkLocal refuses the epsilon of an answer that is not randomised.
func checkLocal(eps float64) error {
	if !(eps > 0 && eps <= mostLocal) {
		return fault.New(fmt.Sprintf("--local: an answer of epsilon %g", eps), "give the epsilon of one answer, such as 0.5")
	}
	return nil
}
