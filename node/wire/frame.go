package wire

import (
	"encoding/hex"
	"hash/crc32"

	"github.com/hearsay-dp/hearsay/step"
)

// Version is the version of the format that this package writes and reads. Every
// change of what bytes mean raises it; a frame of another version is refused with
// ErrVersion by its first four bytes, which all versions share.
const Version = 4

// MaxOverhead is the most bytes a message frame has beside its numbers.
const MaxOverhead = prefixSize + 1 + positionSize + maxVarint32*4 + maxVarint64*4 + checksumSize

const (
	magic0, magic1 = 'H', 'y'
	prefixSize     = 4 + len(Federation{}) // magic, version, kind, federation
	checksumSize   = 4
	maxVarint32    = 5
	maxVarint64    = 10
	positionSize   = len(Start{}) + len(Seal{}) + maxVarint64
)

// Kind says what a frame is.
type Kind uint8

// The kinds of frame. Step and Node have one layout: Step carries a message of
// the algorithm's machine, Node one of the daemons among themselves, each with
// its own meaning of step.Kind.
const (
	KindHello Kind = iota + 1
	KindStep
	KindNode
)

// Federation is the stamp in each frame: the first 16 bytes of the hash of the
// resolved spec.
type Federation [16]byte

// FederationOf returns the stamp of the federation whose resolved spec has
// this hash.
func FederationOf(specHash [32]byte) Federation { return Federation(specHash[:16]) }

// short names a federation in an error.
func (f Federation) short() string { return hex.EncodeToString(f[:4]) }

// A Frame is one message with what the link adds to it.
type Frame struct {
	Kind        Kind   // KindStep or KindNode
	Incarnation uint64 // how often the sender has been started; grows over its life
	Sequence    uint64 // counts the frames of this link, direction and incarnation
	Epoch       uint64 // fences tokens: a lower epoch than one seen is void
	At          Position
	Msg         step.Msg
}

// Codec writes and reads the frames of one federation.
type Codec struct {
	Federation Federation
	MaxParams  int // most numbers that a frame may carry, 0..2^31-1
}

// MaxSize is the most bytes that a message frame of this codec can have.
func (c Codec) MaxSize() int { return MaxOverhead + 8*c.MaxParams }

// castagnoli is the polynomial of the checksum (CRC32C, RFC 3720, B.4).
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC32C of data, as every frame ends with it.
func Checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// Peek says what kind of frame data begins, or why it is none of this version.
// It looks at the first four bytes only; these are the same in all versions.
func Peek(data []byte) (Kind, error) {
	switch {
	case len(data) < 4:
		return 0, refuse(ErrTruncated, hintBroken, "frame of %d bytes", len(data))
	case data[0] != magic0 || data[1] != magic1:
		return 0, refuse(ErrMalformed, hintBroken, "frame starts with %#02x %#02x", data[0], data[1])
	case data[2] != Version:
		return 0, refuse(ErrVersion, hintVersion, "frame of version %d, this node speaks %d", data[2], Version)
	case data[3] < byte(KindHello) || data[3] > byte(KindNode):
		return 0, refuse(ErrMalformed, hintBroken, "frame of kind %d", data[3])
	}
	return Kind(data[3]), nil
}
