package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A hasher hashes values in one unambiguous form: numbers as eight bytes, little-endian, and byte strings after
// their length.
type hasher struct{ hash.Hash }

// newHasher returns a hasher for one purpose, so that no two kinds of content share a hash.
func newHasher(purpose string) hasher {
	h := hasher{sha256.New()}
	h.text(fmt.Sprintf("hearsay ledger %d %s", version, purpose))
	return h
}

func (h hasher) number(x int64) {
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(x)))
}

func (h hasher) float(x float64) { h.number(int64(math.Float64bits(x))) }

func (h hasher) text(s string) {
	h.number(int64(len(s)))
	h.Write([]byte(s))
}

func (h hasher) digest(d Digest) { h.Write(d[:]) }

func (h hasher) key(k Key) {
	h.number(int64(k.Epoch))
	h.number(int64(k.Peer))
	h.number(int64(k.Kind))
	h.number(int64(k.Lane))
	h.number(int64(k.Turn))
}

func (h hasher) sum() Digest { return Digest(h.Sum(nil)) }

// genesis returns the hash before the first release and the first entry.
func (f Federation) genesis() Digest {
	h := newHasher("federation")
	h.text(f.Name)
	h.digest(f.Spec)
	h.text(f.Node)
	h.number(int64(f.ID))
	h.text(string(f.Policy))
	h.Write(f.Ledger[:])
	h.Write(f.Book.Ledger[:])
	h.number(f.Book.Entries)
	h.digest(f.Book.Hash)
	return h.sum()
}

// link returns the hash of a release whose predecessor has hash before.
func (r Row) link(before Digest) Digest {
	h := newHasher("release")
	h.digest(before)
	h.number(r.Seq)
	h.number(r.Entry)
	h.key(Key{Epoch: r.Epoch, Peer: r.To, Turn: r.Turn, Lane: r.Lane})
	h.number(int64(r.From))
	h.number(truth(r.Contributed))
	h.float(r.Sensitivity)
	h.float(r.NoiseStd)
	h.digest(r.Body)
	return h.sum()
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// A seal is the row of an entry: its position and the hashes of its contents.
type seal struct {
	seq, time int64
	epoch     uint64
	releases  int64  // releases up to this entry
	chain     Digest // hash of the last release
	facts     Digest // hash of its receipts, spends and start
	state     Digest // hash of the machine's state after it, zero before the first
	outbox    Digest // hash of all messages that wait after it
	hash      Digest
}

// link returns the hash of an entry whose predecessor has hash before.
func (s seal) link(before Digest) Digest {
	h := newHasher("entry")
	h.digest(before)
	h.number(s.seq)
	h.number(s.time)
	h.number(int64(s.epoch))
	h.number(s.releases)
	for _, d := range []Digest{s.chain, s.facts, s.state, s.outbox} {
		h.digest(d)
	}
	return h.sum()
}

// factsDigest returns the hash of an entry's receipts and spends, in order, and of the start that it begins.
func factsDigest(received []Receipt, spends []Spend, start started) Digest {
	h := newHasher("facts")
	h.Write(start.nonce[:])
	h.digest(start.table)
	h.number(truth(start.leaves))
	h.number(int64(len(received)))
	for _, r := range received {
		h.key(r.Key)
		h.digest(r.Body)
	}
	for _, s := range spends {
		h.number(int64(s.Towards))
		h.text(s.Kind)
		h.float(s.Amount)
	}
	return h.sum()
}

// outboxDigest returns the hash of the keys and frames of all waiting messages.
func outboxDigest(pending map[Key]Digest) Digest {
	h := newHasher("outbox")
	for _, k := range slices.SortedFunc(maps.Keys(pending), compareKeys) {
		h.key(k)
		h.digest(pending[k])
	}
	return h.sum()
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.Peer, b.Peer), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Turn, b.Turn))
}
