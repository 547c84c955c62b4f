package wire

import (
	"encoding/hex"
	"hash/crc32"

	"github.com/hearsay-dp/hearsay/step"
)

// Version is the version of the format that this package writes and reads. It must be raised with every change of
// the meaning of bytes. A frame of another version is refused with ErrVersion by its first four bytes, which all
// versions share.
const Version = 4

// MaxOverhead is the largest number of bytes of a message frame besides its numbers.
const MaxOverhead = prefixSize + 1 + positionSize + maxVarint32*4 + maxVarint64*4 + checksumSize

const (
	magic0, magic1 = 'H', 'y'
	prefixSize     = 4 + len(Federation{}) // magic, version, kind, federation
	checksumSize   = 4
	maxVarint32    = 5
	maxVarint64    = 10
	positionSize   = len(Start{}) + len(Seal{}) + maxVarint64
)

// Kind is the kind of a frame.
type Kind uint8

// The kinds of frame. Step and Node have one layout: Step carries a message of
// the algorithm's machine, Node one of the daemons among themselves, each with
// its own meaning of step.Kind.
const (
	KindHello Kind = iota + 1
	KindStep
	KindNode
)

// Federation is the federation's stamp in each frame: the first 16 bytes of the hash of the resolved spec.
type Federation [16]byte

// FederationOf returns the stamp of the federation whose resolved spec has this hash.
func FederationOf(specHash [32]byte) Federation { return Federation(specHash[:16]) }

// short returns the first bytes of the stamp in hexadecimal, for errors.
func (f Federation) short() string { return hex.EncodeToString(f[:4]) }

// A Frame is one message with the fields that the link adds.
type Frame struct {
	Kind        Kind   // KindStep or KindNode
	Incarnation uint64 // how often the sender has been started; grows over its life
	Sequence    uint64 // counts the frames of this link, direction and incarnation
	Epoch       uint64 // fences tokens: a token of a lower epoch than one seen is void
	At          Position
	Msg         step.Msg
}

// Codec writes and reads the frames of one federation.
type Codec struct {
	Federation Federation
	MaxParams  int // most numbers that a frame may carry, 0..2^31-1
}

// MaxSize returns the largest size in bytes of a message frame of this codec.
func (c Codec) MaxSize() int { return MaxOverhead + 8*c.MaxParams }

// castagnoli is the polynomial of the checksum (CRC32C, RFC 3720, B.4).
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC32C of data, with which every frame ends.
func Checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// Peek returns the kind of the frame that data begins, or an error if it is no frame of this version. It reads
// only the first four bytes, which all versions share.
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
