package budget

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/privacy"
)

const peer = "12D3KooWExample"

var day = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

// open opens the book in a folder until the test ends, or until it is closed before.
func open(t *testing.T, dir string) *Book {
	t.Helper()
	b, err := Open(filepath.Join(dir, "lyon.budget.db"), peer)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// run is a line of a federation of a number, at epsilon 1 or so.
func run(number byte) Line {
	l := Gaussian(0.04)
	l.Epsilon, l.Delta = 1, 1e-6
	return Line{Federation: fmt.Sprintf("run %d", number), Participant: "lyon", Status: privacy.Sound, Spec: hex.EncodeToString(append(make([]byte, 31), number)), Signed: day.AddDate(0, 0, int(number)),
		Unit: privacy.Participant, State: Signed, Allowed: 10, One: l, All: l}
}

func charge(t *testing.T, b *Book, l Line) {
	t.Helper()
	at, err := b.Place(l.Spec, l.Ledger)
	if err == nil {
		err = b.Charge(l, at, day)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func begun(l Line, number byte) Line {
	l.Ledger, l.State = hex.EncodeToString(append(make([]byte, 15), number)), Begun
	return l
}

// What is signed is charged once, begins on the same line, and another ledger of the same federation is charged once more.
func TestAFederationIsChargedOnceForEachLedger(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	for _, l := range []Line{run(1), run(1), begun(run(1), 7), begun(run(1), 7), run(2)} {
		charge(t, b, l)
	}
	if len(b.Lines) != 2 || b.Lines[0].State != Begun || b.Lines[1].State != Signed {
		t.Fatalf("lines %+v", b.Lines)
	}
	charge(t, b, begun(run(1), 8))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir)
	defer b.Close()
	if s := b.Standing("", time.Time{}, -1); len(s.Lines) != 3 || s.One.MuSquared != Sum(run(1).One, run(1).One, run(1).One).MuSquared {
		t.Errorf("after it was closed it has %+v", s)
	}
	if !b.Knows(run(2).Spec) || b.Knows(run(3).Spec) {
		t.Error("it does not know what was charged")
	}
}

// What a run did not use is given back, once; what was given up is not begun.
func TestWhatARunDidNotUseIsGivenBack(t *testing.T) {
	b := open(t, t.TempDir())
	defer b.Close()
	charge(t, b, begun(run(1), 7))
	charge(t, b, run(2))
	used := Gaussian(0.01)
	for _, next := range []struct {
		state State
		used  int
	}{{Ended, 3}, {Ended, 2}, {Closed, 2}} { // less than was found before gives nothing back
		if err := b.Settle(0, next.state, next.used, used, used, day); err != nil {
			t.Fatal(err)
		}
		used = Gaussian(0.001)
	}
	if l := b.Lines[0]; l.Used != 3 || l.One.MuSquared != 0.01 || l.State != Closed {
		t.Errorf("settled %+v", l)
	}
	if err := b.Withdraw(run(2).Spec, day); err != nil {
		t.Fatal(err)
	}
	if s := b.Standing("", time.Time{}, -1); s.One.MuSquared != 0.01 {
		t.Errorf("stands at %+v", s.One)
	}
	charge(t, b, run(2))
	if len(b.Lines) != 3 {
		t.Error("what was given up is not charged anew")
	}
	charge(t, b, begun(run(3), 9))
	if err := b.Settle(3, Closed, 1, used, used, day); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Place(run(3).Spec, b.Lines[3].Ledger); err == nil || fault.Hint(err) == "" {
		t.Errorf("a run that was closed has the place %v", err)
	}
}

// The files of a book.
var files = []string{"lyon.budget.db", "lyon.budget.db-head", "lyon.budget.db-wal"}

func copyBook(t *testing.T, from, to string) {
	t.Helper()
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			os.Remove(filepath.Join(to, name))
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A book that is lost, or brought back from an old copy, is not the one that a run's ledger remembers. An old copy of the
// database alone is not even opened.
func TestARolledBackBookIsNoticed(t *testing.T) {
	dir, old := t.TempDir(), t.TempDir()
	b := open(t, dir)
	charge(t, b, run(1))
	early := b.Mark()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	copyBook(t, dir, old)
	b = open(t, dir)
	charge(t, b, run(2))
	late := b.Mark()
	if b.Remembers(early) != nil || b.Remembers(late) != nil || b.Remembers(ledger.Mark{}) != nil {
		t.Error("a book does not remember where it ended")
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(old, files[0])); err != nil || os.WriteFile(filepath.Join(dir, files[0]), text, 0o600) != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, files[0]), peer); !errors.Is(err, ledger.ErrDamaged) || !strings.Contains(fault.Hint(err), "bring back") {
		t.Errorf("an old database beside the later head: %v (%s)", err, fault.Hint(err))
	}
	copyBook(t, old, dir)
	b = open(t, dir)
	if b.Remembers(early) != nil || b.Remembers(late) == nil || fault.Hint(b.Remembers(late)) == "" {
		t.Error("a book that was brought back is not noticed")
	}
	b.Close()
	lost := open(t, t.TempDir())
	defer lost.Close()
	if lost.Remembers(early) == nil {
		t.Error("a book that was lost is not noticed")
	}
}

// A book of another key, and a ledger that is no book, are refused.
func TestABookIsOfOneKey(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, files[0]), "12D3KooWOther"); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("opened with another key: %v", err)
	}
	l, err := ledger.Create(filepath.Join(dir, "ledger.db"), ledger.Federation{Name: "hospitals", Node: peer})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := Open(filepath.Join(dir, "ledger.db"), peer); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("opened the ledger of a run: %v", err)
	}
}

// Two who write at once wait for each other, and no charge is lost.
func TestTwoProcessesDoNotLoseACharge(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	for k := range byte(4) {
		go func() {
			b, err := Open(filepath.Join(dir, files[0]), peer)
			if err == nil {
				err = errors.Join(b.Charge(run(k+1), -1, day), b.Close())
			}
			ended <- err
		}()
	}
	for range 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	b := open(t, dir)
	defer b.Close()
	if len(b.Lines) != 4 {
		t.Errorf("%d lines of 4", len(b.Lines))
	}
}

// Runs count together unless their rows have different names; a table that is known under another name is refused, and another table
// under the same name is another version of it. A record's loss makes the total one about a record.
func TestWhichRunsCountTogether(t *testing.T) {
	b := open(t, t.TempDir())
	defer b.Close()
	for k, name := range []string{"", "heart", "lung", "heart"} {
		l := run(byte(k + 1))
		l.DataSet, l.Table = name, hex.EncodeToString(append(make([]byte, 31), byte(k)))
		if k == 3 {
			l.Unit = privacy.Record
		}
		charge(t, b, l)
	}
	for name, want := range map[string]int{"": 4, "heart": 3, "lung": 2, "other": 1} {
		s := b.Standing(name, time.Time{}, -1)
		if len(s.Lines) != want || s.Elsewhere != 4-want || (s.Unit == privacy.Record) != (name == "" || name == "heart") {
			t.Errorf("with %q %d count, %d do not, about a %s", name, len(s.Lines), s.Elsewhere, s.Unit)
		}
	}
	if s := b.Standing("", day.AddDate(0, 0, 3), 3); len(s.Lines) != 1 || s.Earlier != 2 || s.Counts() != `"run 3" of 2026-12-01` {
		t.Errorf("since a day: %+v", s)
	}
	swapped := run(9)
	swapped.DataSet, swapped.Table = "lung", b.Lines[1].Table
	if err := b.Charge(swapped, -1, day); err == nil || !strings.Contains(fault.Hint(err), "--dataset heart") {
		t.Errorf("a table under another name: %v (%s)", err, fault.Hint(err))
	}
}
