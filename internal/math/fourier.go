package math

// Multiply returns a b with each product of parts rounded: a*b may fuse them.
func Multiply(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// Fourier replaces x, whose length n must be a power of 2, by its discrete Fourier
// transform: entry k is the sum of x[j] e^(-2 pi i j k/n). Twice, it gives n times x,
// reversed but for x[0]. Cooley and Tukey 1965, with twiddle factors that are rounded once.
func Fourier(x []complex128) {
	n := len(x)
	if n&(n-1) != 0 {
		panic("math: a length that is no power of 2")
	}
	for i, j := 1, 0; i < n; i++ { // entries go where their bits reversed say
		bit := n >> 1
		for ; j&bit != 0; bit >>= 1 {
			j ^= bit
		}
		if j ^= bit; i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	factors := make([]complex128, n/2)
	for k := range factors {
		sin, cos := Sincos(float64(2*Pi*float64(k)) / float64(n))
		factors[k] = complex(cos, -sin)
	}
	for half := 1; half < n; half *= 2 {
		for start := 0; start < n; start += 2 * half {
			low, high := x[start:start+half], x[start+half:start+2*half]
			for k, a := range low {
				b := Multiply(factors[k*(n/(2*half))], high[k])
				low[k], high[k] = a+b, a-b
			}
		}
	}
}
