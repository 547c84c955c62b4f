package membership

import "github.com/hearsay-dp/hearsay/internal/math"

// Normals holds the laws of a statistic in two worlds, fitted as Gaussians.
type Normals struct{ Mean, Std [2]float64 }

// FitNormals fits one number for each run of each world, at least two of each. If the two standard deviations differ by
// at most three standard errors, it pools both.
func FitNormals(runs [2][]float64) (n Normals) {
	for w, x := range runs {
		n.Mean[w], n.Std[w] = moments(x)
	}
	a, b := float64(len(runs[0])), float64(len(runs[1]))
	if apart := math.Abs(math.Log(n.Std[0] / n.Std[1])); !(apart > 3*math.Sqrt(1/(2*a)+1/(2*b))) {
		both := math.Sqrt((float64(a*n.Std[0]*n.Std[0]) + float64(b*n.Std[1]*n.Std[1])) / (a + b))
		n.Std = [2]float64{both, both}
	}
	return n
}

// Ratio returns the logarithm of the likelihood of x in world 0 over that in world 1. If a standard deviation is 0, it
// returns x times the difference of the means.
func (n Normals) Ratio(x float64) float64 {
	if n.Std[0] == 0 || n.Std[1] == 0 {
		return x * (n.Mean[0] - n.Mean[1])
	}
	a, b := (x-n.Mean[0])/n.Std[0], (x-n.Mean[1])/n.Std[1]
	return float64((float64(b*b)-float64(a*a))/2) - math.Log(n.Std[0]/n.Std[1])
}

// moments returns the mean and the standard deviation.
func moments(x []float64) (mean, std float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		std += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(std / float64(max(1, len(x)-1)))
}

// separation returns the distance of the means of two worlds, over the standard deviation. It returns 0 for equal
// means.
func separation(runs [2][]float64) float64 {
	a, s := moments(runs[0])
	b, r := moments(runs[1])
	if a == b {
		return 0
	}
	return math.Abs(a-b) / math.Sqrt((float64(s*s)+float64(r*r))/2)
}
