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

// audited is a whole ledger with what its folder says of the run.
type audited struct {
	verified
	*federation.Audit
}

// Print writes both.
func (a audited) Print(w io.Writer) error {
	if err := a.verified.Print(w); err != nil {
		return err
	}
	return a.Audit.Print(w)
}

// VerifyLedger checks that a ledger is whole and nothing in it was changed; that of a node's folder is held against the files beside it.
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

// ofFolder is the federation of the folder of a node, by the spec in it.
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

// againstLedger holds what a dossier says of a run against the ledger of the participant that it is about.
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
