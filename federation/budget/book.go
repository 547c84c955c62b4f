package budget

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// Beside returns the path of a key's book: lyon.budget.db beside lyon.key.
func Beside(key string) string { return strings.TrimSuffix(key, filepath.Ext(key)) + ".budget.db" }

// A Book is an open budget book. While it is open no other process can open it. Every change is on disk when
// the method returns.
type Book struct {
	Lines []Line // oldest first

	path   string
	ledger *ledger.Ledger
}

// title is the federation name in the ledger of a book.
const title = "budget book"

// whose returns the ledger header of the book of a key. peer is the text of the owner's key.
func whose(peer string) ledger.Federation {
	return ledger.Federation{Name: title, Spec: sha256.Sum256([]byte("hearsay " + title + " 1\n" + peer)), Node: peer}
}

// patience is how long Open waits for another process that has the book open.
const patience = 10 * time.Second

// Exists reports whether there is a book at path, or part of one.
func Exists(path string) bool {
	for _, end := range []string{"", "-head", "-wal"} {
		if _, err := os.Lstat(path + end); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// Open opens and verifies the book at path of the owner whose key has the text peer. It creates the book if there is none.
func Open(path, peer string) (*Book, error) {
	if !Exists(path) {
		l, err := ledger.Create(path, whose(peer))
		return &Book{path: path, ledger: l}, err
	}
	l, err := ledger.Open(path)
	for waited := time.Duration(0); errors.Is(err, ledger.ErrLocked) && waited < patience; waited += patience / 100 {
		time.Sleep(patience / 100)
		l, err = ledger.Open(path)
	}
	if err != nil {
		return nil, explain(path, err)
	}
	b := &Book{path: path, ledger: l}
	if err := b.read(peer); err != nil {
		return nil, errors.Join(explain(path, err), l.Close())
	}
	return b, nil
}

// explain adds to err a hint on how to replace a book that cannot be used.
func explain(path string, err error) error {
	hint := "bring back a copy that ends at the same entry (hearsay ledger backup " + path + " COPY makes one); without it count the whole plan of every federation that was signed with this key"
	if !errors.Is(err, ledger.ErrDamaged) {
		hint = fault.Hint(err)
	}
	return fault.Wrap(err, "budget book "+path, hint)
}

// read verifies the ledger and loads its lines. A ledger that is not the book of peer is an error.
func (b *Book) read(peer string) error {
	if is, want := b.ledger.Federation(), whose(peer); is.Name != want.Name || is.Spec != want.Spec || is.Node != want.Node {
		return fmt.Errorf("it is no budget book of the key %s: %w", peer, ledger.ErrDamaged)
	}
	if err := b.ledger.Verify(); err != nil {
		return err
	}
	holds, err := b.ledger.Recover()
	if err != nil || holds.State == nil {
		return err
	}
	if b.Lines, err = parse(holds.State); err != nil {
		return fmt.Errorf("%w: %w", err, ledger.ErrDamaged)
	}
	return nil
}

// Close closes the book, so that other processes can open it.
func (b *Book) Close() error { return b.ledger.Close() }

// Mark returns where the book ends. The ledger of a run stores the mark.
func (b *Book) Mark() ledger.Mark { return b.ledger.Mark() }

// Remembers returns an error if the book does not contain the mark m of a run's ledger: it is another
// book or an older copy. The zero mark is always accepted.
func (b *Book) Remembers(m ledger.Mark) error {
	if m == (ledger.Mark{}) || b.ledger.Holds(m) == nil {
		return nil
	}
	return fault.New(fmt.Sprintf("budget book %s is not the one that this run began beside, which had %d entries: it was lost, or an older copy was brought back, and has forgotten what was charged since",
		b.path, m.Entries), "bring back the later one; where it is gone for good, hearsay budget settle FOLDER of each node's folder charges its run anew")
}

// write commits the lines to disk.
func (b *Book) write(lines []Line, at time.Time) error {
	text, err := json.Marshal(lines)
	if err != nil {
		return err
	}
	if _, err := parse(text); err != nil {
		return fault.Wrap(err, "budget book "+b.path+" would not be readable", "this is a fault in the program that keeps it")
	}
	if err := b.ledger.Commit(ledger.Entry{Time: at, State: text}); err != nil {
		return explain(b.path, err)
	}
	b.Lines = lines
	return nil
}
