package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/scatter"
)

type digest = [sha256.Size]byte

// A Keeper keeps encoded rows between runs, under a digest of the rows and of their encoding. Recall returns nil if nothing was
// kept, or if the kept rows are damaged.
type Keeper interface {
	Recall(digest [sha256.Size]byte) []byte
	Keep(digest [sha256.Size]byte, rows []byte)
}

// Fewer numbers than leastKept are encoded about as fast as they are read. Up to mostTogether bytes are kept together.
const (
	leastKept    = 1 << 20
	mostTogether = 32 << 20
)

// A row holds a row as it was read, and the place for its encoding.
type row struct {
	digest   digest
	from, to []float64
}

// encodeParts returns the encoded rows of each part. Rows are kept in the order of their digests: the same rows are recalled for
// other nodes, and for another choice of test rows.
func encodeParts(e *scatter.Encoding, chain *scatter.Chain, columns int, keeper Keeper, parts ...[]float64) [][]float64 {
	encoded, numbers, workers := make([][]float64, len(parts)), 0, runtime.GOMAXPROCS(0)
	for _, x := range parts {
		numbers += len(x)
	}
	if keeper == nil || numbers < leastKept {
		for p, x := range parts {
			encoded[p] = chain.Encode(x, workers)
		}
		return encoded
	}
	var rows []row
	for p, x := range parts {
		encoded[p] = make([]float64, len(x)/columns*chain.Size())
		for i := range len(x) / columns {
			rows = append(rows, row{from: x[i*columns:][:columns], to: encoded[p][i*chain.Size():][:chain.Size()]})
		}
	}
	parallel.Each(len(rows), workers, func(i int) { rows[i].digest = sha256.Sum256(appendNumbers(nil, rows[i].from)) })
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	for block := range slices.Chunk(rows, max(1, mostTogether/8/chain.Size())) {
		recallOrEncode(e, chain, keeper, block, workers)
	}
	return encoded
}

// recallOrEncode fills the places of rows that are kept together.
func recallOrEncode(e *scatter.Encoding, chain *scatter.Chain, keeper Keeper, block []row, workers int) {
	key := keyOf(e, block)
	if readNumbers(block, keeper.Recall(key)) {
		return
	}
	var together []float64
	for _, r := range block {
		together = append(together, r.from...)
	}
	together = chain.Encode(together, workers)
	for i, r := range block {
		copy(r.to, together[i*chain.Size():])
	}
	keeper.Keep(key, appendNumbers(nil, together))
}

// keyOf returns a digest of an encoding and of rows.
func keyOf(e *scatter.Encoding, block []row) digest {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // an encoding has nothing that JSON lacks
	}
	h := sha256.New()
	h.Write(append([]byte("encoded rows"), text...))
	for _, r := range block {
		h.Write(r.digest[:])
	}
	return digest(h.Sum(nil))
}

func appendNumbers(text []byte, x []float64) []byte {
	text = slices.Grow(text, 8*len(x))
	for _, v := range x {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
	}
	return text
}

// readNumbers fills the places of rows with kept numbers. It returns false if the text has
// another length or holds a number that is not finite.
func readNumbers(block []row, text []byte) bool {
	size := 0
	for _, r := range block {
		size += 8 * len(r.to)
	}
	if len(text) != size {
		return false
	}
	for _, r := range block {
		for j := range r.to {
			v := math.Float64frombits(binary.LittleEndian.Uint64(text))
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
			r.to[j], text = v, text[8:]
		}
	}
	return true
}
