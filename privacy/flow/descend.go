package flow

// descend solves the linear equations of free roles, a = variance*q, by
// conjugate gradients with variances as preconditioner, starting from the
// current plan. c, r and d are scratch.
func (b *block) descend(c, r, d [][]float64, work effort) {
	b.differences(c)
	b.prices(c)
	size := make([]float64, b.cols)
	b.each(func(t, lo, hi int, precision, variance float64) {
		roles, plan, price, r, d := b.roles[t][lo:hi], b.plan[t][lo:hi], c[t][lo:hi], r[t][lo:hi], d[t][lo:hi]
		for k, role := range roles {
			r[k], d[k] = 0, 0
			if role == free {
				r[k] = price[k] - float64(plan[k]*precision)
				d[k] = variance * r[k]
				size[k] += float64(r[k] * d[k])
			}
		}
	})
	target := make([]float64, b.cols)
	for k, s := range size {
		target[k] = s * work.inner * work.inner
	}
	for range work.gradients {
		if !above(size, target) {
			return
		}
		size = b.gradient(c, r, d, size)
	}
}

// gradient takes one conjugate gradient step. size is the squared residual. It
// returns the new one.
func (b *block) gradient(c, r, d [][]float64, size []float64) []float64 {
	b.response(c, d)
	b.prices(c)
	curvature := make([]float64, b.cols)
	b.each(func(t, lo, hi int, precision, _ float64) {
		roles, c, d := b.roles[t][lo:hi], c[t][lo:hi], d[t][lo:hi]
		for k, role := range roles {
			if role == free {
				c[k] += float64(d[k] * precision)
				curvature[k] += float64(d[k] * c[k])
			}
		}
	})
	along := ratios(size, curvature)
	next := make([]float64, b.cols)
	b.each(func(t, lo, hi int, _, variance float64) {
		roles, plan, c, r, d := b.roles[t][lo:hi], b.plan[t][lo:hi], c[t][lo:hi], r[t][lo:hi], d[t][lo:hi]
		for k, role := range roles {
			if role == free {
				plan[k] += float64(along[k] * d[k])
				r[k] -= float64(along[k] * c[k])
				next[k] += float64(variance * r[k] * r[k])
			}
		}
	})
	turn := ratios(next, size)
	b.each(func(t, lo, hi int, _, variance float64) {
		roles, r, d := b.roles[t][lo:hi], r[t][lo:hi], d[t][lo:hi]
		for k, role := range roles {
			if role == free {
				d[k] = float64(variance*r[k]) + float64(turn[k]*d[k])
			}
		}
	})
	return next
}

// each visits the entries lo..hi-1 of every round and node, one a source.
func (b *block) each(visit func(t, lo, hi int, precision, variance float64)) {
	for t := range b.plan {
		for j := range b.n {
			visit(t, j*b.cols, (j+1)*b.cols, b.precision(t, j), b.variance(t, j))
		}
	}
}

// product returns the inner products of two arrays, one a source.
func (b *block) product(x, y [][]float64) []float64 {
	sum := make([]float64, b.cols)
	for t := range x {
		for lo := 0; lo < len(x[t]); lo += b.cols {
			y := y[t][lo : lo+b.cols]
			for k, v := range x[t][lo : lo+b.cols] {
				sum[k] += float64(v * y[k])
			}
		}
	}
	return sum
}

// ratios returns x/y, with 0 where y is not positive.
func ratios(x, y []float64) []float64 {
	q := make([]float64, len(x))
	for k := range q {
		if y[k] > 0 {
			q[k] = x[k] / y[k]
		}
	}
	return q
}

// above reports whether an entry of x is larger than that of y.
func above(x, y []float64) bool {
	for k := range x {
		if x[k] > y[k] {
			return true
		}
	}
	return false
}
