package walkpath

// DirectedRingClass is for rings of n nodes whose edges go one way round, in
// order; and for others, whose pairs it tells apart more than it must.
func DirectedRingClass(n int) PairClass {
	return func(u, v int) int { return (v-u+n)%n - 1 }
}
