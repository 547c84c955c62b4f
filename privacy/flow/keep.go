package flow

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// WithKeeper returns the same accountant with a keeper. It stores the energies of sources
// as they are found, and recalls stored ones. Energies do not depend on the noise, so
// another sigma, delta or target recalls them too. nil: nothing is kept.
func (a *Accountant) WithKeeper(keeper privacy.Keeper) *Accountant {
	other := *a
	if other.keeper = keeper; keeper != nil {
		other.kept = a.p.key()
	}
	return &other
}

// key returns a digest of everything that the energies of a problem depend on, except the
// method.
func (p *Problem) key() privacy.Key {
	sum := sha256.New()
	plain := *p
	plain.Weights, plain.Hears = nil, nil
	fmt.Fprintf(sum, "%+v\n", plain) // %v writes different floats differently
	writeMatrices(sum, p.Weights)
	writeMatrices(sum, p.Hears)
	return privacy.Key(sum.Sum(nil))
}

func writeMatrices(sum hash.Hash, list []*sparse.Matrix) {
	known := map[*sparse.Matrix]int{}
	fmt.Fprintf(sum, "%d matrices\n", len(list))
	for _, m := range list {
		place, again := known[m]
		if again {
			fmt.Fprintf(sum, "%d\n", place)
			continue
		}
		known[m] = len(known)
		fmt.Fprintf(sum, "new, of order %d\n", m.N)
		var text []byte
		for i := range m.N {
			columns, values := m.Row(i)
			text = binary.LittleEndian.AppendUint64(text[:0], uint64(len(columns)))
			for k, j := range columns {
				text = binary.LittleEndian.AppendUint32(text, uint32(j))
				text = binary.LittleEndian.AppendUint64(text, math.Float64bits(values[k]))
			}
			sum.Write(text)
		}
	}
}

// remembered returns the energies of sources towards a coalition by a method. It recalls
// them, or finds and keeps them.
func (a *Accountant) remembered(method string, coalition, sources []int, find func() []float64) []float64 {
	if a.keeper == nil {
		return find()
	}
	key := privacy.Key(sha256.Sum256(fmt.Appendf(nil, "%x %s of %v towards %v", a.kept, method, sources, coalition)))
	if text := a.keeper.Recall(key); len(text) == 8*len(sources) {
		if energies := energiesOf(text); energies != nil {
			return energies
		}
	}
	energies, text := find(), []byte(nil)
	for _, e := range energies {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(e))
	}
	a.keeper.Keep(key, text)
	return energies
}

// energiesOf reads energies. It returns nil if one of them is negative or NaN.
func energiesOf(text []byte) []float64 {
	energies := make([]float64, len(text)/8)
	for k := range energies {
		if energies[k] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*k:])); !(energies[k] >= 0) {
			return nil
		}
	}
	return energies
}
