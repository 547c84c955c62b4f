package wire

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/step"
)

func drawHello(t *rapid.T) *Hello {
	paths := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z.]{1,12}`), 0, 20, rapid.ID).Draw(t, "paths")
	slices.Sort(paths)
	h := &Hello{
		From:        step.NodeID(rapid.Int32Min(0).Draw(t, "from")),
		To:          step.NodeID(rapid.Int32Min(0).Draw(t, "to")),
		Incarnation: rapid.Uint64().Draw(t, "incarnation"),
		Own:         drawAccount(t),
		Releases:    rapid.Uint64().Draw(t, "releases"),
		Spec:        [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "spec")),
	}
	if rapid.Bool().Draw(t, "knows") {
		known := drawAccount(t)
		h.Known = &known
	}
	for _, p := range paths {
		h.Fields = append(h.Fields, Field{p, Digest{rapid.ByteRange(0, 3).Draw(t, "digest")}})
	}
	return h
}

func drawAccount(t *rapid.T) Account {
	return Account{Ledger: Ledger(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "ledger")), Position: drawPosition(t)}
}

func sameHello(a, b *Hello) bool {
	return a.From == b.From && a.To == b.To && a.Incarnation == b.Incarnation && a.Own == b.Own && a.Releases == b.Releases &&
		reflect.DeepEqual(a.Known, b.Known) && a.Spec == b.Spec && slices.Equal(a.Fields, b.Fields)
}

// Hellos are read back as written; damaged ones are refused.
func TestHellosRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHello(t)
		data, err := AppendHello(nil, h)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeHello(data)
		if err != nil || !sameHello(h, &got) {
			t.Fatalf("%+v was read as %+v, %v", h, got, err)
		}
		bad := bytes.Clone(data)
		bad[rapid.IntRange(0, len(data)-1).Draw(t, "where")] ^= rapid.ByteRange(1, 255).Draw(t, "flip")
		if _, err := DecodeHello(bad); Reason(err) == "" {
			t.Fatalf("flipped byte: %v", err)
		}
		if _, err := DecodeHello(data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")]); Reason(err) == "" {
			t.Fatalf("cut short: %v", err)
		}
	})
}

// Differences are what two maps say.
func TestDifferencesNameTheFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawHello(t), drawHello(t)
		if rapid.Bool().Draw(t, "related") {
			b.Fields = slices.Clone(a.Fields)
			if len(b.Fields) > 0 {
				b.Fields[rapid.IntRange(0, len(b.Fields)-1).Draw(t, "which")].Digest[7]++
			}
		}
		values := func(h *Hello) map[string]Digest {
			m := make(map[string]Digest)
			for _, f := range h.Fields {
				m[f.Path] = f.Digest
			}
			return m
		}
		left, right, want := values(a), values(b), map[string]bool{}
		for p, d := range left {
			if e, ok := right[p]; !ok || e != d {
				want[p] = true
			}
		}
		for p := range right {
			if _, ok := left[p]; !ok {
				want[p] = true
			}
		}
		if got := a.Differences(b); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("differences %q, want %v", got, want)
		}
	})
}

// A hello keeps its limits, and the largest allowed one has the stated size.
func TestHelloLimits(t *testing.T) {
	most := Account{Position: Position{Entries: 1<<64 - 1}}
	full := &Hello{From: 1<<31 - 1, To: 1<<31 - 1, Incarnation: 1<<64 - 1, Own: most, Releases: 1<<64 - 1, Known: &most}
	for i := range MaxFields {
		full.Fields = append(full.Fields, Field{Path: fmt.Sprintf("%04d", i) + strings.Repeat("x", MaxPath-4)})
	}
	data, err := AppendHello(nil, full)
	if err != nil || len(data) != MaxHelloSize {
		t.Errorf("largest hello has %d bytes, MaxHelloSize is %d (%v)", len(data), MaxHelloSize, err)
	}
	if got, err := DecodeHello(data); err != nil || !sameHello(full, &got) {
		t.Errorf("largest hello is not read back: %v", err)
	}
	for name, c := range map[string]struct {
		h    Hello
		want error
	}{
		"fields":   {Hello{Fields: make([]Field, MaxFields+1)}, ErrTooLarge},
		"path":     {Hello{Fields: []Field{{Path: strings.Repeat("x", MaxPath+1)}}}, ErrTooLarge},
		"no path":  {Hello{Fields: []Field{{}}}, ErrMalformed},
		"repeated": {Hello{Fields: []Field{{Path: "a"}, {Path: "a"}}}, ErrMalformed},
		"order":    {Hello{Fields: []Field{{Path: "b"}, {Path: "a"}}}, ErrMalformed},
		"sender":   {Hello{From: -1}, ErrMalformed},
	} {
		if got, err := AppendHello([]byte("x"), &c.h); !errors.Is(err, c.want) || string(got) != "x" {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := DecodeHello(append(bytes.Clone(data), 0)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("hello above the limit: %v", err)
	}
}

// The sizes that docs/WIRE.md states.
func TestStatedSizes(t *testing.T) {
	if MaxHelloSize != 270_509 || MaxOverhead != 111 {
		t.Errorf("MaxHelloSize is %d and MaxOverhead %d, docs/WIRE.md says otherwise", MaxHelloSize, MaxOverhead)
	}
}
