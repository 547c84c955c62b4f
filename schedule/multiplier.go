package schedule

// A Noisy is a schedule that states its noise multiplier.
type Noisy interface {
	Schedule
	// Multiplier returns the noise of a usual release over the largest sensitivity. Accountants divide energies by
	// its square. ok is false if no noise is added, as with random answers.
	Multiplier() (multiplier float64, ok bool)
}

// Multiplier implements Noisy.
func (w Walk) Multiplier() (float64, bool) { return w.Noise / w.Sensitivity, true }

// Multiplier implements Noisy.
func (g *Gossip) Multiplier() (float64, bool) { return g.Noise / g.Sensitivity, true }

// Multiplier implements Noisy.
func (c Consensus) Multiplier() (float64, bool) { return c.Noise / c.Sensitivity, true }

// Multiplier implements Noisy.
func (c Curator) Multiplier() (float64, bool) { return c.Noise / c.Sensitivity, true }

// Multiplier implements Noisy.
func (r Ring) Multiplier() (float64, bool) { return r.Noise / r.Sensitivity, r.Answer.Values == 0 }
