package wire

import (
	"bytes"
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

// Whatever the bytes, decoding ends in a named reason or in a frame that is
// written again as the same bytes, and takes no more memory than allowed.
func FuzzDecode(f *testing.F) {
	for _, body := range [][]float64{nil, {1, -2.5}, make([]float64, 64)} {
		f.Add(simple(someCodec, &Frame{Kind: KindStep, Sequence: 300, Msg: step.Msg{From: 1, To: 2, Turn: 3, Body: body}}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var frame Frame
		err := someCodec.Decode(data, &frame)
		if cap(frame.Msg.Body) > 2*someCodec.MaxParams {
			t.Fatalf("body has room for %d numbers", cap(frame.Msg.Body))
		}
		if err != nil {
			if Reason(err) == "" {
				t.Fatalf("no reason for %v", err)
			}
			return
		}
		if again, err := someCodec.Append(nil, &frame); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%x is written again as %x, %v", data, again, err)
		}
	})
}

// The same for hello frames; the input is sealed with a right checksum, for
// the fuzzer to get past it.
func FuzzDecodeHello(f *testing.F) {
	for _, h := range []*Hello{{}, {From: 1, To: 2, Fields: []Field{{"a", Digest{1}}, {"b.c", Digest{2}}}}} {
		data, err := AppendHello(nil, h)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:len(data)-checksumSize])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sealed := seal(data)
		h, err := DecodeHello(sealed)
		if err != nil {
			if Reason(err) == "" {
				t.Fatalf("no reason for %v", err)
			}
			return
		}
		if again, err := AppendHello(nil, &h); err != nil || !bytes.Equal(again, sealed) {
			t.Fatalf("%x is written again as %x, %v", sealed, again, err)
		}
	})
}

// The frame decoder behind a right checksum.
func FuzzDecodeSealed(f *testing.F) {
	data := simple(someCodec, &Frame{Kind: KindNode, Msg: step.Msg{From: 1, To: 2, Turn: 3, Body: []float64{4, 5}}})
	f.Add(data[:len(data)-checksumSize])
	f.Fuzz(func(t *testing.T, data []byte) {
		var frame Frame
		sealed := seal(data)
		if err := someCodec.Decode(sealed, &frame); err != nil {
			if Reason(err) == "" {
				t.Fatalf("no reason for %v", err)
			}
			return
		}
		if again, err := someCodec.Append(nil, &frame); err != nil || !bytes.Equal(again, sealed) {
			t.Fatalf("%x is written again as %x, %v", sealed, again, err)
		}
	})
}

func seal(data []byte) []byte {
	sum := Checksum(data)
	return append(bytes.Clone(data), byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
}
