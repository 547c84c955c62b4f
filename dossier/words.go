package dossier

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Asked returns the question that the dossier answers.
func (d *Dossier) Asked() string {
	goal := "train a model"
	switch d.Model {
	case "mean":
		goal = "work out a sum or a mean"
	case "histogram":
		goal = "work out a histogram"
	}
	if d.Target != "" && d.Model != "histogram" {
		goal += " that predicts " + d.Target
	}
	if d.Whose != "" {
		return fmt.Sprintf("%s took part in a run with %d others, to %s. What can the others have learnt about the data of %s?", d.Whose, d.Count-1, goal, d.Whose)
	}
	return fmt.Sprintf("May %d %s %s together, given what each could learn about the data of the others?", d.Count, d.people(), goal)
}

func (d *Dossier) people() string {
	if d.Federated {
		return "participants"
	}
	return "nodes"
}

// protected returns the protected record, or that all data of a participant are protected.
func (d *Dossier) protected() string {
	if d.Claim.Record != "" {
		return d.Claim.Record
	}
	return "all the data of one participant together"
}

// Answers returns the answer in plain words, one paragraph an element.
func (d *Dossier) Answers() []string {
	c := &d.Claim
	all := []string{fmt.Sprintf("Protected is %s. %s %s", d.protected(), d.guess(), report.InGeneral(c.Record))}
	if strongest := d.everybody(); strongest != nil && strongest.Epsilon.Finite() && d.odds() {
		if strongest.Epsilon > c.Worst*(1+1e-9) || strongest.Guess > c.Guess*(1+1e-9) {
			all = append(all, fmt.Sprintf("If nothing is trusted of the others, and all put together what they see, %s", d.can(strongest.Epsilon, strongest.Guess)))
		} else {
			all = append(all, "That holds whoever puts together what, and whether or not others keep to the protocol.")
		}
	}
	if d.begins() != "" {
		all = append(all, "These numbers leave out the model of an earlier run with which this run begins, and which all see. Both losses add up for whoever took part in that run, or in one to which it goes back.")
	}
	switch {
	case c.Status == report.SoundIf && len(c.Assumptions) > 0:
		all = append(all, fmt.Sprintf("The numbers are sound if this is true, which nobody has checked: %s. They count for those who vouch for that, and for nobody else.", strings.TrimPrefix(c.Assumptions[0], privacy.Unchecked)))
	case c.Status != report.Sound:
		all = append(all, fmt.Sprintf("The numbers are %s: %s. No decision should rest on them; a plan with a sound accountant has others.", c.Status, c.Status.Meaning()))
	case c.Simulated && d.About == Planned:
		all = append(all, "The numbers are sound for a real run of this plan: upper bounds whose every step is defended, as long as the assumptions below hold. A simulation of it draws its noise from a seed, and protects nobody.")
	case c.Simulated:
		all = append(all, "The numbers are sound for the run that was simulated. Its noise came from a seed: neither its model nor its messages are protected, and a real run draws noise of its own.")
	default:
		all = append(all, "The numbers are sound: upper bounds whose every step is defended, as long as the assumptions below hold. They do not say that as much is learnt, only that no more can be.")
	}
	return all
}

// odds reports whether the metric bounds the odds of a guess. It does if delta is positive.
func (d *Dossier) odds() bool { return d.Claim.Delta > 0 }

// guess returns a sentence on how the worst loss limits a guess.
func (d *Dossier) guess() string {
	c := &d.Claim
	switch {
	case !c.Worst.Finite():
		return "Nothing bounds what others could learn: no noise protects anybody."
	case !d.odds():
		return fmt.Sprintf("Towards any one other the loss is at most %s (%s).", up(c.Worst), c.Metric)
	}
	return fmt.Sprintf("Suppose somebody knows all other data, and is undecided between two possibilities for it. Whatever one other %s sees in the run, %s",
		strings.TrimSuffix(d.people(), "s"), d.can(c.Worst, c.Guess))
}

// can returns a clause on how a loss limits an undecided observer. It begins with the bound on the guess if
// that is known. A guess of 0 is not known.
func (d *Dossier) can(eps Number, guess float64) string {
	proven := ""
	if guess > 0 {
		proven = fmt.Sprintf("its guess is right at most %s %% of the time, where a coin is right 50 %%, and ", report.Right(guess))
	}
	return fmt.Sprintf("%sits odds grow at most %s times (epsilon %s), but for a chance of 1 in %.0f.%s", proven, family.Odds(float64(eps)), up(eps),
		math.Floor(1/d.Claim.Delta*(1+1e-12)), hardly(eps))
}

// hardly returns a warning for a large epsilon, "" for others.
func hardly(eps Number) string {
	switch {
	case float64(eps) > family.HardlyAny:
		return " That is hardly any protection."
	case float64(eps) > math.Log(3):
		return fmt.Sprintf(" That is weak protection: in single cases even odds can become %s to 1.", family.Odds(float64(eps)))
	}
	return ""
}

// everybody returns the party of all others together, of whom nothing is trusted. It returns nil if
// there is none.
func (d *Dossier) everybody() *Party {
	for i := range d.Parties {
		if d.Parties[i].If == "nothing is trusted of them" {
			return &d.Parties[i]
		}
	}
	return nil
}

// Headline returns the dossier in one line.
func (d *Dossier) Headline() string {
	c := &d.Claim
	if !c.Worst.Finite() {
		return "Nothing bounds what others could learn."
	}
	if !d.odds() {
		return fmt.Sprintf("At most %s towards any one other, for %s.", up(c.Worst), d.protected())
	}
	if c.Guess > 0 {
		return fmt.Sprintf("For %s: a guess between two possibilities is right at most %s %% of the time (a coin: 50 %%), whatever any one other sees: epsilon %s.",
			d.protected(), report.Right(c.Guess), up(c.Worst))
	}
	return fmt.Sprintf("At most epsilon %s towards any one other, for %s: odds grow at most %s times.", up(c.Worst), d.protected(), family.Odds(float64(c.Worst)))
}

// up formats a loss, rounded up.
func up(x Number) string { return report.Loss(float64(x), report.Sound) }

// Commands returns questions with the commands that answer them.
func (d *Dossier) Commands() []Fact {
	var all []Fact
	add := func(what, command string) { all = append(all, Fact{what, command}) }
	add("Is this page unchanged, and who has signed it?", "hearsay dossier verify board.html")
	add("Are its numbers those of its spec?", "hearsay dossier verify board.html --recompute")
	if d.Federated {
		add("Is its spec the one that will run?", "hearsay dossier verify board.html --spec spec.yaml")
		who := d.Whose
		if who == "" && len(d.Participants) > 0 {
			who = d.Participants[0].Name
		}
		add("What would one participant lose, and does its policy accept that?", "hearsay plan spec.yaml --name "+who+" --policy "+who+".policy.yaml")
	} else {
		add("What would each pair lose?", "hearsay plan spec.yaml")
	}
	if len(d.Pair) > 0 {
		p := d.Pair[0]
		add("What would one learn about another, how sure, and why?", fmt.Sprintf("hearsay privacy explain spec.yaml --about %s --observer %s", short(p.About), short(p.Observer)))
	}
	if d.Whose != "" {
		add("Is the ledger whole?", "hearsay ledger verify FOLDER")
	}
	return all
}

// short returns the text that names a node on the command line: its own name if it has one.
func short(name string) string {
	if _, own, has := strings.Cut(strings.TrimSuffix(name, ")"), " ("); has {
		name = own
	}
	if name = strings.TrimPrefix(name, "node "); strings.ContainsAny(name, " '\"") {
		name = strconv.Quote(name)
	}
	return name
}
