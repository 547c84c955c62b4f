package ledger

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/step"
)

var owner = Federation{Name: "hospitals", Spec: Digest{1, 2, 3}, Node: "lyon", ID: 3, Policy: []byte("neighbours: 1\n")}

// folder is a temporary one in memory, where there is such a thing: syncing
// many small ledgers to a disk takes most of these tests' time, and they are
// not about the disk.
func folder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ledger")
	if err != nil {
		return tb.TempDir()
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// fresh is a new ledger in its own folder.
func fresh(tb testing.TB) *Ledger {
	tb.Helper()
	return freshIn(tb, folder(tb))
}

func freshIn(tb testing.TB, dir string) *Ledger {
	tb.Helper()
	l, err := Create(filepath.Join(dir, "lyon.ledger"), owner)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}

// hop is the entry of one hop of a walk: the token came from node 1 and goes
// on to node 2, whose predecessor's acknowledgement has come.
func hop(turn step.Turn, size int) Entry {
	body := []byte(strings.Repeat(string(rune('a'+turn%26)), size))
	return Entry{
		Time:  time.Unix(1000+int64(turn), 5).UTC(),
		Epoch: 7,
		Releases: []Release{{Body: sha256.Sum256(body), Release: step.Release{
			From: 3, To: 2, Turn: turn, Contributed: turn%2 == 0, Sensitivity: 2, NoiseStd: 16,
		}}},
		Received: []Receipt{{Key{Epoch: 7, Peer: 1, Kind: 1, Turn: turn}, sha256.Sum256([]byte{byte(turn)})}},
		State:    body,
		Send:     []Message{{Key: Key{Epoch: 7, Peer: 2, Kind: 1, Turn: turn + 1}, Frame: body}},
		Acked:    []Key{{Epoch: 7, Peer: 2, Kind: 1, Turn: turn}},
		Spends:   []Spend{{Towards: 2, Kind: "mu2", Amount: 0.25}},
	}
}

// content is all a ledger tells, for comparison.
type content struct {
	Recovered
	Rows   []Row
	Spent  []Spend
	Owner  Federation
	Failed string
}

func read(l *Ledger) (c content) {
	fail := func(err error) {
		if err != nil {
			c.Failed = err.Error()
		}
	}
	var err error
	c.Recovered, err = l.Recover()
	fail(err)
	for row, err := range l.Show() {
		fail(err)
		c.Rows = append(c.Rows, row)
	}
	c.Spent, err = l.Spent()
	fail(err)
	c.Owner = l.Federation()
	return c
}

// reopen closes a ledger and opens it again.
func reopen(tb interface{ Fatal(...any) }, l *Ledger) *Ledger {
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	again, err := Open(l.path)
	if err != nil {
		tb.Fatal(err)
	}
	return again
}

func TestWhatWasCommittedComesBack(t *testing.T) {
	l := fresh(t)
	for turn := range step.Turn(5) {
		if err := l.Commit(hop(turn, 100)); err != nil {
			t.Fatal(err)
		}
	}
	want := read(l)
	l = reopen(t, l)
	defer l.Close()
	if got := read(l); !reflect.DeepEqual(got, want) || got.Failed != "" {
		t.Errorf("read\n%+v\nwant\n%+v", got, want)
	}
	if err := l.Verify(); err != nil {
		t.Error(err)
	}
	last := hop(4, 100)
	if want.Owner.Ledger == (ID{}) {
		t.Error("the ledger has no id")
	}
	want.Owner.Ledger = ID{}
	if !reflect.DeepEqual(want.Outbox, last.Send) || !reflect.DeepEqual(want.State, last.State) || want.Epoch != 7 ||
		len(want.Rows) != 5 || want.Rows[4].Release != last.Releases[0] || !want.Rows[4].Time.Equal(last.Time) ||
		!reflect.DeepEqual(want.Owner, owner) || !reflect.DeepEqual(want.Spent, []Spend{{Towards: 2, Kind: "mu2", Amount: 1.25}}) {
		t.Errorf("read %+v", want)
	}
}

func TestNothingIsTakenTwice(t *testing.T) {
	l := fresh(t)
	if err := l.Commit(hop(1, 10)); err != nil {
		t.Fatal(err)
	}
	before := read(l)
	for name, e := range map[string]Entry{
		"release": {Epoch: 7, Releases: hop(1, 10).Releases},
		"message": {Epoch: 7, Received: hop(1, 10).Received, Spends: hop(1, 10).Spends},
		"bytes":   {Epoch: 7, Send: []Message{{Key: hop(1, 10).Send[0].Key, Frame: []byte("other")}}},
	} {
		err := l.Commit(e)
		if !errors.Is(err, ErrRepeated) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := read(l); !reflect.DeepEqual(got, before) {
		t.Errorf("a refused entry left %+v, before it was %+v", got, before)
	}
	// The same bytes again are a retry; another epoch is another run.
	again := Entry{Epoch: 8, Releases: hop(1, 10).Releases, Send: hop(1, 10).Send}
	if err := l.Commit(again); err != nil {
		t.Error(err)
	}
	if known, err := l.Has(hop(1, 10).Received[0].Key); err != nil || !known {
		t.Errorf("the message was received: %v, %v", known, err)
	}
	if known, err := l.Has(Key{Epoch: 8, Peer: 1, Kind: 1, Turn: 1}); err != nil || known {
		t.Errorf("the message of another epoch was not: %v, %v", known, err)
	}
}

func TestSenselessEntriesAreRefused(t *testing.T) {
	l := fresh(t)
	if err := l.Commit(Entry{Epoch: 4}); err != nil {
		t.Fatal(err)
	}
	nan := hop(0, 1)
	nan.Releases[0].NoiseStd = math.NaN()
	for name, e := range map[string]Entry{
		"epoch": {Epoch: 3}, "huge": {Epoch: 1 << 63}, "noise": nan,
		"spend": {Epoch: 4, Spends: []Spend{{Towards: -1}}}, "peer": {Epoch: 4, Acked: []Key{{Peer: -1}}},
	} {
		if err := l.Commit(e); err == nil || errors.Is(err, ErrRepeated) || errors.Is(err, ErrNotDurable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.Commit(hop(0, 1)); err != nil {
		t.Errorf("the ledger does not go on: %v", err)
	}
}

// A second holder is refused with a sentence, and the first is not disturbed.
func TestTwoCannotHoldALedger(t *testing.T) {
	l := fresh(t)
	if _, err := Open(l.path); !errors.Is(err, ErrLocked) || fault.Hint(err) == "" {
		t.Errorf("opened twice: %v", err)
	}
	if err := l.Commit(hop(0, 10)); err != nil {
		t.Error(err)
	}
}

func TestALedgerIsNotReplaced(t *testing.T) {
	l := fresh(t)
	if _, err := Create(l.path, owner); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("created again: %v", err)
	}
	if _, err := Open(l.path + "x"); err == nil || fault.Hint(err) == "" || errors.Is(err, ErrDamaged) {
		t.Errorf("opened what is not there: %v", err)
	}
	if _, err := Create(filepath.Join(t.TempDir(), "no", "such", "folder"), owner); err == nil || fault.Hint(err) == "" {
		t.Errorf("created in a folder that is not there: %v", err)
	}
}

// simple is a ledger in a few maps, to compare with.
type simple struct {
	epoch    uint64
	releases map[string]bool
	received map[Key]bool
	outbox   map[Key]string
	state    []byte
	rows     []Release
	spent    map[string]float64
}

// take reports whether the entry is taken.
func (s *simple) take(e Entry) bool {
	releases, received, outbox := clone(s.releases), clone(s.received), clone(s.outbox)
	for _, r := range e.Releases {
		id := fmt.Sprint(e.Epoch, r.Lane, r.Turn, r.To)
		if releases[id] {
			return false
		}
		releases[id] = true
	}
	for _, k := range e.Received {
		if received[k.Key] {
			return false
		}
		received[k.Key] = true
	}
	for _, k := range e.Acked {
		delete(outbox, k)
	}
	for _, m := range e.Send {
		if old, known := outbox[m.Key]; known && old != string(m.Frame) {
			return false
		}
		outbox[m.Key] = string(m.Frame)
	}
	s.releases, s.received, s.outbox, s.epoch = releases, received, outbox, e.Epoch
	s.rows = append(s.rows, e.Releases...)
	if e.State != nil {
		s.state = e.State
	}
	for _, x := range e.Spends {
		s.spent[fmt.Sprint(x.Towards, x.Kind)] += x.Amount
	}
	return true
}

func clone[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

func (s *simple) check(t *rapid.T, l *Ledger) {
	got := read(l)
	if got.Failed != "" || got.Epoch != s.epoch || string(got.State) != string(s.state) || (got.State == nil) != (s.state == nil) {
		t.Fatalf("read %+v, want %+v", got, s)
	}
	if len(got.Rows) != len(s.rows) || len(got.Outbox) != len(s.outbox) || len(got.Spent) != len(s.spent) {
		t.Fatalf("read %+v, want %+v", got, s)
	}
	for i, r := range got.Rows {
		if r.Release != s.rows[i] {
			t.Fatalf("release %d is %+v, want %+v", i, r.Release, s.rows[i])
		}
	}
	for _, m := range got.Outbox {
		if frame, known := s.outbox[m.Key]; !known || frame != string(m.Frame) {
			t.Fatalf("message %+v waits, want %q", m, frame)
		}
	}
	for _, x := range got.Spent {
		if s.spent[fmt.Sprint(x.Towards, x.Kind)] != x.Amount {
			t.Fatalf("spent %+v, want %v", x, s.spent)
		}
	}
}

// Whatever is committed, the ledger and the maps take the same entries and
// hold the same afterwards, also across reopening.
func TestLedgerIsTheSimpleOne(t *testing.T) {
	dir, n := folder(t), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		l, err := Create(filepath.Join(dir, fmt.Sprint(n)), owner)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { l.Close() }()
		s := simple{releases: map[string]bool{}, received: map[Key]bool{}, outbox: map[Key]string{}, spent: map[string]float64{}}
		for range rapid.IntRange(1, 8).Draw(t, "entries") {
			e := anyEntry(t, s.epoch)
			err := l.Commit(e)
			if taken := s.take(e); taken != (err == nil) || !taken && !errors.Is(err, ErrRepeated) {
				t.Fatalf("%+v: %v, the maps take it: %v", e, err, taken)
			}
			if rapid.IntRange(0, 3).Draw(t, "reopen") == 0 {
				l = reopen(t, l)
			}
		}
		s.check(t, l)
		if err := l.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}

func anyEntry(t *rapid.T, epoch uint64) Entry {
	small := func(name string) int { return rapid.IntRange(0, 2).Draw(t, name) }
	key := func(int) Key {
		return Key{Epoch: uint64(small("epoch")), Peer: step.NodeID(small("peer")), Kind: step.Kind(small("kind")), Lane: step.Lane(small("lane")),
			Turn: step.Turn(small("turn"))}
	}
	e := Entry{Time: time.Unix(int64(small("time")), 0), Epoch: epoch + uint64(small("later")/2)}
	for i := range small("releases") {
		e.Releases = append(e.Releases, Release{Body: Digest{byte(i)}, Release: step.Release{
			To: step.NodeID(small("to")), Lane: step.Lane(small("lane")), Turn: step.Turn(small("turn")), Contributed: small("contributed") == 0, Sensitivity: 2, NoiseStd: float64(small("std")),
		}})
	}
	for i := range small("received") {
		e.Received = append(e.Received, Receipt{key(i), Digest{byte(small("body"))}})
	}
	for i := range small("sent") {
		e.Send = append(e.Send, Message{Key: key(i), Frame: []byte(strings.Repeat("x", small("length")))})
	}
	for i := range small("acked") {
		e.Acked = append(e.Acked, key(i))
	}
	for range small("spends") {
		e.Spends = append(e.Spends, Spend{Towards: step.NodeID(small("towards")), Kind: "mu2", Amount: float64(small("amount"))})
	}
	if small("state") > 0 {
		e.State = []byte(strings.Repeat("s", small("length")))
	}
	return e
}

func BenchmarkCommit(b *testing.B) {
	for _, numbers := range []int{10, 1000} {
		b.Run(fmt.Sprintf("%d", numbers), func(b *testing.B) {
			l := freshIn(b, b.TempDir()) // on the disk
			turn := step.Turn(0)
			for b.Loop() {
				if err := l.Commit(hop(turn, 8*numbers)); err != nil {
					b.Fatal(err)
				}
				turn++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

// The time to open and verify a ledger of 10,000 hops, and its size.
func BenchmarkVerify(b *testing.B) {
	const hops = 10_000
	l := fresh(b)
	for turn := range step.Turn(hops) {
		if err := l.Commit(hop(turn, 80)); err != nil {
			b.Fatal(err)
		}
	}
	l = reopen(b, l)
	defer l.Close()
	info, err := os.Stat(l.path)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := l.Verify(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*hops), "ns/hop")
	b.ReportMetric(float64(info.Size())/hops, "bytes/hop")
}
