package family

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// A Paragraph is one section of an explanation.
type Paragraph struct {
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// PutIntoWords sets the text of an explanation for readers who are not experts. It rounds every number up.
func (e *Explanation) PutIntoWords(notes []string) {
	about, observer := e.AboutName, e.ObserverName
	e.Text = []Paragraph{
		{"What " + observer + " could tell about " + about, e.odds(about, observer)},
		{"How far this can be trusted", e.trust(about, observer)},
		{"Why", e.reasons(about, observer)},
		{"What would lower it", e.advice()},
		{"To keep in mind", strings.Join(notes, " ")},
	}
}

// odds states epsilon and delta as odds. By Kairouz, Oh and Viswanath (2015) an (eps, delta) bound reveals no more than
// an informant who tells all with probability delta, and otherwise gives an answer of odds e^eps.
func (e *Explanation) odds(about, observer string) string {
	if e.Epsilon == 0 {
		return fmt.Sprintf("Next to nothing: epsilon 0 at delta %g. If %s knows all other data, what it sees in this run changes no odds between two possibilities for %s, "+
			"but for a chance of at most 1 in %s. %s", e.Delta, observer, e.secret(about), oneIn(e.Delta), report.InGeneral(e.Record))
	}
	return fmt.Sprintf("Suppose %s knows all data but %s, and is undecided between two possibilities for it. Whatever it sees in this run, its guess is right at most "+
		"%s %% of the time, where a coin is right 50 %%. The odds between any two possibilities grow at most %s times (epsilon %s): a suspicion of 1 in 100 becomes at most "+
		"%s %%.%s To be exact (delta %g): %s learns no more than from an informant who tells the whole "+
		"truth with a chance of 1 in %s, and otherwise gives an answer worth those odds. %s",
		observer, e.secret(about), report.Right(e.Certainty), times(e.Epsilon), roundUp(e.Epsilon), percentUp(e.Epsilon, 1.0/99), e.warning(), e.Delta, observer, oneIn(e.Delta),
		report.InGeneral(e.Record))
}

// secret names the protected data of a node.
func (e *Explanation) secret(about string) string {
	if e.Record == "" {
		return "the data of " + about
	}
	return e.Record + " at " + about
}

// changing names the data whose change the noise is a multiple of.
func (e *Explanation) changing() string {
	if e.Record == "" {
		return "its data"
	}
	return e.Record
}

// HardlyAny is the epsilon of odds of 19 to 1. A bound above it protects hardly anybody.
var HardlyAny = math.Log(19)

func (e *Explanation) warning() string {
	if e.Epsilon < HardlyAny {
		return ""
	}
	return " That is hardly any protection."
}

func (e *Explanation) trust(about, observer string) string {
	whose := "its noise"
	if e.Why.Charged == "" {
		whose = "the noise of all"
	}
	if e.Rate > 0 {
		whose += ", and who is in its batches,"
	}
	claim := fmt.Sprintf("The numbers are %s upper bounds with a proof, for any data of %s and whatever else %s may know, as long as nodes run "+
		"the agreed program, which limits what their data can change before it adds the noise, and %s stays secret. ", e.provided(), about, observer, whose)
	if e.Why.Leakage > 0 {
		return claim + fmt.Sprintf("They are exact for Gaussian noise and for all that %s receives, put together in the cleverest way; they hold for %s alone, "+
			"not if it pools what it sees with others.", observer, observer) + e.printed()
	}
	if e.Why.Cancels > 0 {
		attained := "They are exact for Gaussian noise and for an observer who sees every message of the run"
		if e.Why.Absent > 0 {
			attained = fmt.Sprintf("They count on an observer who sees every message of the run, "+
				"while in each step up to %d of the others are missing, those whose absence shows most, and the noise that they share is revealed", e.Why.Absent)
		}
		claim += attained + fmt.Sprintf("; they hold for %s alone, not if it puts together with "+
			"others what it knows of the noise, and they count on the secrets that partners share.", observer)
	} else if e.Why.Charged != "" {
		claim += fmt.Sprintf("They count every contribution as if all the world saw it, because %s; so they hold even if others pool what they see.", e.Why.Charged)
	} else {
		claim += fmt.Sprintf("They count on the noise of other nodes too, which was checked to work for this kind of model and step size. "+
			"They hold for %s alone: not if it pools what it sees with others, nor if averages of the model are handed out besides.", observer)
	}
	return claim + e.attacked() + e.printed() + e.alone()
}

// provided returns the status of the bounds, and what they count on if nobody has checked it.
func (e *Explanation) provided() string {
	if e.Status != report.SoundIf {
		return string(e.Status) + ":"
	}
	return "sound if this is true, which nobody has checked: " + strings.TrimPrefix(e.Assumptions[0], privacy.Unchecked) + ". Then they are"
}

// alone states the pair's bound computed alone, if that is known.
func (e *Explanation) alone() string {
	if e.Alone == nil {
		return ""
	}
	return fmt.Sprintf(" Worked out alone, the bound of this pair is epsilon %s; plan, page and tables price all pairs together and say %s.",
		roundUp(*e.Alone), roundUp(e.Epsilon))
}

// attacked states the loss that an attack attains.
func (e *Explanation) attacked() string {
	if e.Audit == nil {
		return ""
	}
	return fmt.Sprintf(" No better analysis will find less than epsilon %s: an explicit attack, on losses that the theory allows, attains that much.", report.Loss(*e.Audit, report.Audit))
}

// printed states the loss of the formula in print.
func (e *Explanation) printed() string {
	if e.Published == nil {
		return ""
	}
	return fmt.Sprintf(" The formula in print gives %s for this pair; it is no proven bound, and nothing here rests on it.", report.Loss(*e.Published, report.Published))
}

func (e *Explanation) reasons(about, observer string) string {
	w := e.Why
	if w.Leakage > 0 {
		return e.leaks(about, observer)
	}
	steps := fmt.Sprintf("%d steps", w.Steps)
	if w.Tokens > 1 {
		steps = fmt.Sprintf("%d steps of each of %d models that walk at once", w.Steps, w.Tokens)
	}
	visits := ""
	if w.Visits > 0 {
		visits = fmt.Sprintf(" (a node is visited about %.3g times)", w.Visits)
	}
	use := fmt.Sprintf("%s uses its data at most %d times in %s%s; afterwards it adds noise only. ", capital(about), w.Contributions, steps, visits)
	if w.Random {
		use += fmt.Sprintf("Each time its answer is a random one with probability %.4g.", w.Sigma)
	} else {
		use += fmt.Sprintf("Each time it adds %s.", e.noise())
	}
	use += e.sampled()
	public := fmt.Sprintf(" If everybody saw all of these contributions, epsilon would be %s.", roundUp(w.Local))
	if w.Charged != "" {
		return use + public + " Distance and the noise of others count for nothing here."
	}
	if w.Cancels > 0 {
		return e.cancels(about, observer, public)
	}
	if w.Flow {
		return e.flows(about, observer, public)
	}
	if w.Among > 0 {
		return use + public + fmt.Sprintf(" But %s sees only what the variables of %d nodes sum to, each with noise of its own: all that it sees is worth at most %s contributions seen bare.",
			observer, w.Among, roundUp(w.Seen)) + w.release()
	}
	seen := fmt.Sprintf(" But %s sees the model only when its turn comes, after others have added their noise: what it sees is worth, on average, "+
		"at most %s contributions seen bare.", observer, roundUp(w.Seen))
	return use + " " + e.distance(about, observer) + public + seen + w.release() + w.sender(observer)
}

// noise states the noise of a contribution over the change of its data.
func (e *Explanation) noise() string {
	w := e.Why
	if w.Fresh > 0 {
		return fmt.Sprintf("fresh noise of %.4g times what %s can change, combined with noise of earlier steps (worth independent noise of %.4g times)", w.Fresh*w.Sigma, e.changing(), w.Sigma)
	}
	return fmt.Sprintf("noise of %.4g times what %s can change", w.Sigma, e.changing())
}

// cancels describes the effect of noise that partners share.
func (e *Explanation) cancels(about, observer, public string) string {
	w := e.Why
	secrets := "it knows the noise of none of its secrets"
	if w.Partners {
		secrets = "it knows the noise of the secret that the two share"
	}
	hidden := "sums of many nodes' messages are all that is free of what they share, and " + secrets
	if w.Bare {
		hidden = fmt.Sprintf("%s can know the noise of all secrets of %s, so that they hide nothing from it", observer, about)
	}
	return fmt.Sprintf("%s uses its data at most %d times. Each time it adds %s, and for each partner noise %.4g times as large "+
		"that the partner subtracts.%s%s But %s: all that %s sees is worth %s contributions seen bare.",
		capital(about), w.Contributions, e.noise(), w.Cancels, e.sampled(), public, hidden, observer, roundUp(w.Seen))
}

// sampled states the probability with which a record is in a node's messages.
func (e *Explanation) sampled() string {
	if e.Rate == 0 {
		return ""
	}
	return fmt.Sprintf(" A row is in it with probability %.4g only, by a coin that is tossed anew each time and that nobody else sees.", e.Rate)
}

func (e *Explanation) distance(about, observer string) string {
	switch w := e.Why; {
	case w.Hops < 0:
		return fmt.Sprintf("There is no way from %s to %s.", about, observer)
	case w.Between == 0:
		return fmt.Sprintf("%s is a neighbour, 1 hop away: the model may come straight from %s, covered by no noise but its own.", capital(observer), about)
	default:
		return fmt.Sprintf("%s is %d hops away: between the two, at least %s noise as well.", capital(observer), w.Hops, adds(w.Between))
	}
}

func (w Why) release() string {
	if w.Final {
		return " The last model is shown to everybody, and that is counted."
	}
	return ""
}

func (w Why) sender(observer string) string {
	if w.Sender == "hidden" {
		return fmt.Sprintf(" %s is not told who handed it the model, but nothing rests on that: the bound lets it know the whole path.", capital(observer))
	}
	return fmt.Sprintf(" %s knows who handed it the model, and the bound lets it know the whole path.", capital(observer))
}

// advice states the epsilon that each remedy would give.
func (e *Explanation) advice() string {
	var b strings.Builder
	for _, r := range e.Remedies {
		fmt.Fprintf(&b, "With %s, epsilon would be at most %s instead of %s. ", r.Change, roundUp(r.Epsilon), roundUp(e.Epsilon))
	}
	b.WriteString("All else, the noise too, would stay as it is. Fewer contributions and more noise cost accuracy: try them with hearsay run.")
	if e.limited {
		b.WriteString(" Its clip follows from its limit (privacy.limits) and is taken as given here: write it as clip instead of eps, or it grows until the limit is reached again.")
	}
	return b.String()
}

// flows gives the reasons for gossip with noise on every message.
func (e *Explanation) flows(about, observer, public string) string {
	w := e.Why
	if w.Turns > 1 {
		return fmt.Sprintf("%s uses its data in each of %d rounds. Every node draws fresh noise of %.4g times what %s can change once a round, and then averages %d times on it. ", capital(about),
			w.Steps, w.Sigma, e.changing(), w.Turns) + e.distance(about, observer) + public + fmt.Sprintf(" But %s sees sums of noisy values, and what they hide of a round is covered "+
			"with new noise in the next: all that it sees is worth at most %s contributions seen bare.", observer, roundUp(w.Seen)) + w.finals()
	}
	use := fmt.Sprintf("%s uses its data in each of %d rounds, and every message has fresh noise of %.4g times what %s can change. ", capital(about),
		w.Steps, w.Sigma, e.changing())
	if w.Between == 0 && w.Hops >= 0 {
		return use + fmt.Sprintf("%s is a neighbour and is sent all of these messages, covered by no noise but their own.", capital(observer)) + public + w.finals()
	}
	return use + e.distance(about, observer) + public + fmt.Sprintf(" But what comes to %s has been averaged and covered with noise on the way, anew at every hop: "+
		"all that it sees is worth at most %s contributions seen bare.", observer, roundUp(w.Seen)) + w.finals()
}

// finals says that the last models of all nodes are counted, if everybody is shown them.
func (w Why) finals() string {
	if w.Final {
		return " The models that all nodes end with are shown to everybody, and that is counted."
	}
	return ""
}

// leaks gives the reasons for averaging.
func (e *Explanation) leaks(about, observer string) string {
	w := e.Why
	use := fmt.Sprintf("%s adds noise of %.4g times what %s can change to its value, once, and then only takes averages with its neighbours, %d times. ",
		capital(about), w.Sigma, e.changing(), w.Steps)
	if w.Between == 0 {
		use += fmt.Sprintf("%s is a neighbour, and is sent that noisy value as it is: its own noise is all that covers it.", capital(observer))
	} else {
		use += fmt.Sprintf("%s is %d hops away and sees averages only. From all of them together it can work out a share of %s of that noisy value (in squared length); "+
			"the rest is hidden behind other nodes' values and noise.", capital(observer), w.Hops, percent(w.Leakage))
	}
	return use + fmt.Sprintf(" If everybody saw the noisy value, epsilon would be %s.", roundUp(w.Local))
}

// percent writes a share in per cent, rounded up to a tenth.
func percent(share float64) string {
	return strconv.FormatFloat(math.Ceil(1000*share*(1-1e-12))/10, 'f', 1, 64) + " %"
}

// adds says that n nodes add a thing of their own.
func adds(n int) string {
	if n == 1 {
		return "1 other node adds its"
	}
	return fmt.Sprintf("%d other nodes add their", n)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// oneIn writes 1/delta, rounded down, so that the stated chance 1 in N is never below delta.
func oneIn(delta float64) string {
	return strconv.FormatFloat(math.Floor(1/delta*(1+1e-12)), 'f', -1, 64)
}

// times writes e^eps, rounded up.
func times(eps float64) string {
	if eps < math.Log(1e6) {
		return roundUp(math.Exp(eps))
	}
	return fmt.Sprintf("10^%.0f", math.Ceil(eps/math.Ln10))
}

// Odds writes e^epsilon, the largest factor on the odds of a guess, rounded up.
func Odds(epsilon float64) string { return times(epsilon) }

// percentUp returns the probability, in per cent, of odds that grow by e^eps, rounded up to a tenth.
func percentUp(eps, odds float64) string {
	return strconv.FormatFloat(math.Ceil(1000/(1+math.Exp(-eps)/odds))/10, 'f', 1, 64)
}

// roundUp writes a loss, or another bound, so that the text is not smaller than x.
func roundUp(x float64) string { return report.Loss(x, report.Sound) }
