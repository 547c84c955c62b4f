package experiment

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// score holds the scores of a model at one step of one trial. Losses are plain.
type score struct {
	step                          int
	trainLoss, testLoss, accuracy float64
	objective                     float64 // the objective on the training rows; NaN if nothing is minimised
	penalty                       float64
	apart                         float64 // mean squared distance of the nodes' models from theirs; 0 for a token

	full *fullScore // nil for a point of a curve
}

// fullScore holds the scores that only the result gets.
type fullScore struct {
	classified  model.Classified // of the test rows
	train, test model.Predicted  // of a regression
}

// A scorer scores models of one algorithm.
type scorer struct {
	*family.Holdings
	family.Scoring
	local                   *descent.Local
	glanceTrain, glanceTest *model.Gauge // on the rows that curves are scored on

	weights []float64     // of the rows of Train in the objective; nil: nothing is minimised
	scored  report.Scored // whose scores the last ones are
}

func newScorer(a family.Algorithm) *scorer {
	h := a.Of()
	s := &scorer{Holdings: h, Scoring: a.Scoring(), local: a.Local()}
	if s.OwnModels {
		s.scored = report.ScoredMean
		if keeper, ok := a.(family.Keeper); s.OwnValues || ok && keeper.Kept() != nil {
			s.scored = report.ScoredOwn
		}
		if s.Tokens {
			s.scored = report.ScoredTokens
		}
	}
	s.weigh(a.Scales())
	limit := glanceRows(a)
	s.glanceTrain = model.NewGauge(h.Objective, thin(h.Train, limit), s.thinWeights(limit), s.local.LossClip())
	s.glanceTest = model.NewGauge(h.Objective, thin(h.Test, limit), nil, 0)
	return s
}

// spread adds to a score the distance between the nodes' models. For averaging
// the score is the mean over the nodes' values. For the squared distance that is
// the score of their mean plus their mean squared distance from it.
func (s *scorer) spread(of *score, apart float64) {
	of.apart = apart
	if s.OwnValues {
		of.trainLoss += apart
		of.testLoss += apart
	}
}

// evaluate scores theta on all training rows and on all test rows. It uses cores CPU cores.
func (s *scorer) evaluate(theta []float64, cores int) score {
	return s.evaluateOn(theta, s.Train, s.Test, s.weights, cores)
}

func (s *scorer) evaluateOn(theta []float64, train, test model.Examples, weights []float64, cores int) score {
	out := score{testLoss: math.NaN(), accuracy: math.NaN(), objective: math.NaN(), penalty: s.Objective.Penalty(theta), full: &fullScore{}}
	parts := []func(){ // those that take longest first
		func() {
			if weights != nil {
				out.objective = s.Objective.Minimised(theta, train, weights, s.local.LossClip())
			}
		},
		func() { out.trainLoss, _ = s.Objective.Score(theta, train) },
		func() { s.fully(out.full, theta, train, test) },
		func() {
			if test.Len() > 0 {
				out.testLoss, out.accuracy = s.Objective.Score(theta, test)
			}
		},
	}
	parallel.Each(len(parts), cores, func(i int) { parts[i]() })
	return out
}

// fully computes the scores that only the result gets.
func (s *scorer) fully(out *fullScore, theta []float64, train, test model.Examples) {
	if s.Guarantees.Classifies() {
		out.classified, _ = s.Objective.Classified(theta, test)
	} else if predictor, ok := s.Objective.Model.(model.Predictor); ok {
		out.train, out.test = model.Residuals(predictor, theta, train), model.Residuals(predictor, theta, test)
	}
}

// glances scores models on few rows (glanceRows), the same ones every time: often enough
// for a curve, and cheap enough not to slow the run down.
type glances struct {
	thetas      [][]float64
	train, test []model.Gauged
	scores      []score
}

// of returns the scores of some points, borrowed until the next call.
func (g *glances) of(s *scorer, points []waypoint) []score {
	g.thetas, g.scores = g.thetas[:0], g.scores[:0]
	for _, p := range points {
		g.thetas = append(g.thetas, p.theta)
	}
	g.train, g.test = slices.Grow(g.train[:0], len(points))[:len(points)], slices.Grow(g.test[:0], len(points))[:len(points)]
	s.glanceTrain.AtAll(g.train, g.thetas)
	s.glanceTest.AtAll(g.test, g.thetas)
	for i, theta := range g.thetas {
		g.scores = append(g.scores, score{
			penalty: s.Objective.Penalty(theta), trainLoss: g.train[i].Loss, objective: g.train[i].Minimised,
			testLoss: g.test[i].Loss, accuracy: g.test[i].Accuracy,
		})
	}
	return g.scores
}

// glanceRows returns the largest number of training rows, and of test rows, on which the points of a curve on
// the way to the result are scored. It is the number of rows that the steps between two points
// look at, within bounds, so that the curve takes no longer than the steps.
func glanceRows(a family.Algorithm) int {
	h := a.Of()
	between := a.Work() / float64(a.Local().Params) * float64(h.Spec.Report.Every) / float64(h.Spec.Algorithm.Steps)
	return int(min(max(between, leastGlanced), mostGlanced))
}

const leastGlanced, mostGlanced = 512, 2048

// thin keeps every k-th row, so that at most limit are left.
func thin(ex model.Examples, limit int) model.Examples {
	stride := strideFor(ex.Len(), limit)
	if stride < 2 {
		return ex
	}
	rows := thinned(ex.Len(), limit)
	few := model.Examples{Features: ex.Features, X: make([]float64, 0, rows*ex.Features), Y: make([]float64, 0, rows)}
	for i := 0; i < ex.Len(); i += stride {
		x, y := ex.Row(i)
		few.X, few.Y = append(few.X, x...), append(few.Y, y)
	}
	return few
}

func strideFor(rows, limit int) int { return max(1, (rows+limit-1)/limit) }

// thinned returns the number of rows that thin keeps.
func thinned(rows, limit int) int {
	return (rows + strideFor(rows, limit) - 1) / strideFor(rows, limit)
}

// weigh finds the weight of each training row in the objective:
// its node's share of the updates times its node's scale over its node's rows
// (docs/SPEC.md). There are none for averaging, which minimises nothing. Nor are there any if the
// shares of the updates are not known, or if clipped gradients need not be those
// of any function.
func (s *scorer) weigh(scales []float64) {
	if g := s.Guarantees; s.Shares == nil || s.OwnValues || (s.local.Noise.Together || !g.ClipSafe()) && !g.Unclipped(s.local.Noise.LeastClip()) {
		return
	}
	if s.local.Importance != nil && !s.Guarantees.Unclipped(s.local.LossClip()/slices.Max(scales)) || s.local.Noise.Clips != nil && !s.Guarantees.Unclipped(s.local.Noise.LeastClip()) { // nodes clip at other norms
		return
	}
	offsets := s.Federation.Shards.Offsets
	s.weights = make([]float64, s.Train.Len())
	for v, share := range s.Shares {
		rows := s.weights[offsets[v]:offsets[v+1]]
		for i := range rows {
			rows[i] = share * scales[v] / float64(len(rows))
		}
	}
}

// thinWeights returns the weights of the training rows that thin keeps. They stand for the rows
// that are left out, so the weights have the same sum.
func (s *scorer) thinWeights(limit int) []float64 {
	stride := strideFor(s.Train.Len(), limit)
	if stride < 2 || s.weights == nil {
		return s.weights
	}
	var few []float64
	all, kept := 0.0, 0.0
	for i, w := range s.weights {
		all += w
		if i%stride == 0 {
			few, kept = append(few, w), kept+w
		}
	}
	for i := range few {
		few[i] *= all / kept
	}
	return few
}
