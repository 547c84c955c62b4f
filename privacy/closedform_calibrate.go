package privacy

import "math"

// SmallestSigma inverts any accountant: it is the smallest noise multiplier at
// or above floor > 0 whose loss is at most target > 0, by bisection. The loss
// must fall as sigma grows; a sigma that the accountant refuses counts as too
// small. If it refuses all, that is the error.
func SmallestSigma(loss func(sigma float64) (float64, error), floor, target float64) (Calibration, error) {
	if err := checkSigma(floor); err != nil {
		return Calibration{}, err
	}
	var refused error
	cal, err := smallestSigma(func(sigma float64) float64 {
		var at float64
		if at, refused = loss(sigma); refused != nil {
			return math.Inf(1)
		}
		return at
	}, floor, target)
	if err != nil && refused != nil {
		return cal, refused
	}
	return cal, err
}
