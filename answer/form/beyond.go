package form

import (
	"github.com/hearsay-dp/hearsay/report"
)

// BeyondOf writes the largest loss between non-neighbours, "none" if there are none.
func BeyondOf(a report.Accounted) string {
	if a.MaxBeyondNeighbours == nil {
		return "none"
	}
	return Loss(*a.MaxBeyondNeighbours, a.Status)
}
