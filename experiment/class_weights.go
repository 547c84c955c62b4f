package experiment

import (
	"fmt"
	"maps"
	"slices"
)

// unsure is the slope of the logistic loss of a model that has learnt nothing: the length of the gradient of a row of length 1.
const unsure = 0.5

// WeightNote says that class weights beyond the clip do nothing, because gradients are weighed and then clipped. It returns "" if no
// weight is beyond the clip.
func (p *Prepared) WeightNote() string {
	weights, clip := p.Spec.Model.ClassWeights, p.Spec.Algorithm.Clip
	if len(weights) == 0 || clip <= 0 {
		return ""
	}
	largest := slices.Max(slices.Collect(maps.Values(weights)))
	if largest <= 1 || unsure*largest <= clip {
		return ""
	}
	return fmt.Sprintf("Class weights multiply gradients before these are clipped to %g: a row of length 1 pulls with about %g times its weight at the start, so weights above %.3g do nothing there (the largest is %g). "+
		"A larger algorithm.clip lets them count, and takes more noise.", clip, unsure, clip/unsure, largest)
}
