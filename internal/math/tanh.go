// Copyright 2009 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style license that can be found in
// the file LICENSE beside it. The algorithms are those of the Cephes Mathematical
// Library 2.8, Copyright 1984 to 2000 by Stephen L. Moshier.

package math

var tanhP = [...]float64{
	-9.64399179425052238628e-1,
	-9.92877231001918586564e1,
	-1.61468768441708447952e3,
}

var tanhQ = [...]float64{
	1.12811678491632931402e2,
	2.23548839060100448583e3,
	4.84406305325125486048e3,
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float64) float64 {
	const MAXLOG = 8.8029691931113054295988e+01 // log(2**127)
	z := Abs(x)
	switch {
	case z > 0.5*MAXLOG:
		if x < 0 {
			return -1
		}
		return 1
	case z >= 0.625:
		s := Exp(2 * z)
		z = 1 - 2/(s+1)
		if x < 0 {
			z = -z
		}
	default:
		if x == 0 {
			return x
		}
		s := float64(x * x)
		z = x + x*s*(float64((float64(tanhP[0]*s)+tanhP[1])*s)+tanhP[2])/(float64((float64((s+tanhQ[0])*s)+tanhQ[1])*s)+tanhQ[2])
	}
	return z
}

// Sinh returns the hyperbolic sine of x.
func Sinh(x float64) float64 {
	// The coefficients are #2029 from Hart & Cheney. (20.36D)
	const (
		P0 = -0.6307673640497716991184787251e+6
		P1 = -0.8991272022039509355398013511e+5
		P2 = -0.2894211355989563807284660366e+4
		P3 = -0.2630563213397497062819489e+2
		Q0 = -0.6307673640497716991212077277e+6
		Q1 = 0.1521517378790019070696485176e+5
		Q2 = -0.173678953558233699533450911e+3
	)

	sign := false
	if x < 0 {
		x = -x
		sign = true
	}

	var temp float64
	switch {
	case x > 21:
		temp = float64(Exp(x) * 0.5)

	case x > 0.5:
		ex := Exp(x)
		temp = float64((ex - 1/ex) * 0.5)

	default:
		sq := float64(x * x)
		temp = float64((float64((float64((float64(P3*sq)+P2)*sq)+P1)*sq) + P0) * x)
		temp = temp / (float64((float64((sq+Q2)*sq)+Q1)*sq) + Q0)
	}

	if sign {
		temp = -temp
	}
	return temp
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float64) float64 {
	x = Abs(x)
	if x > 21 {
		return float64(Exp(x) * 0.5)
	}
	ex := Exp(x)
	return float64((ex + 1/ex) * 0.5)
}
