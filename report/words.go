package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Figure is a number in a large font.
type Figure struct{ Label, Value, Note string }

// besideAccuracy returns the accuracy of a constant prediction as text.
func besideAccuracy(f *Final) string {
	if f.Classification == nil {
		return ""
	}
	return "; always answering the larger class: " + percent(float64(f.Classification.Majority))
}

// lossFigure returns the loss on test rows, or on training rows if there are no test rows.
func lossFigure(r *Result) Figure {
	train := number(float64(r.Final.TrainLoss), 4)
	if !r.Final.TestLoss.Finite() {
		return Figure{"training loss", train, "no rows were kept for testing"}
	}
	return Figure{r.Data.Tested() + " loss", number(float64(r.Final.TestLoss), 4), "training " + train}
}

// lossFigures returns the mean, the worst pair, the worst non-neighbours and the worst coalition in the same size. Only
// non-neighbours are protected by their position in the graph.
func lossFigures(p *Privacy) (list []Figure) {
	for _, a := range headline(p) {
		said := func(loss float64, of Status) string {
			return lossSymbol(*p) + " " + relation(of) + " " + bound(loss, a.Status)
		}
		by := "accountant " + a.Accountant
		list = append(list, Figure{"mean pair, " + string(a.meanStatus()), said(float64(a.Mean), a.meanStatus()), by},
			Figure{"worst pair, " + string(a.Status), said(float64(a.Max), a.Status), by})
		if far := a.MaxBeyondNeighbours; far != nil {
			list = append(list, Figure{"worst beyond neighbours, " + string(a.Status), said(float64(*far), a.Status), by})
		}
	}
	if c := p.Coalition; c != nil {
		list = append(list, Figure{fmt.Sprintf("worst of any %d together, %s", c.Size, c.Status), lossSymbol(*p) + " " + relation(c.Status) + " " + bound(float64(c.Max), c.Status),
			"honest but curious, and pool what they see; mean over nodes " + bound(float64(c.Mean), c.Status)})
	}
	return list
}

// scores returns the scores of the model. of says on which rows.
func scores(r *Result, of string) (list []Figure) {
	if a := r.Final.TestAccuracy; a != nil {
		list = append(list, Figure{r.Data.Tested() + " accuracy", percent(*a), of + besideAccuracy(&r.Final)})
	}
	if c := r.Final.Classification; c != nil && c.Balanced.Finite() {
		list = append(list, Figure{"balanced accuracy", percent(float64(c.Balanced)), "mean share found of each class; a constant answer has " + share(c.constant())})
	}
	if class, rows, found := r.Final.Classification.Rarest(); rows > 0 {
		list = append(list, Figure{"found of “" + class + "”", few(found, rows) + " of " + few(rows, rows), "rows of the rarest class that the model calls so"})
	}
	if e := r.Final.Regression; e != nil && e.TestRMSE.Finite() {
		list = append(list, Figure{"test error (RMSE)", number(float64(e.TestRMSE), 4),
			fmt.Sprintf("in units of %s; always the mean: %s", e.Label, number(float64(e.MeanRMSE), 4))})
	}
	return append(list, lossFigure(r))
}

// few formats a mean number of rows, as an integer if there are many.
func few(n, of float64) string {
	if of >= 20 && n >= 1 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.2g", n)
}

// WhoHasMean says who has the mean of all models.
func (f *Final) WhoHasMean() string {
	if f.Shown {
		return "everybody can take of the models that are shown"
	}
	return "nobody has"
}

// figures returns the numbers that summarise a run.
func figures(r *Result) []Figure {
	p := &r.Privacy
	of := "mean of " + plural(len(r.Trials), "trial")
	switch r.Final.Scored {
	case ScoredOwn:
		of += " and of what each node has"
	case ScoredTokens:
		of += " and of the tokens, which are kept apart"
	case ScoredMean:
		of += "; of the nodes’ mean model, which " + r.Final.WhoHasMean()
	}
	list := scores(r, of)
	if m := r.Final.MeanModel; m != nil && m.TestAccuracy != nil {
		list = append(list, Figure{"accuracy of the mean model", percent(*m.TestAccuracy), "of all " + r.Final.Scored.owners() + "’ models, which " + r.Final.WhoHasMean()})
	}
	if c := r.Final.Consensus; c != nil {
		list = append(list, Figure{"consensus", number(float64(*c), 3), "mean squared distance of the " + r.Final.Scored.owners() + "' models from their mean"})
	}
	list = append(list, lossFigures(p)...)
	if p.Sigma > 0 {
		list = append(list, Figure{"noise multiplier σ", number(p.Sigma, 4), p.Deviation()})
	}
	if t := r.Simulated; t != nil {
		list = append(list, Figure{"simulated time", duration(float64(t.Seconds)), t.serial()})
	}
	return append(list, Figure{"steps per trial", count(r.Steps), fmt.Sprintf("%s per second, %s in all",
		count(int(r.StepsPerSecond)), r.took())})
}

// took describes the duration of a run, and the part for scoring.
func (r *Result) took() string {
	if r.ScoringSeconds == 0 {
		return duration(r.WallSeconds)
	}
	return fmt.Sprintf("%s, of which %s scoring", duration(r.WallSeconds), duration(r.ScoringSeconds))
}

// serial describes the time saved by several tokens.
func (s *Seconds) serial() string {
	if s.Serial == s.Seconds {
		return "by the latency of the spec"
	}
	return duration(float64(s.Serial)) + " if one token went after the other"
}

func (s *Seconds) words() string { return duration(float64(s.Seconds)) + ", " + s.serial() }

// headline returns the calibrated account and the best sound one.
func headline(p *Privacy) []Accounted {
	all := p.All()
	if len(all) == 0 {
		return nil
	}
	list := all[:1]
	if best := bestSound(p); best != nil && best.Accountant != list[0].Accountant {
		list = append(list[:1:1], *best)
	}
	return list
}

// bestSound returns the sound account with the smallest mean. It returns nil if there is none.
func bestSound(p *Privacy) *Accounted {
	var best *Accounted
	for _, a := range p.All() {
		if a.Status == Sound && (best == nil || a.Mean < best.Mean) {
			best = &a
		}
	}
	return best
}

// unguarded returns the warning if no bound is sound: either nothing is bounded, or a bound rests on an unchecked
// assertion. It returns "" if a bound is sound.
func unguarded(p *Privacy) string {
	if bestSound(p) != nil {
		return ""
	}
	for _, a := range p.All() {
		if a.Status == SoundIf && len(a.Assumptions) > 0 {
			return "The bound (accountant " + a.Accountant + ") holds if what nobody has checked here is so: " + a.Assumptions[0] + "."
		}
	}
	return "No sound bound was computed: nothing here is a guarantee."
}

// finished returns the subject and verb of a sentence about accuracy.
func finished(f Final) string {
	switch f.Scored {
	case ScoredOwn:
		return "The nodes’ own models are, on average,"
	case ScoredTokens:
		return "The last tokens, which are kept apart, are on average"
	case ScoredMean:
		return "The mean of the nodes’ models, which " + f.WhoHasMean() + ", is"
	}
	return "The finished model is"
}

// words returns the template's functions.
func words() template.FuncMap {
	return template.FuncMap{
		"bound": func(x Number, s Status) string { return bound(float64(x), s) }, "number": number, "count": count,
		"percent": percent, "relation": relation, "meaning": meaning, "lossName": lossName, "lossSymbol": lossSymbol,
		"hasLocal": hasLocal, "deed": deed, "per": func(a, b int) string { return number(float64(a)/float64(max(1, b)), 3) },
		"worth": worth, "verdict": verdict, "measured": measured, "tenths": tenths, "float": func(x Number) float64 { return float64(x) },
		"num": func(x *Number) Number { return *x },
		"sum": func(v Vector) float64 { return sum(v) }, "diagonal": func(m List[Vector], i int) float64 { return m[i][i] / sum(m[i]) },
		"mistaken": mistaken, "from": from, "unguarded": func(p Privacy) string { return unguarded(&p) },
		"nodeName": (*view).nodeName,
		"humble":   func(f Final) string { return humble(&f) },
		"finished": finished,
		"plural":   plural, "duration": duration, "statuses": func() []Status {
			return []Status{Published, Sound, SoundIf,
				Audit}
		}, "deref": func(x *float64) float64 { return *x },
		"upper": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
	}
}

// hasLocal reports whether one of the accountants is the local bound.
func hasLocal(all []Accounted) bool {
	return slices.ContainsFunc(all, func(a Accounted) bool { return a.Accountant == LocalAccountant })
}

// percent formats a share in [0,1].
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// relation returns the relation between a privacy loss and its number.
func relation(s Status) string {
	switch s {
	case Sound, SoundIf:
		return "≤"
	case Audit:
		return "≥"
	case Estimate:
		return "≈"
	}
	return "="
}

// meaning explains a status to a first-time reader.
func meaning(s Status) string { return s.Meaning() }

// Meaning explains a status to a reader who has to decide.
func (s Status) Meaning() string {
	switch s {
	case Published:
		return "the formula as a paper prints it: for comparing with that paper. Not every step of its proof holds, so it is not a guarantee"
	case Sound:
		return "an upper bound whose every step is defended, as long as its listed assumptions hold: the number to rely on"
	case SoundIf:
		return "an upper bound if its first assumption is true, which nobody has checked: no decision rests on it unless somebody vouches for that"
	case Audit:
		return "a lower bound: what an explicit attacker really achieves. The true loss is at least this"
	case Estimate:
		return "a mean over a sample of pairs: each pair's loss is a bound, their mean is not"
	}
	return "a status this report does not know"
}

// InGeneral describes the loss that no number bounds, because it follows from the data of all. record is empty if all
// data of a participant are protected.
func InGeneral(record string) string {
	one := "participant’s data"
	if record != "" {
		one = "record"
	}
	return "What holds of the data in general can be learnt with or without this " + one + ", and no such number bounds that (NIST SP 800-226)."
}

// InGeneral returns the package's InGeneral for the protected unit of the run.
func (p *Privacy) InGeneral() string { return InGeneral(p.OneRecord()) }

// Proven describes the probability of a right guess by the best sound bound. It returns "" if it is not known.
func (p *Privacy) Proven() string {
	best := bestSound(p)
	if best == nil || best.Guess == 0 || math.IsInf(float64(best.Max), 1) {
		return ""
	}
	return fmt.Sprintf("Whatever one other node sees, a guess between two possibilities for it is right at most %s %% of the time (a coin: 50 %%), by %s.", Right(best.Guess), best.Accountant)
}

// Right formats the probability of a right guess in per cent, rounded up to a tenth.
func Right(guess float64) string {
	return strconv.FormatFloat(min(100, math.Ceil(1000*guess*(1-1e-12))/10), 'f', 1, 64)
}

// CoversModel names the bounds that do not cover a view of the final model. It returns "" if all cover it, or without
// noise.
func (p *Privacy) CoversModel() string {
	if p.Sigma == 0 {
		return ""
	}
	var covering, others []string
	for _, a := range p.All() {
		switch {
		case a.Status == Audit:
		case a.ModelCharged:
			covering = append(covering, a.Accountant)
		default:
			others = append(others, a.Accountant)
		}
	}
	switch {
	case len(others) == 0:
		return ""
	case len(covering) == 0:
		return "The losses do not cover that anybody sees the final model."
	}
	return fmt.Sprintf("That others see the final model is covered by %s, not by %s.", strings.Join(covering, " and "), strings.Join(others, " and "))
}

// toldThePublic returns a sentence, after a space, about the loss to the public. It returns "" if this loss is not
// priced separately.
func (p *Privacy) toldThePublic() string {
	if p.Public == nil {
		return ""
	}
	delta := ""
	if p.Delta > 0 {
		delta = " at δ = " + number(p.Delta, 3)
	}
	return " Whoever takes no part and sees the final model or its predictions alone learns at most this of " + p.protectedOf(p.Public.Name) + ": " + lossSymbol(*p) + " " +
		Bound(float64(p.Public.Max), p.Public.Status) + delta + " (" + p.Public.Accountant + ", " + string(p.Public.Status) + ")."
}

// protectedOf returns the protected data in words: a record, or all data of the named participant. "" stands for any participant.
func (p *Privacy) protectedOf(name string) string {
	record := p.OneRecord()
	switch {
	case record != "" && name != "":
		return record + " of " + name
	case record != "":
		return record
	case name != "":
		return "all data of " + name
	}
	return "all data of any one participant"
}

// modelNotice says whether the parameters may be shown at the stated losses.
func modelNotice(p *Privacy) string {
	switch {
	case p.Sigma == 0:
		return "No noise was added: whoever sees these parameters may learn everything."
	case p.ModelCharged:
		return strings.TrimSpace("The stated losses cover that everybody sees these parameters." + p.toldThePublic() + " " + p.Begins())
	}
	return "The stated losses do not cover that anybody sees these parameters: showing them is a release that is not charged."
}

// lossSymbol returns the symbol of a loss.
func lossSymbol(p Privacy) string {
	if p.Order > 0 {
		return "D" + subscript(p.Order)
	}
	return "ε"
}

// subscript formats an integer order as a subscript.
func subscript(order float64) string {
	if order != math.Trunc(order) || order > 99 {
		return fmt.Sprintf("(%g)", order)
	}
	return strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉").
		Replace(fmt.Sprintf("%g", order))
}

// Trained describes in a clause how the algorithm trains.
func (r *Result) Trained() string {
	if r.Story == "" {
		return "the nodes run the algorithm “" + r.Algorithm + "”"
	}
	return r.Story
}

// outside is the kind of a model that a program computes, and the source of its rows.
const outside = "external"

// from describes the source of rows.
func from(source string) string {
	if source == outside {
		return "what the program that computes it holds"
	}
	return source
}

// deed describes how a model was trained.
func deed(model string) string {
	switch model {
	case "logistic":
		return "trained a logistic regression"
	case "multinomial":
		return "trained a multinomial logistic regression"
	case "mlp":
		return "trained a small neural network"
	case "convnet":
		return "trained a small convolutional network"
	case "hinge":
		return "trained a support vector machine"
	case "absolute":
		return "trained a regression of least absolute error"
	case "ridge":
		return "trained a ridge regression"
	case "histogram":
		return "counted how often each value occurs"
	case "mean":
		return "estimated a mean"
	case "", outside:
		return "trained a model"
	}
	return "trained a " + model + " model"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return count(n) + " " + word + "s"
}

// duration formats a number of seconds.
func duration(seconds float64) string {
	switch {
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 120:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f min", seconds/60)
}
