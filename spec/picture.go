package spec

import "github.com/hearsay-dp/hearsay/internal/math"

// Picture returns the shape of a model's rows of so many features that are pictures, planes, rows and columns: as the spec gives
// it, or of a source that is known to have them; nil: they are none, as rows are that data.features encodes.
func (d *Data) Picture(features int) []int {
	if d.Features.Steps != nil {
		return nil
	}
	return d.picture(features)
}

func (d *Data) picture(features int) []int {
	planes := map[string]int{"mnist": 1, "cifar10": 3}[d.Source]
	switch {
	case d.Shape != nil:
		return d.Shape
	case planes == 0:
		return nil
	}
	side := int(math.Round(math.Sqrt(float64(features / planes))))
	if planes*side*side != features {
		return nil
	}
	return []int{planes, side, side}
}
