package testdata

// Audited is the spec of a small walk whose pairs are audited. Callers fill in graph, steps, contributions, start, sigma, delta
// and release.
const Audited = `
name: audited
data: {source: two-gaussians, rows: 3, features: 4, normalise: unit}
graph: %s
algorithm: {steps: %d, step_size: 0.1, clip: 0.3, contributions: %d, start: %s}
privacy: {sigma: %g, metric: {epsilon_at_delta: %g}, release: %s}
`
