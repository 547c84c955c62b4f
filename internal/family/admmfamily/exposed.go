package admmfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/internal/family"
)

// Exposed implements family.Exposer. The server receives every change; other nodes receive sums of all changes.
func (a *Algorithm) Exposed(context.Context) (*family.Exposure, error) {
	if a.Protocol.Server < 0 {
		return &family.Exposure{How: "The curator has all data as they are, with noise or without."}, nil
	}
	e := &family.Exposure{Alone: make([][]int, a.Spec.Nodes), How: "Without noise " + a.Name(int(a.Protocol.Server)) + ", who sums, is sent every change of a participant's own variable, as it is. " +
		"Others are shown what all changes come to together."}
	for u := range e.Alone {
		if u != int(a.Protocol.Server) {
			e.Alone[u] = []int{int(a.Protocol.Server)}
		}
	}
	return e, nil
}
