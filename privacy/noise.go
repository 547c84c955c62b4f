package privacy

// A Noise is a calibrated noise level with what stands behind it.
type Noise struct {
	Claim
	Multiplier float64 // standard deviation divided by the sensitivity 2L
}

// Std is the standard deviation added to each coordinate of a gradient of an
// L-Lipschitz loss (or one clipped to norm L), whose sensitivity is 2L.
func (n Noise) Std(lipschitz float64) float64 { return n.Multiplier * 2 * lipschitz }
