package math

// GammaTails returns the probabilities that a Gamma variable of shape a > 0 and scale 1 is below and above x >= 0: the
// regularised incomplete Gamma functions P and Q. The smaller one has full relative precision (series and continued fraction,
// DLMF 8.11.4 and 8.9.2).
func GammaTails(a, x float64) (below, above float64) {
	switch {
	case x <= 0:
		return 0, 1
	case IsInf(x, 1):
		return 1, 0
	}
	scale := Sqrt(a/(2*Pi)) * Exp(deviance(a, x)-stirling(a)) // x^a e^-x / Gamma(a)
	if x < a+1 {
		term := 1 / a
		sum := term
		for n := 1.0; term > sum*0x1p-54; n++ {
			term = float64(term * x / (a + n))
			sum += term
		}
		below = min(1, scale*sum)
		return below, 1 - below
	}
	above = min(1, scale*fraction(func(n float64) (over, plus float64) {
		if n == 0 {
			return 1, x + 1 - a
		}
		return float64(n * (a - n)), x + 1 - a + float64(2*n)
	}))
	return 1 - above, above
}

// BetaBelow returns the probability that a Beta variable of shapes a > 0 and b > 0 is below x in [0, 1]: the regularised
// incomplete beta function. A small result has full relative precision (DLMF 8.17.22).
func BetaBelow(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaFraction(b, a, 1-x, x)
	}
	return betaFraction(a, b, x, 1-x)
}

// betaFraction computes BetaBelow where its continued fraction converges fast. rest is 1 - x.
func betaFraction(a, b, x, rest float64) float64 {
	n := a + b
	scale := Sqrt(a*b/n/(2*Pi)) * Exp(deviance(a, float64(n*x))+deviance(b, float64(n*rest))+stirling(n)-stirling(a)-stirling(b))
	return min(1, scale/a*fraction(func(k float64) (over, plus float64) {
		m := Floor(k / 2)
		switch {
		case k == 0:
			return 1, 1
		case Mod(k, 2) == 1:
			return -float64((a + m) * (n + m) * x / ((a + float64(2*m)) * (a + float64(2*m) + 1))), 1
		}
		return float64(m * (b - m) * x / ((a + float64(2*m) - 1) * (a + float64(2*m)))), 1
	}))
}

// fraction evaluates over(0)/(plus(0) + over(1)/(plus(1) + ...)) by Lentz's method.
func fraction(of func(n float64) (over, plus float64)) float64 {
	const tiny = 1e-300
	value, c, d := tiny, tiny, 0.0
	for n := 0.0; n < 1e6; n++ {
		over, plus := of(n)
		if d = plus + float64(over*d); d == 0 {
			d = tiny
		}
		if c = plus + over/c; c == 0 {
			c = tiny
		}
		d = 1 / d
		factor := float64(c * d)
		value = float64(value * factor)
		if Abs(factor-1) < 0x1p-51 {
			break
		}
	}
	return value
}

// deviance returns a log(y/a) - (y - a), which is at most 0, without cancellation where y is near a.
func deviance(a, y float64) float64 {
	if off := (y - a) / a; Abs(off) <= 0.5 {
		return a * (Log1p(off) - off)
	}
	return float64(a*Log(y/a)) - (y - a)
}

// stirling returns the logarithm of the Gamma function at a > 0 minus Stirling's formula, (a - 1/2) log(a) - a + log(2 pi)/2
// (DLMF 5.11.1).
func stirling(a float64) float64 {
	if a < 10 {
		log, _ := Lgamma(a)
		return log - (float64((a-0.5)*Log(a)) - a + logTwoPi/2)
	}
	inverse, sum := 1/(a*a), 0.0
	for _, c := range [...]float64{1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12} {
		sum = c + float64(sum*inverse)
	}
	return sum / a
}

// logTwoPi is log(2 pi).
const logTwoPi = 1.8378770664093454835606594728112

// NormalQuantile returns the x below which a standard normal variable lies with probability p.
func NormalQuantile(p float64) float64 {
	return float64(-Sqrt2 * Erfcinv(float64(2*p)))
}
