package dataset

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// A standIn describes the synthetic patients of one hospital, for users without the heart data. Its figures follow roughly
// the published ones of its patients (Detrano et al. 1989). No patient is real.
type standIn struct {
	name       string
	rows       int        // complete in ten columns
	ill        float64    // share
	age        [2]float64 // mean and deviation
	male       float64    // share
	pain       []float64  // shares of the four kinds of chest pain
	pressure   [2]float64
	chol       [2]float64
	unmeasured float64   // share of cholesterol 0
	sugar      float64   // share above 120 mg/dl
	ecg        []float64 // shares of the three kinds
	rate       [2]float64
	angina     float64 // share with pain on exercise
	depression [2]float64
}

var standIns = []standIn{
	{"cleveland", 303, 0.46, [2]float64{54, 9}, 0.68, []float64{0.08, 0.16, 0.28, 0.48}, [2]float64{132, 18}, [2]float64{247, 52}, 0, 0.15,
		[]float64{0.5, 0.01, 0.49}, [2]float64{150, 23}, 0.33, [2]float64{1, 1.2}},
	{"hungarian", 261, 0.37, [2]float64{48, 8}, 0.72, []float64{0.04, 0.36, 0.18, 0.42}, [2]float64{132, 18}, [2]float64{250, 65}, 0, 0.07,
		[]float64{0.8, 0.18, 0.02}, [2]float64{139, 24}, 0.3, [2]float64{0.6, 0.9}},
	{"switzerland", 46, 0.9, [2]float64{55, 9}, 0.9, []float64{0.03, 0.04, 0.13, 0.8}, [2]float64{130, 22}, [2]float64{}, 1, 0.1,
		[]float64{0.7, 0.2, 0.1}, [2]float64{122, 26}, 0.45, [2]float64{0.7, 1}},
	{"va", 130, 0.75, [2]float64{59, 8}, 0.97, []float64{0.04, 0.07, 0.23, 0.66}, [2]float64{133, 21}, [2]float64{235, 55}, 0.25, 0.35,
		[]float64{0.4, 0.47, 0.13}, [2]float64{122, 21}, 0.65, [2]float64{1.3, 1.1}},
}

// standInHeart returns a synthetic stand-in for the heart data, of the same shape, always the
// same, without the columns in drop. Patients are drawn as standIns say. They are ill with a probability
// that follows the known correlates of the disease, in the share that standIns say.
func standInHeart(drop []string) *Table {
	t := &Table{Source: "heart", Target: "num", Task: Classification, Group: "hospital", Classes: []string{"healthy", "heart disease"}}
	names := heartColumns()[:10]
	for _, name := range names {
		if !slices.Contains(drop, name) {
			t.Features = append(t.Features, name)
		}
	}
	var stream step.Stream
	for g, w := range standIns {
		t.GroupNames = append(t.GroupNames, w.name)
		rng := stream.At(standInSeed, step.NodeID(g), 0, 0, step.Data)
		rows, odds := make([][]float64, w.rows), make([]float64, w.rows)
		for i := range rows {
			rows[i] = w.patient(rng)
			odds[i] = logOdds(rows[i])
		}
		base := shareOf(odds, w.ill)
		for i, row := range rows {
			for j, x := range row {
				if !slices.Contains(drop, names[j]) {
					t.X = append(t.X, x)
				}
			}
			t.Y, t.Groups = append(t.Y, labelOf(ifs(rng.Float64() < logistic(base+odds[i])), 2)), append(t.Groups, int32(g))
		}
	}
	t.Notes = append(t.Notes, "No data.path is given: the patients are a synthetic stand-in of the same shape as the heart disease data, and nobody's. "+
		"hearsay data fetch heart brings the data.")
	return t
}

const standInSeed = 1988

// patient draws the ten columns.
func (w standIn) patient(rng *rand.Rand) []float64 {
	normal := func(of [2]float64, least, most float64) float64 {
		return min(most, max(least, of[0]+float64(of[1]*step.Normal(rng))))
	}
	kind := func(shares []float64) float64 {
		at, k := rng.Float64(), 0
		for ; k < len(shares)-1 && at >= shares[k]; k++ {
			at -= shares[k]
		}
		return float64(k)
	}
	age := math.Round(normal(w.age, 28, 77))
	male := float64(ifs(rng.Float64() < w.male))
	pain := 1 + kind(w.pain)
	pressure := math.Round(normal(w.pressure, 80, 200))
	chol := 0.0
	if measured := rng.Float64() >= w.unmeasured; measured {
		chol = math.Round(normal(w.chol, 85, 600))
	}
	sugar, ecg := float64(ifs(rng.Float64() < w.sugar)), kind(w.ecg)
	rate := math.Round(normal([2]float64{w.rate[0] - float64(0.8*(age-w.age[0])), w.rate[1]}, 60, 202))
	angina := float64(ifs(rng.Float64() < w.angina))
	depression := math.Round(10*normal(w.depression, 0, 6)) / 10
	return []float64{age, male, pain, pressure, chol, sugar, ecg, rate, angina, depression}
}

// logOdds returns the log odds of being ill, up to a constant.
func logOdds(p []float64) float64 {
	odds := float64(0.04*(p[0]-54)) + float64(2*p[1]) + float64(0.015*(p[3]-132)) + float64(0.5*p[5]) - float64(0.025*(p[7]-140)) + float64(1.8*p[8]) + p[9]
	if p[2] == 4 {
		odds += 2.6
	}
	return odds
}

// shareOf returns the constant with which such odds make a share ill on average.
func shareOf(odds []float64, share float64) float64 {
	low, high := -20.0, 20.0
	for range 60 {
		middle, sum := float64((low+high)/2), 0.0
		for _, x := range odds {
			sum += logistic(middle + x)
		}
		if sum < share*float64(len(odds)) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func ifs(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
