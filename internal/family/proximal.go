package family

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/fault"
)

// CheckProximal refuses rows so long that proximal points may be found less precisely than their tolerance. Accountants rely on
// that tolerance when they assume that proximal steps move no two models apart.
func (h *Holdings) CheckProximal() error {
	if norm, _ := h.largest(); norm > prox.LongestCertified {
		return fault.New(fmt.Sprintf("data: a row has norm %.3g, and proximal points are certified for rows up to %g", norm, prox.LongestCertified),
			"scale the columns (data.scale: standardise, or ranges), or use kind: walk")
	}
	return nil
}
