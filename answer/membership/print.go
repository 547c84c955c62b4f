package membership

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// An Answer holds the result of `hearsay attack membership`, with its JSON. Nodes are numbered
// 0..n-1.
type Answer struct {
	*experiment.Membership
	Name string `json:"name"`
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

// who returns the name of an attacker.
func who(p experiment.MembershipProved) string {
	if len(p.Nodes) == 0 {
		return "final model"
	}
	return strings.Join(p.Names, " + ")
}

// hopsAway returns the distance of an attacker from the target.
func hopsAway(p experiment.MembershipProved) string {
	switch {
	case len(p.Nodes) == 0:
		return "-"
	case p.Hops < 0:
		return "apart"
	}
	return fmt.Sprint(p.Hops)
}

// printedLoss formats a published number, "-" if there is none.
func printedLoss(p experiment.MembershipProved) string {
	if p.Published == nil {
		return "-"
	}
	if p.Broken {
		return form.Loss(*p.Published, report.Published) + " (broken)"
	}
	return form.Loss(*p.Published, report.Published)
}

// Print writes the proved numbers beside those that accountants allow.
func (a *Answer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s on %d nodes, noise multiplier %.4g\nWhat attackers can tell about %s: %s.\n\n", a.Name, a.Kind, a.N, a.Sigma, a.TargetName, a.Worlds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "attacker\thops\tproved\tif Gaussian\tsound\tby\tpublished\tAUC\t\n\t\t(audit)\t(audit)\t(sound)\t\t\t\t\n")
	for _, p := range a.Attackers {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.3f\t\n", who(p), hopsAway(p), exposure.Proved(p.Proved), exposure.Proved(p.Gaussian), exposure.Allowed(p.Sound), p.By, printedLoss(p), p.AUC)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range a.Says() {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Says returns the notes that a reader of the numbers needs.
func (a *Answer) Says() []string {
	lines := []string{
		fmt.Sprintf("Losses are in %s. Worlds and accountants: %s.", a.Metric, a.Adjacency),
		fmt.Sprintf("Proved: at least so much, with confidence %g for each attacker, by %d runs of each world after %d shadow runs of each.", a.Confidence, a.Runs, a.Shadows),
		"If Gaussian: a claim that the view is no easier to tell apart than a Gaussian one of less is false (mu-GDP); " + a.claims(),
	}
	if r := float64(a.Reach); !math.IsNaN(r) {
		lines = append(lines, fmt.Sprintf("The worlds' first contributions are apart by %.3g of the sensitivity that is charged.", r))
	}
	broken := 0
	for _, p := range a.Attackers {
		if p.Broken {
			broken++
		}
	}
	if broken > 0 {
		lines = append(lines, fmt.Sprintf("Of %d attackers more was proved than the published number says: it is no bound there.", broken))
	}
	return append(append(lines, a.unbounded()...), a.Notes...)
}

// claims names the numbers that claim a Gaussian view.
func (a *Answer) claims() string {
	if !a.Whole {
		return "no number here is such a claim, for what a node lets out is not its data under Gaussian noise alone."
	}
	return "local, exact, flow and pairwise numbers are such claims."
}

// unbounded lists the attackers that no accountant bounds.
func (a *Answer) unbounded() (lines []string) {
	for _, p := range a.Attackers {
		if !math.IsInf(float64(p.Sound), 1) {
			continue
		}
		if len(p.Nodes) == 0 {
			lines = append(lines, "No accountant charges the final model: privacy.release: final has it priced where it can be, and algorithm.contributions bounds all that a node lets out.")
			continue
		}
		lines = append(lines, fmt.Sprintf("No accountant bounds what %s learns: algorithm.contributions bounds all that a node lets out.", who(p)))
	}
	return lines
}

// Refuted returns an error if a proof exceeds a sound number.
func (a *Answer) Refuted() error {
	for _, p := range a.Attackers {
		if p.Refuted {
			return fault.New(
				fmt.Sprintf("%s was seen to tell %s apart by %s (if Gaussian %s), more than the sound %s", who(p), a.TargetName, exposure.Proved(p.Proved), exposure.Proved(p.Gaussian), exposure.Allowed(p.Sound)),
				fmt.Sprintf("by chance this happens at most once in %.4g attackers: repeat it with another --seed, and report it if it stays", 1/(1-a.Confidence)))
		}
	}
	return nil
}
