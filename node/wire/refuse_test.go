package wire

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/step"

	"pgregory.net/rapid"
)

// Of a frame with one byte changed, cut short or made longer, none is taken.
// (CRC32C finds every change of up to 32 consecutive bits.)
func TestDamagedFramesAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := someCodec.Append(nil, drawFrame(t))
		if err != nil {
			t.Fatal(err)
		}
		var bad []byte
		switch rapid.IntRange(0, 2).Draw(t, "damage") {
		case 0:
			bad = bytes.Clone(data)
			bad[rapid.IntRange(0, len(data)-1).Draw(t, "where")] ^= rapid.ByteRange(1, 255).Draw(t, "flip")
		case 1:
			bad = data[:rapid.IntRange(0, len(data)-1).Draw(t, "length")]
		case 2:
			bad = append(bytes.Clone(data), rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "tail")...)
		}
		var f Frame
		if err := someCodec.Decode(bad, &f); Reason(err) == "" {
			t.Fatalf("damaged frame %x: %v", bad, err)
		}
	})
}

// Each reason is given for what it is named after.
func TestReasonsAreNamed(t *testing.T) {
	good := simple(someCodec, &Frame{Kind: KindStep, Msg: step.Msg{From: 1, To: 2, Turn: 3, Body: []float64{4}}})
	edit := func(at int, b byte) []byte {
		c := bytes.Clone(good)
		c[at] = b
		return c
	}
	frame := func(c Codec, f Frame) []byte { return simple(c, &f) }
	infinite := Frame{Kind: KindStep, Msg: step.Msg{Body: []float64{0, math.Inf(-1)}}}
	nan := Frame{Kind: KindStep, Msg: step.Msg{Body: []float64{math.NaN()}}}
	big := Frame{Kind: KindStep, Msg: step.Msg{Body: make([]float64, 65)}}
	hello, err := AppendHello(nil, &Hello{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":        {nil, ErrTruncated},
		"three bytes":  {good[:3], ErrTruncated},
		"header only":  {good[:22], ErrTruncated},
		"no checksum":  {good[:len(good)-4], ErrTruncated},
		"magic":        {edit(0, 'h'), ErrMalformed},
		"version":      {edit(2, Version-1), ErrVersion},
		"kind":         {edit(3, 9), ErrMalformed},
		"hello":        {hello, ErrMalformed},
		"flipped":      {edit(len(good)-5, 0xff), ErrChecksum},
		"announces":    {edit(45, 0x7f), ErrTooLarge},
		"more numbers": {frame(Codec{someFederation, 65}, big), ErrTooLarge},
		"longer":       {append(bytes.Clone(good), 0), ErrMalformed},
		"foreign":      {frame(Codec{MaxParams: 9}, Frame{Kind: KindStep}), ErrForeign},
		"infinite":     {frame(someCodec, infinite), ErrMalformed},
		"nan":          {frame(someCodec, nan), ErrMalformed},
	} {
		var f Frame
		if err := someCodec.Decode(c.data, &f); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// What the format cannot say is refused when it is written, and leaves the
// destination as it was.
func TestAppendRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		frame Frame
		want  error
	}{
		"kind":     {Frame{Kind: KindHello}, ErrMalformed},
		"sender":   {Frame{Kind: KindStep, Msg: step.Msg{From: -1}}, ErrMalformed},
		"turn":     {Frame{Kind: KindStep, Msg: step.Msg{Turn: -1}}, ErrMalformed},
		"nan":      {Frame{Kind: KindStep, Msg: step.Msg{Body: []float64{math.NaN()}}}, ErrMalformed},
		"infinite": {Frame{Kind: KindNode, Msg: step.Msg{Body: []float64{1, math.Inf(1)}}}, ErrMalformed},
		"large":    {Frame{Kind: KindStep, Msg: step.Msg{Body: make([]float64, 65)}}, ErrTooLarge},
	} {
		if got, err := someCodec.Append([]byte("x"), &c.frame); !errors.Is(err, c.want) || string(got) != "x" {
			t.Errorf("%s: %q, %v, want %v", name, got, err, c.want)
		}
	}
}

// A number that is not finite is found wherever it is.
func TestEveryPlaceIsChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		bad := rapid.SampledFrom([]float64{math.NaN(), -math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "bad")
		where := rapid.IntRange(0, len(f.Msg.Body)).Draw(t, "where")
		f.Msg.Body = slices.Insert(f.Msg.Body, where, bad)
		c := Codec{someFederation, 65}
		if _, err := c.Append(nil, f); !errors.Is(err, ErrMalformed) {
			t.Fatalf("written: %v", err)
		}
		var got Frame
		if err := c.Decode(simple(c, f), &got); !errors.Is(err, ErrMalformed) {
			t.Fatalf("read: %v", err)
		}
	})
}
