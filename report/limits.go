package report

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Limit states a limit of a node's own, with the largest loss of the node. Loses is by the accountant of
// Privacy.Nodes.
type Limit struct {
	Node  int     `json:"node"`
	Name  string  `json:"name"`
	Clip  float64 `json:"clip"`            // norm that its gradients are clipped to
	Share float64 `json:"share"`           // Clip over the clip of others: its largest pull on the model in a step over that of others
	Asked float64 `json:"asked,omitempty"` // largest loss towards any single other node that the spec asks for; 0: the clip was given
	Loses Number  `json:"loses"`           // largest loss towards any single other node; null: unbounded, or not priced
}

// Words describes a limit, and the loss by an accountant of a status where that is known.
func (l Limit) Words(accountant string, status Status) string {
	text := fmt.Sprintf("%s clips at %.4g, %.3g %% of the norm of others, and adds to the model at most that share of what others may", l.Name, l.Clip, 100*l.Share)
	if l.Share == 1 {
		text = fmt.Sprintf("%s clips as others do, because it keeps to its limit so", l.Name)
	}
	if !math.IsNaN(float64(l.Loses)) {
		text += fmt.Sprintf("; it loses at most %s towards any single other (%s, %s)", Loss(float64(l.Loses), status), accountant, status)
	}
	if l.Asked != 0 {
		text += fmt.Sprintf("; the limit is %g", l.Asked)
	}
	return text
}

// mostLimits is the largest number of limits that are described one by one.
const mostLimits = 12

// LimitsNote describes limits of nodes' own in a note. It returns "" if there are none.
func (p *Privacy) LimitsNote() string {
	if len(p.Limits) == 0 {
		return ""
	}
	of := cmp.Or(p.Nodes, &NodeLosses{})
	text := "Limits of nodes' own. Noise is the same at all nodes, and set as if nobody had a limit."
	for _, l := range p.Limits[:min(len(p.Limits), mostLimits)] {
		text += " " + l.Words(of.Accountant, of.Status) + "."
	}
	if more := len(p.Limits) - mostLimits; more > 0 {
		text += fmt.Sprintf(" %d more are in privacy.limits of the result.", more)
	}
	return text + " Losses called worst are over all pairs, those without a limit too."
}
