package tile

// rootTable holds the constants of norm512 and norm256, each as wide as a register.
var rootTable = func() (t [15 * 8]float64) {
	for at, x := range [...]float64{
		log4, log3, log2, log1, log0,
		exp4, exp3, exp2, exp1, exp0,
		1, 1023, 0x1p52, roundUp, smallest,
	} {
		for i := range 8 {
			t[at*8+i] = x
		}
	}
	return t
}()

func normVector(cost, sum, chance *Lanes, k int, place, factor float64) bool {
	share, more := 1/float64(k), float64(k-1)
	switch {
	case haveTile512:
		return norm512(&cost[0], &sum[0], &chance[0], k, &rootTable[0], share, more, place, factor)
	case haveTile256:
		return norm256(&cost[0], &sum[0], &chance[0], k, &rootTable[0], share, more, place, factor)
	}
	return false
}

// norm512 computes normPlain on 16 lanes with the constants of table. It reports false, and changes nothing, for a root of
// order 3 or more of a number below smallest.
//
//go:noescape
func norm512(cost, sum, chance *float64, k int, table *float64, share, more, place, factor float64) bool

// norm256 does the same.
//
//go:noescape
func norm256(cost, sum, chance *float64, k int, table *float64, share, more, place, factor float64) bool
