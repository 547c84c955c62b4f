package design

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// explain sets, in words, why the winner won and why each other family lost.
func (d *Design) explain() {
	won := &d.Plans[0]
	most := ""
	if walking(won.candidate.algorithm["kind"]) {
		most = "at most "
	}
	d.Won = fmt.Sprintf("%s wins: %s %s on %d rows that nobody learnt from, with %s%s of each participant, some %s and %d messages.",
		capital(won.Called()), d.unit(), d.Measured(won.Utility), d.venue.bases[false].Test.Len(), most, contributions(won.Rounds), took(won.Seconds), won.Messages)
	score := float64(won.Utility.Score)
	if never := d.venue.constant(); !(min(float64(won.Utility.Low), score-d.venue.luck(score)) > never) {
		none := "No plan"
		if float64(won.Utility.Low) > never { // its interval is above, and over trials alone
			none = "Test rows are so few that no plan"
		}
		d.Won = fmt.Sprintf("%s is clearly better than to give always the same answer, which has %s %.3f on these rows: as they are, these wishes are not worth a run. %s",
			none, d.unit(), math.Abs(never), d.Won)
	}
	if !d.wishes.Goal.meets(float64(won.Utility.Score)) {
		d.Won = "The plan reaches the goal on the rows that it was chosen by, and not on those shown here. " + d.Won
	}
	d.Why = fmt.Sprintf("What asks for its noise is the wish “%s”.", won.Binding)
	if next := d.next(); next != nil {
		d.Why += " " + d.against(next)
	}
	for i := range d.Plans {
		if p := &d.Plans[i]; p.Share == 1 && i > 0 && p.Family != won.Family {
			p.Lost = d.against(p)
		}
	}
	d.note()
}

// covers states the metric and the unit of a spec's losses, and whether they count that the final model is shown.
func covers(p *experiment.Priced, m privacy.Metric) string {
	whose := "all the data of one participant"
	if p.Spec.Records() {
		whose = p.Spec.OneRecord()
	}
	text := fmt.Sprintf("Losses are %s. They compare data sets that differ in %s, replaced by any other.", m, whose)
	if p.Accounting.Own().ModelCharged {
		return text + " They count that everybody sees the final model."
	}
	return text + " They do not count that anybody else sees the final model: showing it is a release of its own."
}

// mostLosses is the number of losses that are shown one by one. Of more, the fewLosses nearest to their limits are.
const mostLosses, fewLosses = 40, 20

// Nearest returns the losses that are shown: all, or of many those nearest to their limits.
func (d *Design) Nearest() []Loss {
	if len(d.Losses) <= mostLosses {
		return d.Losses
	}
	return d.byShare()[:fewLosses]
}

// Others states what is spent of the limits that are not shown, "" where all are.
func (d *Design) Others() string {
	if len(d.Losses) <= mostLosses {
		return ""
	}
	first := d.byShare()[fewLosses]
	return fmt.Sprintf("These are the %d nearest to their limits. All %d other wishes are kept: at most %.1f %% of each is spent. hearsay design with --json lists them.",
		fewLosses, len(d.Losses)-fewLosses, math.Ceil(1000*first.part())/10)
}

// byShare sorts the losses by the part of the limit that is spent, the largest first.
func (d *Design) byShare() []Loss {
	return slices.SortedStableFunc(slices.Values(d.Losses), func(a, b Loss) int { return cmp.Compare(b.part(), a.part()) })
}

// part returns the part of the limit that is spent.
func (l Loss) part() float64 {
	if l.Limit == 0 {
		return 1
	}
	return float64(l.Spent) / l.Limit
}

// next returns the best plan of another family, at all of the limits.
func (d *Design) next() (next *Plan) {
	for i := range d.Plans {
		p := &d.Plans[i]
		if p.Share == 1 && p.Family != d.Plans[0].Family && (next == nil || p.Utility.Score > next.Utility.Score) {
			next = p
		}
	}
	return next
}

// against compares a plan with the winner, in words.
func (d *Design) against(p *Plan) string {
	won := &d.Plans[0]
	mine, theirs := won.perStep(), p.perStep()
	text := fmt.Sprintf("%s has %s %s", capital(p.Called()), d.unit(), d.Measured(p.Utility))
	switch {
	case p.candidate.rate != won.candidate.rate:
		text += ": one of both is ADMM, and their noise is not comparable"
	case theirs > mine*1.02:
		text += fmt.Sprintf(": for as many contributions it asks for %.0f %% more noise, because of “%s”", 100*(theirs/mine-1), p.Binding)
	case theirs < mine*0.98:
		text += fmt.Sprintf(": for as many contributions it asks for %.0f %% less noise, and makes less of them", 100*(1-theirs/mine))
	default:
		text += ": for as many contributions it asks for the same noise, and makes less of them"
	}
	if steps := p.Family == oneToken || p.Family == tokens; steps {
		text += "; a step of a walk has the gradient and the noise of one participant, and not the mean of all"
	}
	if p.Family == cancelling {
		text += "; the noise that partners share comes on top, until averaging cancels it"
	}
	if p.Utility.High >= won.Utility.Low && won.Utility.High >= p.Utility.Low {
		text += ". The intervals of both overlap"
	}
	switch {
	case p.Utility.Score < won.Utility.Score:
	case p.Chosen > won.Chosen: // see swiftest
		text += fmt.Sprintf(". On the rows that plans were chosen by it is within %g %% of the winner, which counts as equal, and it takes longer", 100*even)
	default:
		text += ". It was not ahead on the rows that plans were chosen by"
	}
	return text + "."
}

// perStep returns the noise multiplier over the square root of the contributions: Gaussian noise that costs as much for any number.
func (p *Plan) perStep() float64 { return p.Sigma / math.Sqrt(float64(p.Rounds)) }

// Measured writes a utility with its interval. An error is written above 0.
func (d *Design) Measured(u Utility) string {
	if d.Measure != report.BalancedAccuracy {
		u.Score, u.Low, u.High = -u.Score, -u.High, -u.Low
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", float64(u.Score), float64(u.Low), float64(u.High))
}

// Column names the measure above a column.
func (d *Design) Column() string { return strings.TrimSuffix(d.Measure, ", below 0") }

// unit names the measure in a sentence.
func (d *Design) unit() string {
	if d.Measure == report.BalancedAccuracy {
		return d.Measure
	}
	return "root mean squared error"
}

// took writes an estimated time.
func took(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.2g minutes", seconds/60)
	}
	return fmt.Sprintf("%.3g hours", seconds/3600)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// note adds the conditions of the result.
func (d *Design) note() {
	d.Notes = append(slices.Clone(d.venue.bases[false].Federation.Notes), // where rows are made up, they say so
		"The noise of a plan is the least with which no wish is broken, by a sound accountant. The spec was read from its file, priced as hearsay plan does, and compared with every wish. "+
			"What these losses assume, such as that others follow the protocol, hearsay plan lists.",
		"Plans were chosen on a part of the training rows, or on other rows where rows are generated. Scores shown are means over trials on test rows, with 95 % intervals."+d.single(),
		"No loss here covers the choice of the plan or these scores: rows to rehearse on should be made up or public. Where they are participants' own, both tell of them.",
		"Times are estimates from latencies: computing is not counted.",
		"Whether joining is better for somebody than its own rows alone is another question: hearsay rehearse answers it.")
	if strings.Contains(d.Plans[0].Family, "cancels") {
		d.Notes = append(d.Notes, "Noise that cancels holds towards participants who follow the protocol, and rests on secrets that partners keep (docs/PAIRWISE.md).")
	}
	if k := d.wishes.Absent; k > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("Limits hold whoever misses steps, %d at most. In rehearsals each participant misses a step with probability %.3g.", k, float64(k)/float64(len(d.wishes.Participants))))
	}
	own := d.Plans[0].candidate.own
	for _, u := range slices.Sorted(maps.Keys(own)) {
		d.Notes = append(d.Notes, fmt.Sprintf("%s clips at %.2g %% of the clip of others (privacy.limits): it gives at most that share of their largest contribution to a step.",
			d.wishes.Participants[u].Name, 100*own[u]))
	}
	if d.wishes.Curator != "" {
		d.Notes = append(d.Notes, fmt.Sprintf("No wish limits what the curator, %s, learns.", d.wishes.Curator))
	}
}

// single says how much single runs of the winner differ. The interval of a mean does not say it.
func (d *Design) single() string {
	all := scored(d.Plans[0].candidate.scores)
	if len(all) == 0 {
		return ""
	}
	low, high := slices.Min(all), slices.Max(all)
	if d.Measure != report.BalancedAccuracy {
		low, high = -high, -low
	}
	text := fmt.Sprintf(" Single runs differ by more: the winner's %d trials score from %.3f to %.3f.", len(all), low, high)
	if d.venue.bases[false].Resplit == nil {
		text += " All trials have the same rows: the intervals do not count that test rows are few."
	}
	return text
}
