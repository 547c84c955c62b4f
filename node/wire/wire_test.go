package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/step"

	"pgregory.net/rapid"
)

var (
	someFederation = Federation{0: 1, 15: 16}
	someCodec      = Codec{Federation: someFederation, MaxParams: 64}
)

// simple is the second implementation of the format: docs/WIRE.md read aloud.
func simple(c Codec, f *Frame) []byte {
	var b bytes.Buffer
	b.WriteString("Hy\x04")
	b.WriteByte(byte(f.Kind))
	b.Write(c.Federation[:])
	b.WriteByte(byte(f.Msg.Kind))
	b.Write(f.At.Start[:])
	b.Write(f.At.Seal[:])
	for _, v := range []uint64{
		f.At.Entries, uint64(f.Msg.From), uint64(f.Msg.To), f.Incarnation, f.Sequence, f.Epoch, uint64(f.Msg.Lane), uint64(f.Msg.Turn), uint64(len(f.Msg.Body)),
	} {
		for ; v >= 128; v /= 128 {
			b.WriteByte(byte(128 + v%128))
		}
		b.WriteByte(byte(v))
	}
	if err := binary.Write(&b, binary.LittleEndian, f.Msg.Body); err != nil {
		panic(err)
	}
	sum := crc32.New(crc32.MakeTable(0x82f63b78))
	sum.Write(b.Bytes())
	if err := binary.Write(&b, binary.LittleEndian, sum.Sum32()); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func drawPosition(t *rapid.T) Position {
	return Position{
		Start: Start(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "start")), Entries: rapid.Uint64().Draw(t, "entries"),
		Seal: Seal(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "seal")),
	}
}

func drawFrame(t *rapid.T) *Frame {
	return &Frame{
		Kind:        rapid.SampledFrom([]Kind{KindStep, KindNode}).Draw(t, "kind"),
		Incarnation: rapid.Uint64().Draw(t, "incarnation"),
		Sequence:    rapid.Uint64().Draw(t, "sequence"),
		Epoch:       rapid.Uint64().Draw(t, "epoch"),
		At:          drawPosition(t),
		Msg: step.Msg{
			Kind: step.Kind(rapid.Uint8().Draw(t, "msg kind")),
			From: step.NodeID(rapid.Int32Min(0).Draw(t, "from")),
			To:   step.NodeID(rapid.Int32Min(0).Draw(t, "to")),
			Lane: step.Lane(rapid.Uint32().Draw(t, "lane")),
			Turn: step.Turn(rapid.Int64Min(0).Draw(t, "turn")),
			Body: rapid.SliceOfN(rapid.Float64(), 0, 64).Draw(t, "body"),
		},
	}
}

func sameFrame(a, b *Frame) bool {
	x, y := a.Msg, b.Msg
	return a.Kind == b.Kind && a.Incarnation == b.Incarnation && a.Sequence == b.Sequence && a.Epoch == b.Epoch && a.At == b.At &&
		x.Kind == y.Kind && x.From == y.From && x.To == y.To && x.Turn == y.Turn && x.Lane == y.Lane &&
		slices.EqualFunc(x.Body, y.Body, func(p, q float64) bool { return math.Float64bits(p) == math.Float64bits(q) })
}

// Every frame is written as the simple implementation writes it, is within the
// stated size, and is read back bit for bit, into memory with or without room.
func TestFramesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		data, err := someCodec.Append([]byte("before"), f)
		if err != nil {
			t.Fatal(err)
		}
		data = data[len("before"):]
		if want := simple(someCodec, f); !bytes.Equal(data, want) {
			t.Fatalf("frame is\n%x, the simple implementation writes\n%x", data, want)
		}
		if len(data) > someCodec.MaxSize() {
			t.Fatalf("frame of %d bytes, MaxSize says %d", len(data), someCodec.MaxSize())
		}
		got := Frame{Msg: step.Msg{Body: make([]float64, rapid.IntRange(0, 64).Draw(t, "room"))}}
		if err := someCodec.Decode(data, &got); err != nil || !sameFrame(f, &got) {
			t.Fatalf("%+v was read as %+v, %v", f, got, err)
		}
	})
}

// The overhead that the package states: 54 bytes for small federations, 64 for
// large ones, which is below 1 % of 785 numbers for the former, with the
// transport's length prefix of 2 bytes and one more to count the numbers.
func TestOverheadIsAsStated(t *testing.T) {
	const numbers = 100
	for _, c := range []struct {
		node   step.NodeID
		turn   step.Turn
		stated int
	}{{127, 1<<21 - 1, 54}, {1<<21 - 1, 1<<28 - 1, 64}, {math.MaxInt32, math.MaxInt64, MaxOverhead}} {
		f := Frame{Kind: KindStep, Incarnation: 127, Sequence: uint64(c.turn), Epoch: 127, At: Position{Entries: uint64(c.node)}, Msg: step.Msg{
			From: c.node, To: c.node, Turn: c.turn, Body: make([]float64, numbers)}}
		data, err := Codec{MaxParams: numbers}.Append(nil, &f)
		if err != nil || len(data)-8*numbers > c.stated {
			t.Errorf("node %d, turn %d: overhead of %d bytes, stated %d (%v)", c.node, c.turn, len(data)-8*numbers, c.stated, err)
		}
	}
	if 100*(54+1+2) > 8*785 {
		t.Error("the stated overhead is above 1 %")
	}
}

// A header that announces many numbers makes the decoder allocate nothing.
func TestAnnouncementsAllocateNothing(t *testing.T) {
	data := simple(Codec{someFederation, 1 << 20}, &Frame{Kind: KindStep, Msg: step.Msg{Body: make([]float64, 1<<16)}})
	huge := Codec{someFederation, 1 << 30}
	cut := data[:100]
	var f Frame
	if err := huge.Decode(cut, &f); !errors.Is(err, ErrTruncated) || f.Msg.Body != nil {
		t.Errorf("%v, body of capacity %d", err, cap(f.Msg.Body))
	}
}

// In the steady state neither direction allocates.
func TestNoAllocation(t *testing.T) {
	f := Frame{Kind: KindStep, Sequence: 9, Msg: step.Msg{From: 1, To: 2, Turn: 3, Body: make([]float64, 64)}}
	buffer, got := make([]byte, 0, someCodec.MaxSize()), Frame{Msg: step.Msg{Body: make([]float64, 64)}}
	if n := testing.AllocsPerRun(100, func() {
		data, err := someCodec.Append(buffer, &f)
		if err == nil {
			err = someCodec.Decode(data, &got)
		}
		if err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations for a frame written and read", n)
	}
}

func TestCheckLink(t *testing.T) {
	for _, c := range []struct {
		from, to step.NodeID
		ok       bool
	}{{1, 2, true}, {2, 1, false}, {1, 3, false}, {3, 2, false}} {
		if err := CheckLink(&step.Msg{From: 1, To: 2}, c.from, c.to); c.ok != (err == nil) || !c.ok && !errors.Is(err, ErrMisdirected) {
			t.Errorf("on the link from %d to %d: %v", c.from, c.to, err)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{100, 12500} {
		b.Run(map[int]string{100: "100", 12500: "12500"}[n], func(b *testing.B) {
			c := Codec{Federation: someFederation, MaxParams: n}
			f := Frame{Kind: KindStep, Msg: step.Msg{From: 1, To: 2, Body: make([]float64, n)}}
			buffer, got := make([]byte, 0, c.MaxSize()), Frame{}
			b.SetBytes(int64(8 * n))
			b.ReportAllocs()
			for range b.N {
				data, err := c.Append(buffer, &f)
				if err == nil {
					err = c.Decode(data, &got)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
