package federation

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// No statement is made of a ledger that ends where one did that lacked releases, and none while nobody can tell where that was.
func TestNoStatementOfAForgottenLedger(t *testing.T) {
	f := open(t, newStage(t, quick).spec, "lyon")
	p, dir := plan(t, f), t.TempDir()
	l, err := ledger.Create(filepath.Join(dir, LedgerFile), ledger.Federation{Name: "test", Spec: f.Hash, Node: "lyon", ID: f.Self})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Statement(p, l, false); err != nil {
		t.Error(err)
	}
	if err := writeJSON(filepath.Join(dir, forgottenFile), l.Head()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Statement(p, l, false); err == nil || fault.Hint(err) != node.HintForgotten {
		t.Errorf("a statement was made: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, forgottenFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Statement(p, l, false); err == nil || fault.Hint(err) == "" {
		t.Errorf("a statement was made beside a damaged file: %v", err)
	}
	later := l.Head()
	later.Entries++
	if err := writeJSON(filepath.Join(dir, forgottenFile), later); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Statement(p, l, false); err != nil {
		t.Errorf("another ledger has forgotten: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
