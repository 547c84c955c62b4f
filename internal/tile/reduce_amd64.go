package tile

// reduceVector reduces as many of the first numbers as vector instructions take, and returns how many.
func reduceVector(x []float64, m Modulus) int {
	blocks := len(x) / (2 * Width)
	switch {
	case blocks == 0:
		return 0
	case haveTile512:
		reduce512(&x[0], blocks, m.size, m.inverse)
	case haveTile256:
		reduce256(&x[0], blocks, m.size, m.inverse)
	default:
		return 0
	}
	return blocks * 2 * Width
}

// reduce512 and reduce256 compute Reduce on blocks of 32 numbers.
//
//go:noescape
func reduce512(x *float64, blocks int, size, inverse float64)

//go:noescape
func reduce256(x *float64, blocks int, size, inverse float64)
