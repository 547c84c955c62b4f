package allpairs

import (
	"reflect"
	"testing"

	"github.com/hearsay-dp/hearsay/sparse"
)

func ring3() Walk {
	return Walk{W: sparse.FromDense(3, []float64{0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0, 0.5}), Start: []float64{0.25, 0.75, 0}, Turns: 9, Cap: 2, Skip: 0.25}
}

// A walk is read as it was written, and whatever is read is one.
func FuzzWalk(f *testing.F) {
	text, err := ring3().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)-1])
	for _, at := range []int{0, 8, 16, 24, 32, 40, 48, 56, 88, 92, 100} {
		other := append([]byte(nil), text...)
		other[at] ^= 0x41
		f.Add(other)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var w Walk
		if w.UnmarshalBinary(text) != nil {
			return
		}
		again, err := w.MarshalBinary()
		if err != nil || !reflect.DeepEqual(again, text) {
			t.Fatalf("%x is read as %x: %v", text, again, err)
		}
		if _, err := NewPlan(w); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWalksAreReadAsWritten(t *testing.T) {
	text, err := ring3().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var w Walk
	if err := w.UnmarshalBinary(text); err != nil || !reflect.DeepEqual(w, ring3()) {
		t.Errorf("%+v, %v", w, err)
	}
}
