package walkpublished

import "github.com/hearsay-dp/hearsay/internal/math"

// Sum is S[u][v] for u != v, exactly. After j moves the token that left a leaf
// is in the middle if j is odd, else at a uniform leaf; the parity of j is read
// off the eigenvalue 2 SelfLoop - 1, and j = 0 off SelfLoop.
func (s Star) Sum(u, v int) float64 {
	always, parity := partialLog(0, s.Steps), partialLog(2-float64(2*s.SelfLoop), s.Steps)
	leaves := float64(s.Nodes - 1)
	switch {
	case v == 0:
		return (always - parity) / 2
	case u == 0:
		return (always - parity) / 2 / leaves
	}
	return (float64((always+parity)/2) - partialLog(1-s.SelfLoop, s.Steps)) / leaves
}

// Published is 002, Theorem 7.11, as printed.
//
// It is not a bound of S. Its proof walks by A/(n-1), whose rows do not sum to
// 1 except in the middle: a leaf hands the token to the middle with probability
// 1/(n-1) instead of 1, and the loss between leaves loses a factor of about
// (n-1) H_T/2. (Its sum over even powers, Proposition D.19, is twice the true
// one, on the other side.)
func (s Star) Published(u, v int) float64 {
	leaves := float64(s.Nodes - 1)
	if u != 0 && v != 0 {
		return -(1 - s.SelfLoop) / leaves * math.Log1p(-1/leaves)
	}
	root := math.Sqrt(leaves)
	return (1 - s.SelfLoop) / (2 * root) * math.Log((root+1)/(root-1))
}

// Sum is S[u][v], exactly: W is circulant, so its eigenvectors are the Fourier
// modes, and S depends on u - v.
func (r Ring) Sum(u, v int) float64 {
	return r.modes(u, v, partialLog(0, r.Steps), func(gap float64) float64 { return partialLog(gap, r.Steps) })
}

// ClosedForm is equation D.11 on the ring, what Theorem 7.12 means: ln T for
// the harmonic number, and an endless sum for the other modes,
// (1/n) (ln T - sum over k = 1..n-1 of cos(2 pi (u-v) k/n) ln(1 - lambda_k)).
// With SelfLoop = 1/3, 1 - lambda_k is (4/3) sin^2(pi k/n). SelfLoop < 1.
func (r Ring) ClosedForm(u, v int) float64 {
	return r.modes(u, v, math.Log(float64(r.Steps)), func(gap float64) float64 { return -math.Log(gap) })
}

// modes adds value(1 - lambda_k) cos(2 pi (u-v) k/n) over the n modes, the
// constant one by name, divided by n.
func (r Ring) modes(u, v int, constant float64, value func(gap float64) float64) float64 {
	n, sum := float64(r.Nodes), constant
	for k := 1; k < r.Nodes; k++ {
		sine := math.Sin(math.Pi * float64(k) / n)
		gap := (1 - r.SelfLoop) * 2 * sine * sine
		sum += float64(value(gap) * r.cos(2, u-v, k))
	}
	return sum / n
}

// cos is cos(halves pi a k/n), the angle reduced first.
func (r Ring) cos(halves, a, k int) float64 {
	turns := (halves * a * k) % (2 * r.Nodes)
	return math.Cos(math.Pi * float64(turns) / float64(r.Nodes))
}

// PublishedThirds is the first display of 002, Theorem 7.12, as printed, for
// SelfLoop = 1/3.
//
// It is not S, nor a bound of it. It is indexed by the sum of the two nodes,
// a = (u + v - 2) mod n in the papers' 1..n, so that it changes when the ring
// is turned; in the sum the cosine has half its frequency; and the mode of
// ln T is kept for neighbours only. ClosedForm is what the steps of the proof
// give: u - v for a, 2 pi for pi, 1 for the factor 2, ln T for every pair.
func (r Ring) PublishedThirds(u, v int) float64 {
	n, a := float64(r.Nodes), r.printedIndex(u, v)
	sum := 0.0
	for k := 1; k < r.Nodes; k++ {
		csc := 1 / math.Sin(math.Pi*float64(k)/n)
		sum += float64(r.cos(1, a, k) * math.Log(0.75*csc*csc))
	}
	sum *= 2
	if r.neighbours(u, v) {
		sum += float64(math.Log(float64(r.Steps)) * r.cos(2, a, 1))
	}
	return sum / n
}

// PublishedLazy is the second display of 002, Theorem 7.12, as printed, for
// any SelfLoop > 0.
//
// It is not S, nor a bound of it. The index is as above; the weights 1/t are
// gone, so that it grows like T; the step t = 1 counts 1/n where W has
// (1 - SelfLoop)/2; and cos^t(x) cos(a x) is taken for cos^(t-1)(x) cos((a+1) x).
// Where the parity of a + 1 never fits, it is 0 for a pair that meets.
func (r Ring) PublishedLazy(u, v int) float64 {
	n, a := float64(r.Nodes), r.printedIndex(u, v)
	sum := 0.0
	for k := 1; k <= r.Nodes; k++ {
		x := r.cos(2, 1, k)
		sum += float64(geometric(x, r.Steps) * r.cos(2, a+1, k))
	}
	sum = float64(sum * (1 - r.SelfLoop))
	if r.neighbours(u, v) {
		sum++
	}
	return sum / n
}

// geometric is x + x^2 + ... + x^(steps-1).
func geometric(x float64, steps int) float64 {
	sum := 0.0
	for range steps - 1 {
		sum = x * (1 + sum)
	}
	return sum
}

// printedIndex is (u + v - 2) mod n in the papers' numbering from 1.
func (r Ring) printedIndex(u, v int) int { return (u + v) % r.Nodes }

func (r Ring) neighbours(u, v int) bool {
	d := (u - v + r.Nodes) % r.Nodes
	return d == 1 || d == r.Nodes-1
}

// Sum is S for every pair, the holder's own included: H_T/n.
func (c Complete) Sum() float64 { return partialLog(0, c.Steps) / float64(c.Nodes) }

// Hitting is the endless sum of P(first turn at v is t)/t: ln(n)/(n-1).
func (c Complete) Hitting() float64 { return math.Log(float64(c.Nodes)) / float64(c.Nodes-1) }
