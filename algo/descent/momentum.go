package descent

// Momentum is Polyak's (1964), computed after the noise. A step to x - gamma g, with g the noisy gradient with its
// penalty, becomes
//
//	v <- Momentum v + g,  x <- x - gamma v.
//
// It costs no privacy if everybody sees the start of a step and the value sent after it, because v is their
// difference over gamma. The carried part is then a constant that the past determines. A node's own data move its
// next message by as much as they move gamma g, so that sensitivity and noise are those of a step without momentum. A
// memory of gradients without noise would repeat hidden values. A memory that not everybody sees is a hidden state.
// Accountants that charge less than everything (flow, path) therefore refuse momentum.

// Carry adds the momentum in velocity to step at of a run, which Contribute, ContributeSample, Take or NoiseOnly has
// taken from before to x, and updates velocity.
func (l *Local) Carry(x, before, velocity []float64, at int) {
	gamma := l.StepSize.At(at)
	for j, from := range before {
		carried := float64(l.Momentum * velocity[j])
		velocity[j] = carried + (from-x[j])/gamma
		x[j] -= float64(gamma * carried)
	}
}
