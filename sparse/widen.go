package sparse

import (
	"encoding/binary"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Widen sets dst to single-precision numbers, given in little-endian bytes, four each. singles must be at least
// 4*len(dst) long.
func Widen(dst []float64, singles []byte) {
	singles = singles[:4*len(dst)]
	if widest > 0 && len(dst) >= shortest {
		widenVector(&dst[0], &singles[0], len(dst))
		return
	}
	widen(dst, singles)
}

func widen(dst []float64, singles []byte) {
	for i := range dst {
		dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(singles[4*i:])))
	}
}
