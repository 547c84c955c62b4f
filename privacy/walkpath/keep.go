package walkpath

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// lawsVersion must be raised when the law of a walk by a method changes, so that laws stored by an older
// program are computed anew.
const lawsVersion = 3

// key returns a hash of everything that a law depends on except the pair: every field of the walk, and the
// method that computes laws. Nodes' sensitivities do not enter.
func (w Walk) key(method string) privacy.Key {
	plain, matrix := w, w.W
	plain.W, plain.Watch, plain.Sensitivities, plain.Records, plain.Besides = nil, nil, nil, false, 0 // laws are for the largest sensitivity
	sum := sha256.New()
	fmt.Fprintf(sum, "laws %d\n%s\n%+v\n", lawsVersion, method, plain) // %v writes different floats differently
	if matrix != nil {
		fmt.Fprintf(sum, "%d %d %d\n", matrix.N, len(matrix.Offsets), len(matrix.Columns))
		for _, offset := range matrix.Offsets {
			fmt.Fprintf(sum, "%d ", offset)
		}
		var entry [12]byte
		for k, column := range matrix.Columns {
			binary.LittleEndian.PutUint32(entry[:4], uint32(column))
			binary.LittleEndian.PutUint64(entry[4:], math.Float64bits(matrix.Values[k]))
			sum.Write(entry[:])
		}
	}
	return privacy.Key(sum.Sum(nil))
}

// lawKey returns the key of a pair's law, given the key of all laws of the walk.
func lawKey(all privacy.Key, p Pair) privacy.Key {
	return sha256.Sum256(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(all[:], uint64(p.U)), uint64(p.V)))
}

// recall returns a stored law, or nil if there is none.
func recall(from privacy.Keeper, key privacy.Key) *Law {
	text := from.Recall(key)
	l := new(Law)
	if text == nil || l.UnmarshalBinary(text) != nil {
		return nil
	}
	return l
}

// keep stores a law. A law that cannot be encoded is not stored, and computed again later.
func keep(in privacy.Keeper, l *Law, key privacy.Key) {
	if text, err := l.MarshalBinary(); err == nil {
		in.Keep(key, text)
	}
}

// keptLaw is a law in a form that can be encoded. The tables of a renewal are not stored, because they follow
// from its laws.
type keptLaw struct {
	Accountant, Status, If string
	Towards                string
	Final, Gaussian        bool
	Assumptions            []string
	Energies, Weights      []float64
	Most                   int
	Exact                  bool

	Renewal                  bool
	Turns, Cap               int
	Arrive, Again, Back, Hit []float64
	Rest                     float64
	Weighted                 []float64

	Parts [][]byte // the laws of the terms, if it is the law of a sum
	Times []int
}

// MarshalBinary encodes a law. UnmarshalBinary decodes the same law, bit for bit.
func (l *Law) MarshalBinary() ([]byte, error) {
	k := keptLaw{
		Accountant: l.Accountant, Status: string(l.Status), If: l.If, Towards: string(l.Towards), Final: l.Final, Gaussian: l.Gaussian, Assumptions: l.Assumptions,
		Energies: l.Energies, Weights: l.Weights, Most: l.Most, Exact: l.exact,
	}
	if r := l.renewal; r != nil {
		k.Renewal, k.Turns, k.Cap = true, r.turns, r.cap
		k.Arrive, k.Again, k.Back, k.Hit, k.Rest, k.Weighted = r.arrive, r.again, r.back, r.hit, r.rest, r.weighted
	}
	for _, p := range l.parts {
		one, err := p.law.MarshalBinary()
		if err != nil {
			return nil, err
		}
		k.Parts, k.Times = append(k.Parts, one), append(k.Times, p.times)
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(k)
	return text.Bytes(), err
}

// UnmarshalBinary decodes a law. It returns an error if text is not a valid law.
func (l *Law) UnmarshalBinary(text []byte) error {
	var k keptLaw
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&k); err != nil {
		return err
	}
	if err := k.check(); err != nil {
		return err
	}
	*l = Law{
		Claim: privacy.Claim{Accountant: k.Accountant, Status: privacy.Status(k.Status), If: k.If, Towards: privacy.Observer(k.Towards), Final: k.Final, Gaussian: k.Gaussian,
			Assumptions: k.Assumptions},
		Energies: k.Energies, Weights: k.Weights, Most: k.Most, exact: k.Exact,
	}
	for i, one := range k.Parts {
		p := part{law: new(Law), times: k.Times[i]}
		if err := p.law.UnmarshalBinary(one); err != nil {
			return err
		}
		if p.law.parts != nil {
			return errors.New("a sum of sums")
		}
		l.parts = append(l.parts, p)
	}
	if k.Renewal {
		l.renewal = &renewal{turns: k.Turns, cap: k.Cap, arrive: k.Arrive, again: k.Again, gapLaw: gapLaw{back: k.Back, hit: k.Hit, rest: k.Rest},
			weighted: k.Weighted}
		if k.Weighted != nil && len(k.Weighted) != len(l.renewal.rates()) {
			return errors.New("a law of another number of rates")
		}
		l.renewal.tabulate()
	}
	return nil
}

func (k *keptLaw) check() error {
	switch {
	case len(k.Energies) == 0 || len(k.Energies) != len(k.Weights) || k.Most < 1:
		return errors.New("a law without energies")
	case k.Renewal && (k.Turns < 1 || k.Cap < 0 || len(k.Back) == 0 || len(k.Hit) != len(k.Back)):
		return errors.New("a law of no walk")
	case len(k.Parts) != len(k.Times) || slices.ContainsFunc(k.Times, func(n int) bool { return n < 1 }):
		return errors.New("a sum of no laws")
	}
	for _, list := range [][]float64{k.Energies, k.Weights, k.Arrive, k.Again, k.Back, k.Hit, k.Weighted} {
		for _, x := range list {
			if !(x > -1e-6 && x < math.MaxFloat64) { // rounding leaves weights slightly below 0
				return fmt.Errorf("a law with the value %g", x)
			}
		}
	}
	return nil
}
