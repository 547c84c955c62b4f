package wire

import "encoding/binary"

// A Ledger is the random id of a ledger.
type Ledger [16]byte

// A Start is the random id of one start of a node.
type Start [8]byte

// A Seal proves that a position was made by the owner of its ledger: only the owner can compute it.
type Seal [8]byte

// A Position is the position of a node's ledger when a frame left. Receivers can show it to the node later, which
// recognises its own seal.
type Position struct {
	Start   Start
	Entries uint64
	Seal    Seal
}

// An Account is a position in a ledger, as one node knows it of another's.
type Account struct {
	Ledger Ledger
	Position
}

// appendPosition appends start and seal, then the entries as a varint.
func appendPosition(dst []byte, p *Position) []byte {
	dst = append(dst, p.Start[:]...)
	dst = append(dst, p.Seal[:]...)
	return binary.AppendUvarint(dst, p.Entries)
}

// position reads the bytes of appendPosition.
func (r *cursor) position() (p Position) {
	copy(p.Start[:], r.take(len(p.Start)))
	copy(p.Seal[:], r.take(len(p.Seal)))
	p.Entries = r.uvarint(1<<64 - 1)
	return p
}

func appendAccount(dst []byte, a *Account) []byte {
	return appendPosition(append(dst, a.Ledger[:]...), &a.Position)
}

func (r *cursor) account() (a Account) {
	copy(a.Ledger[:], r.take(len(a.Ledger)))
	a.Position = r.position()
	return a
}

// flag reads a byte that is 0 or 1.
func (r *cursor) flag() bool {
	b := r.take(1)
	if r.err == nil && b[0] > 1 {
		r.err = refuse(ErrMalformed, hintBroken, "flag of value %d", b[0])
	}
	return r.err == nil && b[0] == 1
}
