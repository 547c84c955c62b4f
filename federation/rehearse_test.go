package federation

import (
	"reflect"
	"testing"
)

// Seen as another participant, a federation is what it is when it is opened as that one: the
// noise and the plan, to the bit.
func TestAsIsOpen(t *testing.T) {
	for name, text := range map[string]string{"a sum": summing, "a histogram": counting} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, text)
			s.declare("rows: 30")
			first := open(t, s.spec, s.names[0])
			for _, name := range s.names {
				as, err := first.As(name)
				if err != nil {
					t.Fatal(err)
				}
				want := open(t, s.spec, name)
				if as.Noise != want.Noise || as.Hash != want.Hash || as.Name() != name {
					t.Errorf("%s: noise %+v, want %+v", name, as.Noise, want.Noise)
				}
				got, opened := plan(t, as), plan(t, want)
				if !reflect.DeepEqual(got.Towards, opened.Towards) || !reflect.DeepEqual(got.Coalitions, opened.Coalitions) || got.Local != opened.Local {
					t.Errorf("%s: %+v, want %+v", name, got, opened)
				}
			}
			if _, err := first.As("nobody"); err == nil {
				t.Error("a stranger has a place")
			}
		})
	}
}

// A pair of participants who give random answers is explained, with the plan's number.
func TestHistogramsAreExplained(t *testing.T) {
	s := newStage(t, counting)
	f := open(t, s.spec, s.names[0])
	e, err := f.Explain(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if p := plan(t, f); e.Epsilon != p.Towards[0].Epsilon || len(e.Text) == 0 {
		t.Errorf("epsilon %g, the plan says %g", e.Epsilon, p.Towards[0].Epsilon)
	}
}

// The hash of the resolved spec, read again, is that which nodes compare.
func TestHashOfAResolvedSpec(t *testing.T) {
	s := newStage(t, counting)
	f := open(t, s.spec, s.names[0])
	if hash, err := HashOf(f.Spec); err != nil || hash != f.Hash {
		t.Errorf("%x, %v; want %x", hash, err, f.Hash)
	}
}

// A frame has its numbers and no more than the format allows besides.
func TestCost(t *testing.T) {
	s := newStage(t, summing)
	cost, frame, err := open(t, s.spec, s.names[0]).Cost()
	if err != nil || cost.Hops == 0 || frame <= cost.BytesPerHop || frame > cost.BytesPerHop+80 {
		t.Errorf("%+v in frames of %d bytes, %v", cost, frame, err)
	}
}
