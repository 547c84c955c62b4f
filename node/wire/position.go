package wire

import "encoding/binary"

// A Ledger is what sets a ledger apart from all others, random.
type Ledger [16]byte

// A Start is what sets one start of a node apart from all others, random.
type Start [8]byte

// A Seal is what only the participant who is spoken of can have made.
type Seal [8]byte

// A Position is how far a node's ledger had got when a frame left. Who has heard
// it can show it to the node later, and the node its own seal.
type Position struct {
	Start   Start
	Entries uint64
	Seal    Seal
}

// An Account is a position in a ledger: what one node knows of another's.
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

// position reads what appendPosition wrote.
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
