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

// Beside is where the book of a key is: lyon.budget.db beside lyon.key.
func Beside(key string) string { return strings.TrimSuffix(key, filepath.Ext(key)) + ".budget.db" }

// A Book is an open one, which keeps every other process out. Whatever changes it is on disk when that returns.
type Book struct {
	Lines []Line // oldest first

	path   string
	ledger *ledger.Ledger
}

// title is what ledgers that are books say they are of.
const title = "budget book"

// whose is what a book's ledger says of whose it is, by the text of the owner's key.
func whose(peer string) ledger.Federation {
	return ledger.Federation{Name: title, Spec: sha256.Sum256([]byte("hearsay " + title + " 1\n" + peer)), Node: peer}
}

// patience is how long another process that has the book open is waited for.
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

// Open opens the book at path of whoever has the key of that text, and makes one where there is none. All of it is verified.
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

// explain says what to do about a book that cannot be used.
func explain(path string, err error) error {
	hint := "bring back a copy that ends at the same entry (hearsay ledger backup " + path + " COPY makes one); without it count the whole plan of every federation that was signed with this key"
	if !errors.Is(err, ledger.ErrDamaged) {
		hint = fault.Hint(err)
	}
	return fault.Wrap(err, "budget book "+path, hint)
}

// read takes in what the ledger holds.
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

// Close lets the book go.
func (b *Book) Close() error { return b.ledger.Close() }

// Mark is where the book ends, for the ledger of a run to remember.
func (b *Book) Mark() ledger.Mark { return b.ledger.Mark() }

// Remembers fails where the book is not one that a run's ledger has seen: it is another one, or older.
func (b *Book) Remembers(m ledger.Mark) error {
	if m == (ledger.Mark{}) || b.ledger.Holds(m) == nil {
		return nil
	}
	return fault.New(fmt.Sprintf("budget book %s is not the one that this run began beside, which had %d entries: it was lost, or an older copy was brought back, and has forgotten what was charged since",
		b.path, m.Entries), "bring back the later one; where it is gone for good, hearsay budget settle FOLDER of each node's folder charges its run anew")
}

// write makes the lines durable.
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
