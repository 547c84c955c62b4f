package nodes

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/dossier"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// An audited is a verified ledger with the audit of its node's folder.
type audited struct {
	verified
	*federation.Audit
}

// Print writes the ledger and the audit.
func (a audited) Print(w io.Writer) error {
	if err := a.verified.Print(w); err != nil {
		return err
	}
	return a.Audit.Print(w)
}

// VerifyLedger checks that a ledger is whole and unchanged. If path is a node's folder, it also checks the ledger against the files
// beside it.
func VerifyLedger(ask form.Asker, path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return form.Answer(ask, func() (verified, error) { return verifiedAt(path) })
	}
	return form.Answer(ask, func() (a audited, err error) {
		if a.verified, err = verifiedAt(path); err != nil {
			return a, err
		}
		f, ctx, err := ofFolder(ask, path)
		if err != nil {
			return a, err
		}
		a.Audit, err = f.Audit(ctx, path)
		return a, err
	})
}

func verifiedAt(path string) (found verified, err error) {
	err = withLedger(path, func(l *ledger.Ledger) error {
		found = describeLedger(l)
		return l.Verify()
	})
	return found, err
}

// ofFolder returns the federation of a node's folder, from the spec in it. The context is the one under which it was opened.
func ofFolder(ask form.Asker, dir string) (*federation.Federation, context.Context, error) {
	name, err := federation.ParticipantOf(dir)
	if err != nil {
		return nil, nil, err
	}
	s, err := form.LoadSpec(ask.Context, filepath.Join(dir, "spec.yaml"))
	if err != nil {
		return nil, nil, err
	}
	watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
	if err != nil {
		return nil, nil, err
	}
	ctx := experiment.Watching(ask.Context, watch)
	f, err := federation.Open(ctx, s, name)
	return f, ctx, err
}

// againstLedger checks the facts in a dossier about a run against the ledger in the folder dir. It returns an error if the
// dossier is not about the run of a node.
func againstLedger(ask form.Asker, d *dossier.Dossier, dir string) error {
	if d.Facts == nil {
		return fault.New("--ledger: the dossier is about no run of a node", "leave it out, or have a dossier made of the node's folder")
	}
	f, _, err := ofFolder(ask, dir)
	if err != nil {
		return err
	}
	return withLedger(dir, func(l *ledger.Ledger) error {
		if err := d.Facts.Check(f.Spec, f.Hash); err != nil {
			return err
		}
		if err := d.Facts.Holds(f, l); err != nil {
			return err
		}
		fmt.Fprintf(ask.Stderr, "what it says is in the ledger, which has %d entries after it\n", l.Head().Entries-d.Facts.Ledger.Entries)
		return nil
	})
}
