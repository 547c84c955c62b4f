package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// maxLossBytes bounds the text of all losses the page carries.
const maxLossBytes = 12 << 20

// A payload holds the losses of one accountant as the page includes them.
type payload struct {
	Shown     string  // packed float64 per code
	Codes     string  // packed planes of 16-bit codes: observers x nodes known, or the lower triangle
	Symmetric bool    // only pairs u < v are included, by v
	Error     float64 // largest relative error of a shown loss
	Low, High float64 // smallest positive and largest finite loss; 0 if there is none
}

// payloads packs the losses towards observers, with four digits if that fits the page
// and with fewer if not.
func (s *survey) payloads(observers []int) []payload {
	var list []payload
	for _, digits := range []int{4, 3} {
		list = list[:0]
		size := 0
		for k := range s.losses {
			p := s.pack(k, observers, digits)
			size += len(p.Shown) + len(p.Codes)
			list = append(list, p)
		}
		if size <= maxLossBytes {
			break
		}
	}
	return list
}

// carried lists the observers whose losses the page includes. For a single
// participant it is all of them.
func (s *survey) carried() []int {
	if s.n <= s.limits.embedded || !s.mutual() {
		return spaced(s.n, s.n)
	}
	return spaced(s.n, s.limits.observers)
}

// pack encodes accountant k with digits significant digits, or fewer if there are
// more such numbers than codes.
func (s *survey) pack(k int, observers []int, digits int) payload {
	p := payload{Symmetric: s.mutual() && len(observers) == s.n && s.symmetric(k)}
	eps := s.values(k, observers, p.Symmetric)
	p.Low, p.High = positiveRange(eps)
	q := newQuantiser(digits, s.losses[k].Status)
	for _, e := range eps {
		if !q.add(e) {
			return s.pack(k, observers, digits-1)
		}
	}
	shown, worst := q.finish()
	codes := make([]byte, 2*len(eps))
	for i, e := range eps {
		code := q.code(e)
		codes[i], codes[len(eps)+i] = byte(code>>8), byte(code)
	}
	p.Shown, p.Codes, p.Error = packFloats(shown), pack(codes), worst
	return p
}

// values lists the losses towards each observer. They are from every node with known
// losses or, if symmetric, from the nodes before it.
func (s *survey) values(k int, observers []int, symmetric bool) []float64 {
	var eps []float64
	for _, v := range observers {
		from := s.about
		if symmetric {
			from = from[:v]
		}
		for _, u := range from {
			e := s.at(k, u, v)
			if symmetric {
				e = max(e, s.at(k, v, u))
			}
			eps = append(eps, e)
		}
	}
	return eps
}

// symmetric reports whether both directions of every pair have the same loss, up to
// rounding. A lower bound must be exactly symmetric, because rounding must not raise
// it.
func (s *survey) symmetric(k int) bool {
	within := 1e-12
	if s.losses[k].Status == Audit {
		within = 0
	}
	for u := range s.n {
		for v := range u {
			a, b := s.at(k, u, v), s.at(k, v, u)
			if a != b && !(math.IsNaN(a) && math.IsNaN(b)) && !(math.Abs(a-b) <= within*min(a, b)) {
				return false
			}
		}
	}
	return true
}

// positiveRange returns the smallest positive and the largest finite loss. It returns
// 0, 0 if there is none.
func positiveRange(eps []float64) (low, high float64) {
	low = math.Inf(1)
	for _, e := range eps {
		if e > 0 && !math.IsInf(e, 1) {
			low, high = min(low, e), max(high, e)
		}
	}
	if high == 0 {
		low = 0
	}
	return low, high
}

// pack compresses data into text that HTML leaves unchanged: gzip, then base64 with
// the URL alphabet and no padding.
func pack(data []byte) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data) // a bytes.Buffer never fails
	z.Close()
	return base64.RawURLEncoding.EncodeToString(b.Bytes())
}

func packFloats(values []float64) string {
	data := make([]byte, 0, 8*len(values))
	for _, x := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	return pack(data)
}
