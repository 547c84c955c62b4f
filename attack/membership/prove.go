package membership

import (
	"slices"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/audit"
)

// A Proof holds the lower bounds that scores of runs prove about two worlds.
type Proof struct {
	*audit.BlackBox
	// Gaussian is the loss of a Gaussian view of shift Mu. A claim that the view is mu-GDP for a smaller mu is
	// false, with the same confidence.
	Gaussian float64
	AUC      float64 // probability that a run of world 0 scores above one of world 1; an estimate, not a bound
}

// Prove chooses tests on the scores of some runs of each world, and measures them on others.
func Prove(choosing, measuring [2][]float64, m privacy.Metric, failure float64) (*Proof, error) {
	found, err := audit.ScoresOn(choosing, measuring, m, failure)
	if err != nil {
		return nil, err
	}
	return &Proof{found, m.GaussianView(found.Mu * found.Mu), auc(measuring)}, nil
}

// auc returns the area under the curve of scores. It counts ties as half.
func auc(scores [2][]float64) float64 {
	other := slices.Clone(scores[1])
	slices.Sort(other)
	sum := 0.0
	for _, x := range scores[0] {
		low, _ := slices.BinarySearch(other, x)
		high := low
		for high < len(other) && other[high] == x {
			high++
		}
		sum += float64(float64(low+high) / 2)
	}
	return sum / float64(len(scores[0])) / float64(len(scores[1]))
}
