package attack

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Spearman returns the rank correlation of two lists of the same length, from -1 to 1. Equal numbers get the mean of
// their ranks. It returns NaN if a list is constant or contains NaN.
func Spearman(x, y []float64) float64 { return pearson(ranks(x), ranks(y)) }

// ranks returns the ranks of x, from 1 on. Equal numbers get the mean of their ranks, and NaN gets NaN.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	r := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j+1) / 2
			if math.IsNaN(x[k]) {
				r[k] = math.NaN()
			}
		}
		i = j
	}
	return r
}

func pearson(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i], my+y[i]
	}
	mx, my = mx/n, my/n // exactly: ranks are halves of integers, and so is their mean
	for i := range x {
		xx += float64((x[i] - mx) * (x[i] - mx))
		yy += float64((y[i] - my) * (y[i] - my))
		xy += float64((x[i] - mx) * (y[i] - my))
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}

// Kendall returns the rank correlation tau-b, which corrects for ties, from -1 to 1. It returns NaN if a list is
// constant or contains NaN. It compares all pairs.
func Kendall(x, y []float64) float64 {
	if slices.ContainsFunc(x, math.IsNaN) || slices.ContainsFunc(y, math.IsNaN) {
		return math.NaN()
	}
	agree, apartX, apartY := 0.0, 0.0, 0.0
	for i := range x {
		for j := range i {
			a, b := float64(cmp.Compare(x[i], x[j])), float64(cmp.Compare(y[i], y[j]))
			agree, apartX, apartY = agree+float64(a*b), apartX+float64(a*a), apartY+float64(b*b)
		}
	}
	if apartX == 0 || apartY == 0 {
		return math.NaN()
	}
	return agree / math.Sqrt(apartX*apartY)
}
