package schedule

// A Noisy is a schedule that says how much noise hides its contributions.
type Noisy interface {
	Schedule
	// Multiplier is the noise of a usual release over the largest sensitivity, as accountants divide energies by
	// its square. ok is false where no noise is added, as where answers are random.
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
