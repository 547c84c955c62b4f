package wire

import (
	"encoding/binary"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// The limits of a hello frame.
const (
	MaxFields    = 1024 // fields of a spec that one hello names
	MaxPath      = 255  // bytes of a field's path
	MaxHelloSize = prefixSize + 2*maxVarint32 + 2*maxVarint64 + 2*(len(Ledger{})+positionSize) + 1 + 32 + 2 + MaxFields*(1+MaxPath+len(Digest{})) + checksumSize
)

// Digest is a short hash of one field's value. It shows that two values differ. It does not hide them, because the
// spec is known to all participants.
type Digest [8]byte

// Field is one field of a resolved spec.
type Field struct {
	Path   string // as in the spec file: "noise.sigma"; not empty
	Digest Digest
}

// A Hello opens a link. It holds the sender, its incarnation, the position of its ledger, the position that it
// knows of the receiver's ledger, and its spec. Two nodes whose spec hashes differ compare the fields.
type Hello struct {
	From, To    step.NodeID
	Incarnation uint64
	Own         Account  // the sender's ledger
	Releases    uint64   // releases in it
	Known       *Account // known position of the receiver's ledger; nil: none
	Spec        [32]byte // hash of the whole resolved spec
	Fields      []Field  // sorted by path, each once
}

// AppendHello appends h's encoding to dst. On an error it returns dst unchanged. The error wraps ErrMalformed
// (negative ids; paths empty or not in increasing order) or ErrTooLarge (MaxFields, MaxPath).
func AppendHello(dst []byte, h *Hello) ([]byte, error) {
	if err := h.check(); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = appendPrefix(dst, KindHello, FederationOf(h.Spec))
	for _, v := range [...]uint64{uint64(h.From), uint64(h.To), h.Incarnation} {
		dst = binary.AppendUvarint(dst, v)
	}
	dst = binary.AppendUvarint(appendAccount(dst, &h.Own), h.Releases)
	if h.Known == nil {
		dst = append(dst, 0)
	} else {
		dst = appendAccount(append(dst, 1), h.Known)
	}
	dst = append(dst, h.Spec[:]...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(h.Fields)))
	for _, f := range h.Fields {
		dst = append(dst, byte(len(f.Path)))
		dst = append(dst, f.Path...)
		dst = append(dst, f.Digest[:]...)
	}
	return binary.LittleEndian.AppendUint32(dst, Checksum(dst[start:])), nil
}

func (h *Hello) check() error {
	if h.From < 0 || h.To < 0 {
		return refuse(ErrMalformed, hintCaller, "hello from node %d to %d", h.From, h.To)
	}
	if len(h.Fields) > MaxFields {
		return refuse(ErrTooLarge, hintCaller, "hello of %d fields, at most %d are allowed", len(h.Fields), MaxFields)
	}
	last := ""
	for _, f := range h.Fields {
		if len(f.Path) > MaxPath {
			return refuse(ErrTooLarge, hintCaller, "path of %d bytes in a hello, at most %d are allowed", len(f.Path), MaxPath)
		}
		if f.Path <= last {
			return refuse(ErrMalformed, hintCaller, "path %q in a hello comes after %q", f.Path, last)
		}
		last = f.Path
	}
	return nil
}

// DecodeHello decodes the hello frame data, which must be complete. It allocates no more than a small multiple of
// len(data). Errors are as for Codec.Decode, but a hello of another federation is no error, because hellos exist
// to compare specs.
func DecodeHello(data []byte) (Hello, error) {
	switch kind, err := Peek(data); {
	case err != nil:
		return Hello{}, err
	case kind != KindHello:
		return Hello{}, refuse(ErrMalformed, hintBroken, "frame of kind %d where a hello is expected", kind)
	case len(data) < prefixSize:
		return Hello{}, refuse(ErrTruncated, hintBroken, "hello frame of %d bytes", len(data))
	case len(data) > MaxHelloSize:
		return Hello{}, refuse(ErrTooLarge, hintBroken, "hello frame of %d bytes, at most %d are allowed", len(data), MaxHelloSize)
	}
	var h Hello
	r := cursor{rest: data[prefixSize:]}
	h.read(&r)
	if _, err := r.end(0); err != nil {
		return Hello{}, err
	}
	stamp := Federation(data[4:prefixSize])
	if err := checkSeal(data, stamp); err != nil {
		return Hello{}, err
	}
	if stamp != FederationOf(h.Spec) {
		return Hello{}, refuse(ErrMalformed, hintBroken, "hello stamped %x for the spec %x", stamp[:4], h.Spec[:4])
	}
	if err := h.check(); err != nil {
		return Hello{}, err
	}
	return h, nil
}

// read reads the fields between the prefix and the checksum.
func (h *Hello) read(r *cursor) {
	h.From, h.To = step.NodeID(r.uvarint(math.MaxInt32)), step.NodeID(r.uvarint(math.MaxInt32))
	h.Incarnation = r.uvarint(math.MaxUint64)
	h.Own = r.account()
	h.Releases = r.uvarint(math.MaxUint64)
	if r.flag() {
		known := r.account()
		h.Known = &known
	}
	copy(h.Spec[:], r.take(32))
	count := r.take(2)
	if r.err != nil {
		return
	}
	for range binary.LittleEndian.Uint16(count) {
		var f Field
		if size := r.take(1); r.err == nil {
			f.Path = string(r.take(int(size[0])))
		}
		copy(f.Digest[:], r.take(len(f.Digest)))
		if r.err != nil {
			return
		}
		h.Fields = append(h.Fields, f)
	}
}

// Differences returns, in increasing order, the paths whose values differ between the two specs, or that only one
// of them has.
func (h *Hello) Differences(other *Hello) []string {
	var paths []string
	a, b := h.Fields, other.Fields
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Path < b[0].Path:
			paths, a = append(paths, a[0].Path), a[1:]
		case len(a) == 0 || b[0].Path < a[0].Path:
			paths, b = append(paths, b[0].Path), b[1:]
		default:
			if a[0].Digest != b[0].Digest {
				paths = append(paths, a[0].Path)
			}
			a, b = a[1:], b[1:]
		}
	}
	return paths
}
