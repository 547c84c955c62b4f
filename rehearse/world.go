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

// A World is a hypothesis about the distribution of the participants' rows. The true one is
// not known, so a rehearsal on made-up rows uses several.
type World struct {
	Name  string  `json:"name"`
	Words string  `json:"words"` // the distribution, in a sentence
	Skill float64 `json:"skill"` // quality of the best rule, from guessing (0) to certainty (1); 0: not given
	Apart float64 `json:"apart"` // distance between participants, in deviations of a column; 0: identical distributions
}

// difficulties of made-up rows. skill is the quality of the best rule, from guessing (0) to
// certainty (1).
var difficulties = []struct {
	name  string
	skill float64
}{{"easy", 0.9}, {"middling", 0.6}, {"hard", 0.3}}

// Difficulties returns the names of the difficulties.
func Difficulties() (names []string) {
	for _, d := range difficulties {
		names = append(names, d.name)
	}
	return names
}

// apart and farApart are distances between participants, in deviations of a column. farApart
// separates them nearly completely.
const apart, farApart = 0.5, 2

// worlds returns the worlds of made-up rows of a shape with the requested difficulties. If
// asked is empty it returns all difficulties.
func worlds(s dataset.Shape, counts bool, asked []string) ([]World, error) {
	for _, name := range asked {
		if !slices.Contains(Difficulties(), name) {
			return nil, fault.New(fmt.Sprintf("there is no difficulty %q", name), "use easy, middling or hard")
		}
	}
	var all []World
	if counts { // the model predicts nothing
		return []World{newWorld(s, "", 0, 0), newWorld(s, "", 0, apart), newWorld(s, "", 0, farApart)}, nil
	}
	for _, d := range difficulties {
		if len(asked) == 0 || slices.Contains(asked, d.name) {
			all = append(all, newWorld(s, d.name, d.skill, 0), newWorld(s, d.name, d.skill, apart))
		}
	}
	return all, nil
}

// newWorld describes a world in words.
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

// mostRight returns the accuracy of the best rule.
func mostRight(skill float64, classes int) float64 {
	guess := 1 / float64(classes)
	return guess + float64(skill*(1-guess))
}

// A maker draws rows of a shape, in the units of the model.
type maker struct {
	shape   dataset.Shape
	columns []dataset.Column // of the features
	groups  []int            // for each feature, the text column whose category it is; -1: it is a number
	world   World
	rules   [][]float64 // of each class, or the single one of a regression: a weight for each feature
	sharp   float64     // sharpness of the decision by the rules
	seed    uint64
}

// Turns that key the draws of package rehearse. They differ from those of package dataset.
const (
	ruleTurn step.Turn = 1000 + iota
	shiftTurn
	trainTurn
	testTurn
	poolTurn
)

// everyone keys the draws that belong to no participant.
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

// half is the standard deviation of a number in its scaled range [-1, 1], which so spans two
// deviations each way.
const half = 0.5

// calibrated is the number of rows on which the sharpness of the rules is found.
const calibrated = 2000

// sharpen finds the sharpness at which the accuracy of the best rule matches the world. For a
// regression it finds the scale at which labels have variance 1.
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
	for range 20 { // accurate to a millionth
		if m.sharp = (low + high) / 2; right(m.sharp) < want {
			low = m.sharp
		} else {
			high = m.sharp
		}
	}
}

// surest returns the largest probability of a class.
func surest(z []float64, sharp float64) float64 {
	top, sum := slices.Max(z), 0.0
	for _, x := range z {
		sum += math.Exp(sharp * (x - top))
	}
	return 1 / sum
}

// scores returns the score of each rule for a row. Numbers are in deviations, categories 0 or
// 1.
func (m *maker) scores(standard []float64) []float64 {
	z := make([]float64, len(m.rules))
	for c, rule := range m.rules {
		for j, w := range rule {
			z[c] += float64(w * standard[j])
		}
	}
	return z
}

// chances returns the probabilities of the classes. shares are added as log-odds.
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

// A population is the distribution of one participant's rows.
type population struct {
	*maker
	means  []float64 // of the numbers, in deviations; nil: 0
	tilts  []float64 // log-odds of the categories; nil: uniform
	shares []float64 // log-odds of the classes
}

// of returns the population of a participant.
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

// rows draws n rows with rng.
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

// features draws a row into x, scaled, and into standard with numbers in deviations and
// categories 0 or 1.
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

// category draws the category of the text column whose features begin at j. It returns the end
// of these features.
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

// pick returns the index at which the cumulative weights exceed at.
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
