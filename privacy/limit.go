package privacy

// A Limit is the largest loss that some ordered pairs of nodes may have. Several are
// kept by the noise that each of them asks for at most.
type Limit struct {
	Loss float64
	Of   func(u, v int) bool // u's data, v observes; nil: every pair of different nodes
}

// Concerns reports whether a pair of different nodes is limited.
func (l Limit) Concerns(u, v int) bool { return u != v && (l.Of == nil || l.Of(u, v)) }

// Worst is the largest value of n nodes' pairs that are limited, and whether there are
// any.
func (l Limit) Worst(n int, value func(u, v int) float64) (worst float64, some bool) {
	for u := range n {
		for v := range n {
			if l.Concerns(u, v) {
				some, worst = true, max(worst, value(u, v))
			}
		}
	}
	return worst, some
}
