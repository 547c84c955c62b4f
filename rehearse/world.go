package rehearse

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// A World is one idea of what the participants' rows are like. Nobody knows which is true,
// so that a rehearsal on rows that are made up is of several.
type World struct {
	Name  string  `json:"name"`
	Words string  `json:"words"` // what is drawn, in a sentence
	Skill float64 `json:"skill"` // how far the best rule gets, from guessing (0) to certainty (1); 0: not said
	Apart float64 `json:"apart"` // how far participants are apart, in deviations of a column; 0: all alike
}

// The difficulties of made-up rows, by the share of the way from guessing to certainty that
// the best rule there is goes.
var difficulties = []struct {
	name  string
	skill float64
}{{"easy", 0.9}, {"middling", 0.6}, {"hard", 0.3}}

// Difficulties are their names.
func Difficulties() (names []string) {
	for _, d := range difficulties {
		names = append(names, d.name)
	}
	return names
}

// apart is how far participants who differ are apart, and farApart where each is at a place of
// its own, in deviations of a column.
const apart, farApart = 0.5, 2

// worlds are those of rows that are made up for a shape, of the difficulties that are asked
// for; none: of all.
func worlds(s dataset.Shape, counts bool, asked []string) ([]World, error) {
	for _, name := range asked {
		if !slices.Contains(Difficulties(), name) {
			return nil, fault.New(fmt.Sprintf("there is no difficulty %q", name), "use easy, middling or hard")
		}
	}
	var all []World
	if counts { // nothing is told from anything
		return []World{newWorld(s, "", 0, 0), newWorld(s, "", 0, apart), newWorld(s, "", 0, farApart)}, nil
	}
	for _, d := range difficulties {
		if len(asked) == 0 || slices.Contains(asked, d.name) {
			all = append(all, newWorld(s, d.name, d.skill, 0), newWorld(s, d.name, d.skill, apart))
		}
	}
	return all, nil
}

// newWorld puts a world into words.
func newWorld(s dataset.Shape, name string, skill, apart float64) World {
	w := World{Skill: skill, Apart: apart}
	switch k := len(s.Classes); {
	case skill == 0:
		w.Words = "Values are drawn within their ranges"
	case s.Task == dataset.Regression:
		w.Words = fmt.Sprintf("The best rule there is explains about %.0f %% of the variance of %s", 100*skill, s.Target)
	default:
		w.Words = fmt.Sprintf("The best rule there is finds the right one of %d classes for %.0f %% of all rows (a guess: %.0f %%)", k, 100*mostRight(skill, k), 100/float64(k))
	}
	if apart == 0 {
		w.Name, w.Words = joined(name, "alike"), w.Words+"; the rows of all participants are alike."
		return w
	}
	how, far := "apart", "half a deviation"
	if apart == farApart {
		how, far = "far apart", "two deviations"
	}
	w.Name, w.Words = joined(name, how), w.Words+"; participants differ by "+far+" in the mean of every column"
	if s.Task == dataset.Classification {
		w.Words += ", and in the shares of the classes"
	}
	w.Words += "."
	return w
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// mostRight is the share of rows that the best rule is right on, of so many classes.
func mostRight(skill float64, classes int) float64 {
	guess := 1 / float64(classes)
	return guess + float64(skill*(1-guess))
}

// A maker draws rows of a shape, in the units in which models are given them.
type maker struct {
	shape   dataset.Shape
	columns []dataset.Column // of the features
	groups  []int            // of each feature the text column that it is a category of, -1: it is a number
	world   World
	rules   [][]float64 // of each class, or the one of a regression: a weight for each feature
	sharp   float64     // with which the rules decide
	seed    uint64
}

// The turns that draws of package rehearse are keyed by, away from those of package dataset.
const (
	ruleTurn step.Turn = 1000 + iota
	shiftTurn
	trainTurn
	testTurn
	poolTurn
)

// everyone is who draws that belong to no participant are keyed by.
const everyone step.NodeID = -1

// newMaker draws the rules of a world from a seed.
func newMaker(s dataset.Shape, w World, seed uint64) (*maker, error) {
	f, err := s.Empty(1)
	if err != nil {
		return nil, err
	}
	m := &maker{shape: s, columns: f.Columns, world: w, seed: seed}
	for k, column := range s.Columns() {
		if values := s.Categories[column]; values != nil {
			m.groups = append(m.groups, slices.Repeat([]int{k}, len(values))...)
			continue
		}
		m.groups = append(m.groups, -1)
	}
	rng := stream(seed, everyone, ruleTurn)
	for range max(1, len(s.Classes)) {
		rule := make([]float64, len(m.columns))
		for j := range rule {
			rule[j] = step.Normal(rng) / math.Sqrt(float64(len(s.Columns())))
		}
		m.rules = append(m.rules, rule)
	}
	m.sharpen(rng)
	return m, nil
}

func stream(seed uint64, node step.NodeID, turn step.Turn) *rand.Rand {
	var s step.Stream
	return s.At(seed, node, turn, 0, step.Data)
}

// half is the deviation of a number within its range, which is [-1, 1] once it is scaled: two
// deviations lie either way.
const half = 0.5

// calibrated is how many rows the sharpness of rules is found on.
const calibrated = 2000

// sharpen finds how decided the rules must be for the best one to be right as often as the
// world says, or how large the one of a regression for labels of variance 1.
func (m *maker) sharpen(rng *rand.Rand) {
	at := &population{maker: m}
	scores, squares := make([][]float64, calibrated), 0.0
	for i := range scores {
		x, standard := make([]float64, len(m.columns)), make([]float64, len(m.columns))
		at.features(x, standard, rng)
		scores[i] = m.scores(standard)
		squares += scores[i][0] * scores[i][0] / calibrated
	}
	switch {
	case m.world.Skill == 0 || squares == 0:
		return
	case m.shape.Task != dataset.Classification:
		m.sharp = 1 / math.Sqrt(squares)
		return
	}
	right := func(sharp float64) (mean float64) {
		for _, z := range scores {
			mean += surest(z, sharp) / calibrated
		}
		return mean
	}
	low, high, want := 0.0, 1.0, mostRight(m.world.Skill, len(m.rules))
	for right(high) < want && high < 1e6 {
		low, high = high, 2*high
	}
	for range 20 { // to a millionth
		if m.sharp = (low + high) / 2; right(m.sharp) < want {
			low = m.sharp
		} else {
			high = m.sharp
		}
	}
}

// surest is the largest probability of a class.
func surest(z []float64, sharp float64) float64 {
	top, sum := slices.Max(z), 0.0
	for _, x := range z {
		sum += math.Exp(sharp * (x - top))
	}
	return 1 / sum
}

// scores are what each rule says of a row, whose numbers are in deviations and whose
// categories are 0 or 1.
func (m *maker) scores(standard []float64) []float64 {
	z := make([]float64, len(m.rules))
	for c, rule := range m.rules {
		for j, w := range rule {
			z[c] += float64(w * standard[j])
		}
	}
	return z
}

// chances are the probabilities of the classes; shares are log-odds that come on top.
func (m *maker) chances(z, shares []float64) []float64 {
	p, top, sum := make([]float64, len(z)), math.Inf(-1), 0.0
	for c := range z {
		p[c] = float64(m.sharp * z[c])
		if shares != nil {
			p[c] += shares[c]
		}
		top = max(top, p[c])
	}
	for c := range p {
		p[c] = math.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// A population is what one participant's rows are drawn from.
type population struct {
	*maker
	means  []float64 // of the numbers, in deviations; nil: 0
	tilts  []float64 // log-odds of the categories; nil: all as likely
	shares []float64 // log-odds of the classes
}

// of is the population of a participant.
func (m *maker) of(node step.NodeID) *population {
	p := &population{maker: m, means: make([]float64, len(m.columns)), tilts: make([]float64, len(m.columns)), shares: make([]float64, len(m.rules))}
	rng := stream(m.seed, node, shiftTurn)
	for _, values := range [][]float64{p.means, p.tilts, p.shares} {
		for j := range values {
			values[j] = m.world.Apart * step.Normal(rng)
		}
	}
	return p
}

// rows draws so many; turn tells those that are learnt from and those kept for testing apart.
func (p *population) rows(n int, rng *rand.Rand) dataset.Block {
	d := len(p.columns)
	b := dataset.Block{Features: d, X: make([]float64, n*d), Y: make([]float64, n)}
	standard := make([]float64, d)
	for i := range b.Y {
		p.features(b.Row(i), standard, rng)
		b.Y[i] = p.label(standard, rng)
	}
	p.shape.Finish(&b)
	return b
}

// features draws a row, scaled, and the same with numbers in deviations and categories 0 or 1.
func (p *population) features(x, standard []float64, rng *rand.Rand) {
	for j := 0; j < len(x); {
		if p.groups[j] >= 0 {
			j = p.category(x, standard, j, rng)
			continue
		}
		standard[j] = step.Normal(rng)
		if p.means != nil {
			standard[j] += p.means[j]
		}
		x[j] = max(-1, min(1, half*standard[j]))
		standard[j] = x[j] / half
		j++
	}
}

// category draws the category of the text column whose features begin at j, and returns where
// they end.
func (p *population) category(x, standard []float64, j int, rng *rand.Rand) (end int) {
	for end = j; end < len(x) && p.groups[end] == p.groups[j]; end++ {
		standard[end] = 0
	}
	sum, weights := 0.0, make([]float64, end-j)
	for k := range weights {
		weights[k] = 1
		if p.tilts != nil {
			weights[k] = math.Exp(p.tilts[j+k])
		}
		sum += weights[k]
	}
	standard[j+pick(weights, sum*rng.Float64())] = 1
	for k := j; k < end; k++ {
		x[k] = p.columns[k].Apply(standard[k])
	}
	return end
}

// pick is where along weights a length ends.
func pick(weights []float64, at float64) int {
	for k, w := range weights {
		if at -= w; at < 0 {
			return k
		}
	}
	return len(weights) - 1
}

// label draws the label of a row.
func (p *population) label(standard []float64, rng *rand.Rand) float64 {
	switch p.shape.Task {
	case dataset.Classification:
		return model.LabelOf(pick(p.chances(p.scores(standard), p.shares), rng.Float64()), len(p.rules))
	case dataset.Regression:
		y := float64(math.Sqrt(p.world.Skill)*p.sharp*p.scores(standard)[0]) + float64(math.Sqrt(1-p.world.Skill)*step.Normal(rng))
		return max(-1, min(1, half*y))
	}
	return 0
}
