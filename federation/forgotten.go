package federation

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// forgottenFile names the file that remembers where a ledger ends that has forgotten what was released. No node goes on from that
// ledger and no statement is made of it, also while no neighbour is there who knows better.
const forgottenFile = "forgotten.json"

// forgot remembers that the ledger in dir has forgotten what was released, as cause says.
func forgot(dir string, cause error) error {
	book, err := ledger.Open(filepath.Join(dir, LedgerFile))
	if err != nil {
		return errors.Join(cause, err)
	}
	return errors.Join(cause, writeJSON(filepath.Join(dir, forgottenFile), book.Head()), book.Close())
}

// checkForgotten returns an error if the ledger in dir ends where one did that had forgotten what was released.
func checkForgotten(dir string, book *ledger.Ledger) error {
	path := filepath.Join(dir, forgottenFile)
	var end ledger.Head
	if err := readJSON(path, &end); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fault.Wrap(err, path, "it says which ledger has forgotten what was released; restore it, or the whole folder, from a copy")
	}
	if end != book.Head() {
		return nil
	}
	return fault.New("the ledger in "+dir+" has forgotten what it released: a neighbour has shown a later entry of it", node.HintForgotten)
}
