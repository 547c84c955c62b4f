package rehearse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/report"
)

// An Answer is whether joining is worth it for one participant.
type Answer string

// The answers.
const (
	Yes      Answer = "yes"
	No       Answer = "no"
	NotClear Answer = "not clear"
)

// Confidence is that of the intervals.
const Confidence = spread.Confidence

// A Spread is a mean over trials.
type Spread struct {
	Mean report.Number `json:"mean"`
	Std  report.Number `json:"std"` // over trials; 0 of one
}

// spreadOf is that of some values.
func spreadOf(of []float64) Spread {
	mean, square := spread.Moments(known(of))
	return Spread{report.Number(mean), report.Number(square)}
}

// known are the values of trials in which there was something to measure.
func known(of []float64) (values []float64) {
	for _, x := range of {
		if !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	return values
}

// A Gain is what joining gives beside own rows alone, trial by trial on the same rows; above
// 0 it is better.
type Gain struct {
	Mean   report.Number `json:"mean"`
	Low    report.Number `json:"low"` // of the interval of the mean, at Rehearsal.Confidence; infinite of one trial
	High   report.Number `json:"high"`
	Wins   float64       `json:"wins"`  // share of trials in which joining was better
	Least  report.Number `json:"least"` // what is worth joining for
	Answer Answer        `json:"answer"`
}

// judge compares gains with the least that is worth joining for: yes where the whole interval
// of their mean (Student's) is above it, no where all of it is below. sides is how many answers the better one is taken of: their
// intervals hold together at Confidence, so that a second chance makes a wrong yes no likelier.
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

// overall is the answer of several worlds, nobody knowing which is true.
func overall(each []Answer) Answer {
	for _, answer := range []Answer{Yes, No} {
		if !slices.ContainsFunc(each, func(a Answer) bool { return a != answer }) {
			return answer
		}
	}
	return NotClear
}

// A Verdict is the answer for one participant, and why.
type Verdict struct {
	Participant string `json:"participant"`
	Answer      Answer `json:"answer"`
	Why         string `json:"why"`
}

// verdict weighs all worlds; refused is why its policy refuses, "" if it does not.
func (r *Rehearsal) verdict(i int, refused string, onlyAfter bool) Verdict {
	v := Verdict{Participant: r.Worlds[0].Participants[i].Name}
	var each []Answer
	for _, w := range r.Worlds {
		each = append(each, w.Participants[i].answer())
	}
	v.Answer = overall(each)
	g, _ := r.Worlds[0].Participants[i].best()
	low, high, joining := g.Mean, g.Mean, "joining "
	for _, w := range r.Worlds {
		g, home := w.Participants[i].best()
		low, high = min(low, g.Mean), max(high, g.Mean)
		if home {
			joining = "joining, with a last step at home, "
		}
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
		v.Why = change + ", and the trials do not tell whether it gains " + least
	}
	return v
}

// tellNothing reports whether the joined model is no better than a constant answer in every world.
func (r *Rehearsal) tellNothing(i int) bool {
	return !slices.ContainsFunc(r.Worlds, func(w WorldResult) bool { return !w.Participants[i].tellsNothing() })
}

// ranks is the AUC above which a model that answers all alike is said to rank rows.
const ranks = 0.6

// nothingTold says that of the first world.
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

// changes says what becomes of the measure by gains from low to high.
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
		return fmt.Sprintf("makes the %s %s to %s %s", r.Measure.Name, r.bare(-high), r.much(-low), worse)
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

// much writes how much something changes, without a sign.
func (r *Rehearsal) much(x float64) string {
	if r.Measure.Share {
		return fmt.Sprintf("%.1f points", 100*x)
	}
	return three(x)
}

// bare is much without its unit.
func (r *Rehearsal) bare(x float64) string { return strings.TrimSuffix(r.much(x), " points") }

// three writes three digits, without an exponent where that is no longer.
func three(x float64) string {
	if size := math.Abs(x); size >= 1000 && size < 1e9 {
		unit := math.Pow(10, math.Floor(math.Log10(size))-2)
		return fmt.Sprintf("%.0f", math.Round(x/unit)*unit)
	}
	return fmt.Sprintf("%.3g", x)
}

// count is how many participants have an answer.
func (r *Rehearsal) count(a Answer) (n int) {
	for _, v := range r.Verdicts {
		if v.Answer == a {
			n++
		}
	}
	return n
}

// summed is the answer for all in a sentence.
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

// allTellNothing reports whether that is so of all who were looked at.
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
