package rehearse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/report"
)

// An Answer says whether joining is worthwhile for one participant.
type Answer string

// Answers.
const (
	Yes      Answer = "yes"
	No       Answer = "no"
	NotClear Answer = "not clear"
)

// Confidence is the confidence level of the intervals.
const Confidence = spread.Confidence

// A Spread is a mean over trials with its standard deviation.
type Spread struct {
	Mean report.Number `json:"mean"`
	Std  report.Number `json:"std"` // over trials; 0 for a single one
}

// spreadOf returns the spread of some values.
func spreadOf(of []float64) Spread {
	mean, square := spread.Moments(known(of))
	return Spread{report.Number(mean), report.Number(square)}
}

// known returns the values that are not NaN, that is of the trials in which the measure exists.
func known(of []float64) (values []float64) {
	for _, x := range of {
		if !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	return values
}

// A Gain is the gain of joining over own rows alone, trial by trial on the same rows. It is positive if joining is
// better.
type Gain struct {
	Mean   report.Number `json:"mean"`
	Low    report.Number `json:"low"` // of the interval of the mean, at Rehearsal.Confidence; infinite for a single trial
	High   report.Number `json:"high"`
	Wins   float64       `json:"wins"`  // share of trials in which joining was better
	Least  report.Number `json:"least"` // least worthwhile gain
	Answer Answer        `json:"answer"`
}

// judge compares gains with the least worthwhile gain. The answer is yes if the whole Student's interval of their mean
// is above it, and no if the whole interval is below. sides is the number of answers of which the better one counts.
// Their intervals hold jointly at Confidence, because a second chance must not raise the probability of a wrong yes.
func judge(gains []float64, least float64, sides int) Gain {
	gains = known(gains)
	mean, deviation := spread.Moments(gains)
	g := Gain{Mean: report.Number(mean), Low: report.Number(math.Inf(-1)), High: report.Number(math.Inf(1)), Least: report.Number(least), Answer: NotClear}
	for _, x := range gains {
		if x > 0 {
			g.Wins += 1 / float64(len(gains))
		}
	}
	if n := len(gains); n > 1 {
		reach := spread.ReachOfOne(deviation, n, sides)
		g.Low, g.High = report.Number(mean-reach), report.Number(mean+reach)
	}
	switch {
	case g.Low > report.Number(least):
		g.Answer = Yes
	case g.High < report.Number(least):
		g.Answer = No
	}
	return g
}

// overall returns the joint answer of several worlds, because it is not known which of them is true.
func overall(each []Answer) Answer {
	for _, answer := range []Answer{Yes, No} {
		if !slices.ContainsFunc(each, func(a Answer) bool { return a != answer }) {
			return answer
		}
	}
	return NotClear
}

// A Verdict is the answer for one participant, with its reason.
type Verdict struct {
	Participant string `json:"participant"`
	Answer      Answer `json:"answer"`
	Why         string `json:"why"`
}

// verdict combines all worlds. refused is the reason why the participant's policy refuses. It is "" if the policy
// accepts.
func (r *Rehearsal) verdict(i int, refused string, onlyAfter bool) Verdict {
	v := Verdict{Participant: r.Worlds[0].Participants[i].Name}
	var each []Answer
	for _, w := range r.Worlds {
		each = append(each, w.Participants[i].answer())
	}
	v.Answer = overall(each)
	g, _ := r.Worlds[0].Participants[i].best()
	low, high, joining, atHome := g.Mean, g.Mean, "joining ", 0
	for _, w := range r.Worlds {
		g, home := w.Participants[i].best()
		low, high = min(low, g.Mean), max(high, g.Mean)
		if home {
			atHome++
		}
	}
	switch {
	case atHome == len(r.Worlds):
		joining = "joining, with a last step at home, "
	case atHome > 0:
		joining = "joining, in some worlds with a last step at home, "
	}
	change := joining + r.changes(float64(low), float64(high))
	switch least := r.much(float64(g.Least)); {
	case refused != "":
		v.Answer, v.Why = No, "its policy refuses: "+refused
	case v.Answer == No && r.tellNothing(i):
		v.Why = r.nothingTold(i)
	case v.Answer == No && onlyAfter:
		v.Answer, v.Why = NotClear, change+" where others' rows are drawn after its own, and such rows cannot show what others know"
	case v.Answer == Yes:
		v.Why = change
	case v.Answer == No:
		v.Why = change + " on average, which is surely no gain of " + least
	case slices.Contains(each, Yes):
		v.Why = change + ": it is worth it if rows are " + r.where(i, Yes)
	default:
		v.Why = change + " on average, and the trials do not tell whether it gains " + least
	}
	return v
}

// tellNothing reports whether the joined model is no better than a constant prediction in every world.
func (r *Rehearsal) tellNothing(i int) bool {
	return !slices.ContainsFunc(r.Worlds, func(w WorldResult) bool { return !w.Participants[i].tellsNothing() })
}

// ranks is the AUC above which a model with nearly constant predictions is said to rank rows.
const ranks = 0.6

// nothingTold describes this for the first world.
func (r *Rehearsal) nothingTold(i int) string {
	s := r.Worlds[0].Participants[i]
	if s.Rare == nil {
		return fmt.Sprintf("it explains nothing: the %s is %s, and always answering the mean has one as small", r.Measure.Name, r.much(float64(s.Joined.Mean)))
	}
	text := fmt.Sprintf("it does not tell the classes apart: the joined model finds %.3g of %.3g rows of class “%s”, on average, and its balanced accuracy is %.1f %%, where any constant answer has %.3g %%",
		float64(s.Rare.Joined.Found), float64(s.Rare.Rows), s.Rare.Class, 100*float64(s.Joined.Mean), 100/float64(r.Measure.Classes))
	if auc := float64(s.Rare.Joined.AUC); auc > ranks {
		text += fmt.Sprintf("; it ranks them better than a guess (AUC %.2f), and answers nearly all alike", auc)
	}
	return text
}

// changes describes how gains from low to high change the measure.
func (r *Rehearsal) changes(low, high float64) string {
	worse, better := "lower", "higher"
	if !r.Measure.Rising {
		worse, better = "larger", "smaller"
	}
	switch {
	case math.IsNaN(low) || math.IsNaN(high):
		return "cannot be compared with own rows alone: there are none"
	case low == high && low < 0:
		return fmt.Sprintf("makes the %s %s %s", r.Measure.Name, r.much(-low), worse)
	case low == high:
		return fmt.Sprintf("makes the %s %s %s", r.Measure.Name, r.much(low), better)
	case high <= 0:
		return fmt.Sprintf("makes the %s %s to %s %s", r.Measure.Name, r.bare(0-high), r.much(-low), worse)
	case low >= 0:
		return fmt.Sprintf("makes the %s %s to %s %s", r.Measure.Name, r.bare(low), r.much(high), better)
	}
	return fmt.Sprintf("makes the %s anything from %s %s to %s %s", r.Measure.Name, r.much(-low), worse, r.much(high), better)
}

// where names the worlds with an answer.
func (r *Rehearsal) where(i int, answer Answer) string {
	text := ""
	for _, w := range r.Worlds {
		if w.Participants[i].answer() == answer {
			if text != "" {
				text += "; "
			}
			text += w.Name
		}
	}
	return text
}

// much formats the size of a change, without a sign.
func (r *Rehearsal) much(x float64) string {
	if r.Measure.Share {
		return fmt.Sprintf("%.1f points", 100*x)
	}
	return three(x)
}

// bare is much without the unit.
func (r *Rehearsal) bare(x float64) string { return strings.TrimSuffix(r.much(x), " points") }

// three formats three digits, without an exponent if that is no longer.
func three(x float64) string {
	if size := math.Abs(x); size >= 1000 && size < 1e9 {
		unit := math.Pow(10, math.Floor(math.Log10(size))-2)
		return fmt.Sprintf("%.0f", math.Round(x/unit)*unit)
	}
	return fmt.Sprintf("%.3g", x)
}

// count returns the number of participants with an answer.
func (r *Rehearsal) count(a Answer) (n int) {
	for _, v := range r.Verdicts {
		if v.Answer == a {
			n++
		}
	}
	return n
}

// summed returns the answer for all in a sentence.
func (r *Rehearsal) summed() string {
	yes, no, open, all := r.count(Yes), r.count(No), r.count(NotClear), len(r.Verdicts)
	switch {
	case yes == all:
		return fmt.Sprintf("Joining is worth it for all %s.", r.people(all))
	case no == all && r.Measure.Classes > 0 && r.allTellNothing():
		return fmt.Sprintf("Joining is not worth it for any of the %s: the model does not tell the classes apart.", r.people(all))
	case no == all:
		return fmt.Sprintf("Joining is not worth it for any of the %s.", r.people(all))
	case open == all:
		return fmt.Sprintf("It is not clear whether joining is worth it, for any of the %s.", r.people(all))
	}
	return fmt.Sprintf("Of %s, joining is worth it for %d, not worth it for %d, and not clear for %d.", r.people(all), yes, no, open)
}

// allTellNothing reports whether tellNothing holds for all examined participants.
func (r *Rehearsal) allTellNothing() bool {
	for i := range r.Verdicts {
		if !r.tellNothing(i) {
			return false
		}
	}
	return true
}

func (r *Rehearsal) people(n int) string {
	word := "participants"
	if !r.Federated {
		word = "nodes"
	}
	if n < r.Participants {
		return fmt.Sprintf("%d %s that were looked at, of %d", n, word, r.Participants)
	}
	return fmt.Sprintf("%d %s", n, word)
}
