package federation

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// forgottenFile names the file that remembers where a ledger ends that lacks releases. No node goes on from that ledger, no
// statement is made of it and no budget is given back by it, also while no neighbour is there who knows better.
const forgottenFile = "forgotten.json"

// forgot remembers where the ledger in dir ends, which lacks releases, as cause says. It returns cause.
func forgot(dir string, cause error) error {
	book, err := ledger.Open(filepath.Join(dir, LedgerFile))
	if err != nil {
		return errors.Join(cause, err)
	}
	return errors.Join(cause, writeJSON(filepath.Join(dir, forgottenFile), book.Head()), book.Close())
}

// checkForgotten returns an error if a ledger ends where one of its folder did that lacked releases.
func checkForgotten(book *ledger.Ledger) error {
	path := filepath.Join(filepath.Dir(book.Path()), forgottenFile)
	var end ledger.Head
	if err := readJSON(path, &end); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fault.Wrap(err, path, "it says which ledger has forgotten releases; count the whole plan as spent (docs/howto/ledger.md)")
	}
	if end != book.Head() {
		return nil
	}
	return fault.New("the ledger "+book.Path()+" has forgotten what it released: a neighbour has shown a later entry of it", node.HintForgotten)
}
