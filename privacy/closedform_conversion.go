package privacy

import "math"

// LogDelta is ln delta of the (eps, delta)-DP that (order, rdp)-RDP gives, at
// most 0: Epsilon solved for delta. order > 1, rdp >= 0, eps >= 0.
func (c Conversion) LogDelta(order, rdp, eps float64) float64 {
	above := order - 1
	ln := above * (rdp - eps)
	if c == CanonneKamathSteinke {
		ln += above*math.Log(above/order) - math.Log(order)
	}
	return min(0, ln)
}

// RDP is the largest loss at an order that still gives (eps, delta)-DP:
// Epsilon solved for rdp, negative if no loss does.
func (c Conversion) RDP(order, eps, delta float64) float64 {
	return eps - c.price(order, -math.Log(delta))
}
