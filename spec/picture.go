package spec

import "github.com/hearsay-dp/hearsay/internal/math"

// Picture returns the shape (planes, rows, columns) of rows of that many features if they are pictures. The spec gives the shape, or
// the source is known to have it. It returns nil if rows are no pictures, as after the encoding by data.features.
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
