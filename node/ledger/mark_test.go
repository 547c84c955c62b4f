package ledger

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"
)

// A ledger holds the marks that it left, another one and one that was brought back hold none.
func TestABroughtBackLedgerDoesNotHoldAMark(t *testing.T) {
	l := fresh(t)
	early := filepath.Join(folder(t), "early.db")
	if _, err := Backup(l.path, early); err != nil {
		t.Fatal(err)
	}
	begin := l.Mark()
	if err := l.Commit(hop(0, 5)); err != nil {
		t.Fatal(err)
	}
	after := l.Mark()
	for _, m := range []Mark{begin, after} {
		if err := l.Holds(m); err != nil {
			t.Errorf("its own mark after %d entries: %v", m.Entries, err)
		}
	}
	old, err := Open(early)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	other := after
	other.Ledger = ID{1}
	if old.Holds(begin) != nil || !errors.Is(old.Holds(after), ErrDamaged) || !errors.Is(l.Holds(other), ErrDamaged) {
		t.Error("a mark is held by a ledger that was brought back from before it, or by another")
	}
}

// A ledger knows the mark of the book that it was made beside, and the tables of its starts, and both are part of its chain.
func TestBookAndTablesAreInTheChain(t *testing.T) {
	own := owner
	own.Book = Mark{ID{7}, 3, Digest{9}}
	l, err := Create(filepath.Join(folder(t), "l"), own)
	if err != nil {
		t.Fatal(err)
	}
	for i, table := range []Digest{{1}, {1}, {2}} {
		if err := l.Commit(Entry{Start: Start{byte(i + 1)}, Table: table}); err != nil {
			t.Fatal(err)
		}
	}
	l = reopen(t, l)
	defer l.Close()
	tables, err := l.Tables()
	if err != nil || !reflect.DeepEqual(tables, []Digest{{1}, {2}}) || l.Federation().Book != own.Book || l.Verify() != nil {
		t.Errorf("tables %v, book %v, %v, %v", tables, l.Federation().Book, err, l.Verify())
	}
	for _, change := range []string{`UPDATE start SET fingerprint = zeroblob(32) WHERE entry = 3`, `UPDATE federation SET book_entries = 4`} {
		if err := l.db.exec("BEGIN", change); err != nil {
			t.Fatal(err)
		}
		if change[7] == 'f' {
			if err := l.loadOwner(); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Verify(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", change, err)
		}
		if err := l.db.exec("ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		if err := l.loadOwner(); err != nil {
			t.Fatal(err)
		}
	}
}
