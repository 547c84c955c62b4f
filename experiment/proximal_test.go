package experiment

import "testing"

// A model without proximal steps is refused with the reason.
func TestProximalWalkRefuses(t *testing.T) {
	for kind, why := range map[string]string{"mlp": "not convex", "multinomial": "more than one margin", "mean": "more than one margin"} {
		isRefused(t, "name: p\ndata: {source: two-gaussians, features: 2, normalise: unit}\nnodes: 4\nmodel: {kind: "+kind+"}\n"+
			"algorithm: {kind: proximal-walk, steps: 20, step_size: 0.2, clip: 0.3, contributions: 9}\nprivacy: {sigma: 4, accountant: local}\n", why)
	}
}
