package reconstruction

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// missedNodes lists the nodes whose examples were not searched for in all messages jointly, or not to the
// end.
type missedNodes struct {
	Nodes []int         `json:"nodes"` // not searched
	Short []int         `json:"short"` // search stopped at the work limit
	Work  report.Number `json:"work"`  // least --work at which Nodes would be searched; NaN: it takes too much memory
}

// unlooked converts the skipped nodes of an attack. Work is in units of the default work. It returns nil
// if the attack skipped none.
func (r *rehearsed) unlooked(a *gradientinversion.Attack, x *gradientinversion.Unlooked) *missedNodes {
	if x == nil {
		return nil
	}
	out := &missedNodes{Nodes: append([]int{}, x.Nodes...), Short: append([]int{}, x.Short...), Work: report.Number(math.NaN())}
	if r.work > 0 && !math.IsInf(x.Work, 1) {
		out.Work = report.Number(r.work * x.Work / a.Work)
	}
	return out
}

// missed reports how many examples were not searched for, with advice.
func (r *rehearsed) missed(answer *Answer) {
	far, short, attacks, needs, held := 0, 0, 0, 0.0, false
	for _, k := range answer.Attacks {
		if x := k.Unlooked; x != nil {
			far, short, attacks = far+len(x.Nodes), short+len(x.Short), attacks+1
			if w := float64(x.Work); len(x.Nodes) == 0 {
			} else if math.IsNaN(w) {
				held = true
			} else {
				needs = max(needs, w)
			}
		}
	}
	by := ""
	if len(answer.Attacks) > 1 {
		by = fmt.Sprintf(", by %d of %d attackers together", attacks, len(answer.Attacks))
	}
	if far > 0 {
		answer.Notes = append(answer.Notes, fmt.Sprintf("Examples of %d that do not follow step by step were not looked for in all messages at once%s: %s.", far, by, farther(needs, held)))
	}
	if short > 0 {
		answer.Notes = append(answer.Notes, fmt.Sprintf("The search for the examples of %d in all messages at once ended with its work done%s: --work %s looks ten times as long.",
			short, by, report.Upwards(10*r.work, 3)))
	}
}

// farther returns the reason why examples were not searched for: too much work, too much memory, or both.
func farther(needs float64, held bool) string {
	const less = "take fewer columns or rounds, or an attacker with fewer neighbours"
	switch {
	case needs > exposure.MostWork:
		return fmt.Sprintf("that takes more than the largest --work, %d; %s", exposure.MostWork, less)
	case held && needs > 0:
		return fmt.Sprintf("of some that takes --work %s at least, of others too much memory; %s", report.Upwards(needs, 2), less)
	case held:
		return "that takes too much memory; " + less
	}
	return fmt.Sprintf("that takes --work %s at least", report.Upwards(needs, 2))
}
