package baseline

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
)

// Carriage implements family.Carrier. It refuses, because no token goes from node to node.
func (Algorithm) Carriage() (*family.Carriage, error) {
	return nil, fault.New("algorithm.kind: in a baseline no token goes from node to node, and there are no walks to attack", "attack a walk or a sum")
}
