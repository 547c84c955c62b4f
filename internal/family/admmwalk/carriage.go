package admmwalk

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
)

// Carriage implements family.Carrier. It refuses, because the token carries a mean of variables that nodes keep, whose changes
// are no contributions of one turn.
func (Algorithm) Carriage() (*family.Carriage, error) {
	return nil, fault.New("algorithm.kind: the token of admm-walk carries a mean of what nodes keep to themselves, and nobody attacks that", "attack a walk or a sum")
}
