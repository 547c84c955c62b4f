package family

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/fault"
)

// CheckProximal holds that no row is so long that proximal points may not be found to within their
// tolerance. What accountants say of proximal steps, that they move no two models apart, rests on it.
func (h *Holdings) CheckProximal() error {
	if norm, _ := h.largest(); norm > prox.LongestCertified {
		return fault.New(fmt.Sprintf("data: a row has norm %.3g, and proximal points are certified for rows up to %g", norm, prox.LongestCertified),
			"scale the columns (data.scale: standardise, or ranges), or use kind: walk")
	}
	return nil
}
