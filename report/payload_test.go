package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"io"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// unpacked is the page's decoder, in Go.
func unpacked(t interface{ Fatal(...any) }, text string) []byte {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	data, err = io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shownLoss looks pair u, v up as the page does.
func shownLoss(p payload, shown, planes []byte, n, row, u, v int) float64 {
	i := row*n + u
	if p.Symmetric {
		i = max(u, v)*(max(u, v)-1)/2 + min(u, v)
	}
	code := int(planes[i])<<8 | int(planes[len(planes)/2+i])
	return math.Float64frombits(binary.LittleEndian.Uint64(shown[8*code:]))
}

func TestPageNeverShowsLessThanTheLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		b := drawBundle(t, n, 1)
		b.Losses[0].Status = rapid.SampledFrom([]Status{Published, Sound, Audit}).Draw(t, "status")
		if rapid.Bool().Draw(t, "symmetric") {
			at := b.Losses[0].At
			b.Losses[0].At = func(u, v int) float64 { return at(min(u, v), max(u, v)) }
		}
		if rapid.Bool().Draw(t, "partial") {
			at, unpriced := b.Losses[0].At, rapid.SliceOfN(rapid.Bool(), n*n, n*n).Draw(t, "unpriced")
			b.Losses[0].Partial = true
			b.Losses[0].At = func(u, v int) float64 {
				if u != v && unpriced[u*n+v] {
					return math.NaN()
				}
				return at(u, v)
			}
		}
		s, err := newSurvey(t.Context(), b, usual)
		if err != nil {
			t.Fatal(err)
		}
		observers := spaced(n, rapid.IntRange(1, n).Draw(t, "observers"))
		digits := rapid.IntRange(1, 4).Draw(t, "digits")
		checkShown(t, b.Losses[0], s.pack(0, observers, digits), observers, digits)
	})
}

func checkShown(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, l *Losses, p payload, observers []int, digits int) {
	shown, planes := unpacked(t, p.Shown), unpacked(t, p.Codes)
	for row, v := range observers {
		for u := range l.N {
			if u == v {
				continue
			}
			got, want := shownLoss(p, shown, planes, l.N, row, u, v), l.At(u, v)
			if math.IsNaN(want) && math.IsNaN(got) {
				continue
			}
			if math.IsNaN(want) != math.IsNaN(got) {
				t.Fatalf("the loss %v from %d to %d is shown as %v", want, u, v, got)
			}
			if read, is := bound(got, l.Status), bound(want, l.Status); digits >= shownDigits && read != is {
				t.Fatalf("the loss %v from %d to %d reads %s on the page, %s elsewhere", want, u, v, read, is)
			}
			above, below := got > want, got < want
			if l.Status == Audit && above || l.Status != Audit && below {
				t.Fatalf("%s loss %v from %d to %d is shown as %v", l.Status, want, u, v, got)
			}
			if got != want && !(math.Abs(got-want) <= p.Error*want*(1+1e-9)) {
				t.Fatalf("loss %v is shown as %v, stated error %v", want, got, p.Error)
			}
		}
	}
}

func TestFewDistinctLossesAreExact(t *testing.T) {
	b := hypercubeBundle(6)
	s, err := newSurvey(t.Context(), b, usual)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range s.payloads(s.carried()) {
		if p.Error != 0 || !p.Symmetric {
			t.Errorf("accountant %d: error %v, symmetric %v", k, p.Error, p.Symmetric)
		}
		checkShown(t, b.Losses[k], p, s.carried(), 4)
	}
}

func TestIrregularLossesKeepThreeDigits(t *testing.T) {
	b := geometricBundle(300)
	s, err := newSurvey(t.Context(), b, usual)
	if err != nil {
		t.Fatal(err)
	}
	list := s.payloads(s.carried())
	if !list[0].Symmetric || list[1].Symmetric {
		t.Errorf("symmetric: %v and %v, want true and false", list[0].Symmetric, list[1].Symmetric)
	}
	for k, p := range list {
		if p.Error > 2e-3 {
			t.Errorf("accountant %d is shown up to %v too high", k, p.Error)
		}
		checkShown(t, b.Losses[k], p, s.carried(), 4)
	}
}
