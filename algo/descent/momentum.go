package descent

// Momentum is Polyak's (1964), kept after the noise. A step to x - gamma g, g the noisy gradient with its penalty,
// becomes
//
//	v <- Momentum v + g,  x <- x - gamma v.
//
// It costs no privacy where everybody sees what a step begins from and what is sent after it: v is their difference over
// gamma. What is carried on is then a constant that the past has chosen, and a node's own data move what it sends next by
// what they move gamma g: the sensitivity and the noise are those of a step without momentum. A memory of gradients
// without noise would say again what a step has hidden, and one that not everybody sees is a hidden state: accountants that
// charge less than everything (flow, path) refuse it.

// Carry completes a step that Contribute, ContributeSample, Take or NoiseOnly has taken from before to x, number at of a run,
// by what velocity carries on.
func (l *Local) Carry(x, before, velocity []float64, at int) {
	gamma := l.StepSize.At(at)
	for j, from := range before {
		carried := float64(l.Momentum * velocity[j])
		velocity[j] = carried + (from-x[j])/gamma
		x[j] -= float64(gamma * carried)
	}
}
