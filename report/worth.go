package report

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
)

// aboveNothing is the number of standard errors by which a classifier must exceed chance. learnt is the share of the
// variance that a regression must explain. Models below are not credited with anything.
const (
	aboveNothing = 2
	learnt       = 0.01
)

// learntNothing reports whether the model is no better than a constant prediction. A classifier is no better if its
// balanced accuracy is within two standard errors of random predictions with the model's class frequencies.
func learntNothing(f *Final) bool {
	if c := f.Classification; c != nil && c.Balanced.Finite() {
		off, rest := 0.0, c.answered()
		for i, row := range c.Confusion {
			off += rest[i] * (1 - rest[i]) / sum(row)
		}
		k := float64(len(c.Confusion))
		return float64(c.Balanced) <= 1/k+aboveNothing*math.Sqrt(off)/k
	}
	if r := f.Regression; r != nil {
		return r.R2.Finite() && r.R2 < learnt
	}
	return false
}

// answered returns the share of rows for which each class is predicted.
func (c *Classification) answered() []float64 {
	shares, all := make([]float64, len(c.Confusion)), 0.0
	for _, row := range c.Confusion {
		for j, n := range row {
			shares[j] += n
			all += n
		}
	}
	for j := range shares {
		shares[j] /= all
	}
	return shares
}

func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

// constant returns the balanced accuracy of a constant prediction.
func (c *Classification) constant() float64 { return 1 / float64(max(2, len(c.Classes))) }

// humble returns the caveat that must stand beside an accuracy. It returns "" if there is no classification.
func humble(f *Final) string {
	c := f.Classification
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("Always answering “%s” would be right on %s.", majority(c), percent(float64(c.Majority)))
	switch {
	case !c.Balanced.Finite():
		return text + " One class does not occur among the test rows, so they cannot tell whether the model knows the classes apart."
	case learntNothing(f):
		return text + fmt.Sprintf(" The mean share found of each class is %s, where any constant answer has %s: this model has not learnt to tell the classes apart.",
			percent(float64(c.Balanced)), share(c.constant()))
	}
	return text + fmt.Sprintf(" The mean share found of each class is %s (any constant answer: %s).", percent(float64(c.Balanced)), share(c.constant()))
}

// share formats a percentage without needless digits.
func share(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

// Rarest returns the class with the fewest test rows, its number of rows, and how many are found. Numbers are means
// over trials. class is "" if classes are not known.
func (c *Classification) Rarest() (class string, rows, found float64) {
	if c == nil || len(c.Classes) != len(c.Confusion) {
		return "", 0, 0
	}
	for i, row := range c.Confusion {
		if n := sum(row); class == "" || n <= rows {
			class, rows, found = c.Classes[i], n, row[i]
		}
	}
	return class, rows, found
}

// majority returns the most frequent class among the test rows.
func majority(c *Classification) string {
	if len(c.Classes) != len(c.Confusion) {
		return "the more frequent class"
	}
	best := 0
	for i, row := range c.Confusion {
		if sum(row) > sum(c.Confusion[best]) {
			best = i
		}
	}
	return c.Classes[best]
}

// worth lists the models to compare the run's model with, usually the best last.
func worth(r *Result) []Worth {
	b := r.Baselines
	if b == nil {
		return nil
	}
	var rows []Worth
	add := func(name string, value Number, own string, note string) {
		if value.Finite() {
			rows = append(rows, Worth{name, measured(b, value), own, note})
		}
	}
	alone, joined, home := "", "", ""
	if b.Own != nil {
		alone, joined = measured(b, b.Own.Alone), measured(b, b.Own.Joined)
		if b.Own.AtHome {
			home = measured(b, b.Own.Home)
		}
	}
	add("an answer that looks at nothing", b.Constant, "", "")
	if a := b.Alone; a != nil {
		of := "mean of all " + count(a.Of)
		if a.Participants < a.Of {
			of = fmt.Sprintf("mean of %s of %s", count(a.Participants), count(a.Of))
		}
		name := "a participant alone"
		if a.Tuned {
			name += ", tuned"
		}
		if a.Participants > 1 {
			of += fmt.Sprintf("; from %s to %s", measured(b, a.Worst), measured(b, a.Best))
		} else if a.Of > 1 {
			of = "one of " + count(a.Of)
		}
		add(name, a.Mean, alone, of)
	}
	add("this run", b.Joined, joined, gain(b.Alone))
	if h := b.Home; h != nil {
		add("this run and a last step at home", h.Mean, home, fmt.Sprintf("each on its own rows, shown to nobody; from %s to %s", measured(b, h.Worst), measured(b, h.Best)))
	}
	if b.WithoutNoise != nil {
		add("this run without noise", b.Of(b.WithoutNoise), "", "")
	}
	if b.Curator != nil {
		add("a curator trusted with all rows", b.Of(b.Curator), "", "at the loss of this run's worst pair")
	}
	return rows
}

func gain(a *Alone) string {
	if a == nil {
		return ""
	}
	return fmt.Sprintf("better than alone for %s of participants", percent(float64(a.Gain)))
}

// measured formats a value of the measure.
func measured(b *Baselines, x Number) string {
	if b.Measure == BalancedAccuracy {
		return percent(float64(x))
	}
	return number(float64(x), 4)
}

// Of returns the measure of some scores. It returns NaN if they do not have it.
func (b *Baselines) Of(f *Final) Number {
	switch {
	case b.Measure == BalancedAccuracy && f.Classification != nil:
		return f.Classification.Balanced
	case b.Measure == TestRMSE && f.Regression != nil:
		return f.Regression.TestRMSE
	case b.Measure == TestLoss:
		return f.TestLoss
	case b.Measure == TrainLoss:
		return f.TrainLoss
	}
	return nan
}

// verdict answers whether joining is worthwhile. It returns "" if that is not known.
func verdict(r *Result) string {
	b := r.Baselines
	switch {
	case b == nil:
		return ""
	case learntNothing(&r.Final):
		return "The model is no better than an answer that looks at no feature: as it is, joining gives nothing."
	case b.Alone == nil || !b.Joined.Finite():
		return ""
	}
	text := onAll(b)
	if b.Own != nil {
		text += onOwn(b)
	}
	return text
}

// onAll answers by the test rows of all participants.
func onAll(b *Baselines) string {
	better, on := (b.Joined > b.Alone.Mean) == b.Rising && b.Joined != b.Alone.Mean, b.Measure+" on everybody’s rows"
	switch {
	case better && b.Alone.Gain > 0.5 && b.Own != nil:
		return fmt.Sprintf("By %s, joining is better for %s of the participants.", on, percent(float64(b.Alone.Gain)))
	case better && b.Alone.Gain > 0.5:
		return fmt.Sprintf("By %s, joining is worth it for %s of the participants.", on, percent(float64(b.Alone.Gain)))
	case better:
		return fmt.Sprintf("By %s, joining is better than the mean of what participants reach alone, but %s.", on, gainers(b.Alone))
	}
	return fmt.Sprintf("By %s, joining is not worth it: participants alone do better on average, and %s.", on, gainers(b.Alone))
}

// gainers describes how many participants do better than alone.
func gainers(a *Alone) string {
	if a.Gain == 0 {
		return "none of them gains"
	}
	return fmt.Sprintf("only %s of them gain", percent(float64(a.Gain)))
}

// onOwn answers by each participant's own rows, for which it would use a model.
func onOwn(b *Baselines) string {
	o := b.Own
	word := "it is worth it there"
	if !((o.Joined > o.Alone) == b.Rising && o.Joined != o.Alone) {
		word = "for their own rows it is not worth it"
	}
	text := fmt.Sprintf(" On their own rows, %s with joining and %s alone, %d of %d gain: %s.", measured(b, o.Joined), measured(b, o.Alone),
		int(math.Round(float64(o.Gain)*float64(len(o.Each)))), len(o.Each), word)
	if o.JoinedRight.Finite() {
		of := "Of"
		if (o.JoinedRight > o.AloneRight) != (o.Joined > o.Alone) {
			of = "By plain accuracy it is the other way round: of"
		}
		text += fmt.Sprintf(" %s their own rows %s are answered rightly with joining, %s alone.", of, o.within(o.JoinedRight, o.JoinedReach), o.within(o.AloneRight, o.AloneReach))
		if caution := spread.Caution(o.Trials, 1); caution != "" {
			text += " " + caution
		}
	}
	return text + atHome(b)
}

// atHome answers for participants who fit the joined model to their own rows.
func atHome(b *Baselines) string {
	o := b.Own
	if !o.AtHome {
		return ""
	}
	text := fmt.Sprintf(" After a last step at home, which costs no privacy as long as neither it nor its answers are shown to anybody, they reach %s there, and %d of %d gain over alone.",
		measured(b, o.Home), int(math.Round(float64(o.HomeGain)*float64(len(o.Each)))), len(o.Each))
	if o.HomeRight.Finite() {
		text += fmt.Sprintf(" %s of their own rows are answered rightly.", o.within(o.HomeRight, o.HomeReach))
	}
	return text
}

// within formats a share with the 95 % interval over trials, if there are several.
func (o *OnOwn) within(share, reach Number) string {
	if !reach.Finite() {
		return percent(float64(share))
	}
	return fmt.Sprintf("%s (± %s over %d trials)", percent(float64(share)), percent(float64(reach)), o.Trials)
}
