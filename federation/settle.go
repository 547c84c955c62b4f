package federation

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// Settle enters the run of a node's folder in its participant's budget book. It charges a run that the book does not know. If
// the run has ended, the participant has left, or closing is set, it gives back the part that the ledger does not use. The node
// must have stopped.
func (f *Federation) Settle(ctx context.Context, dir string, from Purse, closing bool, now time.Time) (line budget.Line, err error) {
	run, err := ledger.Open(filepath.Join(dir, LedgerFile))
	if err != nil {
		return line, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	owner := run.Federation()
	if owner.Spec != f.Hash || owner.ID != f.Self {
		return line, fault.New(dir+" has the ledger of another federation or participant", "restore the folder from a copy")
	}
	plan, err := f.Plan(ctx)
	if err != nil {
		return line, err
	}
	ended := f.endedIn(dir, run)
	s, err := f.Statement(plan, run, ended)
	if err != nil {
		return line, err
	}
	state := budget.Begun
	switch {
	case ended || s.Left != nil:
		state = budget.Ended
	case closing:
		state = budget.Closed
	}
	if from.Table, err = lastTable(run); err != nil {
		return line, err
	}
	_, err = f.withBook(from, func(b *budget.Book) error {
		charged := f.line(plan, from, now)
		charged.Ledger, charged.State = hex.EncodeToString(owner.Ledger[:]), budget.Begun
		at, err := b.Place(charged.Spec, charged.Ledger)
		if err == nil {
			err = b.Charge(charged, at, now)
		}
		if err != nil {
			return err
		}
		if at < 0 {
			at = len(b.Lines) - 1
		}
		if state != budget.Begun {
			one, all := plan.spentCost(s.Contributed, s.Late)
			err = b.Settle(at, state, s.Contributed, one, all, now)
		}
		line = b.Lines[at]
		return err
	})
	return line, err
}

// endedIn reports whether the signed statement beside a ledger says that the run has ended and that the ledger
// ends at the same entry.
func (f *Federation) endedIn(dir string, run *ledger.Ledger) bool {
	text, err := regular.Read(filepath.Join(dir, StatementFile), regular.MostFile)
	if err != nil {
		return false
	}
	s, err := ReadStatement(text, f.Spec, f.Hash)
	return err == nil && s.Attested.Participant == f.Name() && s.Attested.Ended && s.Attested.Ledger == endOf(run.Head())
}

func lastTable(run *ledger.Ledger) (last ledger.Digest, err error) {
	tables, err := run.Tables()
	if len(tables) > 0 {
		last = tables[len(tables)-1]
	}
	return last, err
}

// GiveUp closes the charge of a federation that the participant signed and never began.
func (f *Federation) GiveUp(from Purse, now time.Time) error {
	_, err := f.withBook(from, func(b *budget.Book) error {
		at, err := b.Place(f.hash(), "")
		if err == nil && at < 0 {
			err = fault.New(fmt.Sprintf("budget book %s has no charge for %q that has not begun", from.Book, f.Spec.Title()), "give the folder of the node, if it has begun")
		}
		if err != nil {
			return err
		}
		return b.Withdraw(f.hash(), now)
	})
	return err
}
