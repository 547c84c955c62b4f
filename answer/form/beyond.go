package form

import (
	"github.com/hearsay-dp/hearsay/report"
)

// BeyondOf is the largest loss between nodes that are no neighbours.
func BeyondOf(a report.Accounted) string {
	if a.MaxBeyondNeighbours == nil {
		return "none"
	}
	return Loss(*a.MaxBeyondNeighbours, a.Status)
}
