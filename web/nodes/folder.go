package nodes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/web"
)

// A folder holds the known state of one participant.
type folder struct {
	dir    string
	joined joined

	mu        sync.Mutex
	fed       *federation.Federation
	planned   *federation.Plan
	failed    error // why there is no plan
	own       *policy.Policy
	verifying bool
	seen      [3]mark // of the ledger's files at the last check
	verified  *web.Verified
	statement *federation.Statement
	stated    time.Time
	unstated  error // why there is no statement
	last      lastSent
}

// plan computes the plan that the participant joined. With a policy it includes the coalitions of
// that policy.
func (f *folder) plan(ctx context.Context) {
	fed, err := openFederation(ctx, f)
	var plan *federation.Plan
	if err == nil {
		var sizes []int
		if own := f.policy(); own != nil {
			sizes = own.Sizes()
		}
		if plan, err = fed.Plan(ctx, sizes...); err != nil {
			err = hinted(err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fed, f.planned, f.failed = fed, plan, err
	f.seen = [3]mark{} // the ledger must now be compared with the plan
}

// policy returns the policy in the ledger that accepted the plan. It returns nil if it is not known.
func (f *folder) policy() *policy.Policy {
	book, done, err := f.copied()
	if err != nil {
		return nil
	}
	defer done()
	own, err := policy.Parse(book.Federation().Policy, "the policy in the ledger")
	if err != nil {
		return nil
	}
	return own
}

// A mark identifies a version of a file.
type mark struct {
	size int64
	time time.Time
}

// parts are the suffixes of the files of a ledger.
var parts = [3]string{"", "-wal", "-head"}

// mostLedger is the largest size in bytes of a ledger that is copied and verified.
const mostLedger = 512 << 20

var errNone = errors.New("there is no ledger in this folder yet")

// marks returns the marks of the ledger's files, which must be regular and of bounded size.
func (f *folder) marks() (all [3]mark, err error) {
	for i, end := range parts {
		info, err := os.Lstat(filepath.Join(f.dir, federation.LedgerFile+end))
		switch {
		case errors.Is(err, fs.ErrNotExist) && i == 0:
			return all, errNone
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return all, err
		case !info.Mode().IsRegular():
			return all, fmt.Errorf("%s is no regular file", info.Name())
		case info.Size() > mostLedger:
			return all, fmt.Errorf("the ledger has %d bytes; up to %d are verified here: hearsay ledger verify takes any", info.Size(), mostLedger)
		}
		all[i] = mark{info.Size(), info.ModTime()}
	}
	return all, nil
}

// leastRest is the least time between two checks. The time is also at least twenty times the
// duration of the last one.
const leastRest = 4 * time.Second

// due reports whether the ledger must be checked again, and records that a check begins.
func (f *folder) due(now time.Time) bool {
	marks, err := f.marks()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		f.verified, f.statement, f.unstated, f.seen = nil, nil, err, [3]mark{}
		if !errors.Is(err, errNone) {
			f.verified = &web.Verified{Problem: err.Error(), At: now}
		}
		return false
	case f.verifying, marks == f.seen && f.verified != nil:
		return false
	case f.verified != nil && f.seen != [3]mark{}:
		rest := max(leastRest, 20*time.Duration(f.verified.Seconds*float64(time.Second)))
		if now.Sub(f.verified.At) < rest {
			return false
		}
	}
	f.seen, f.verifying = marks, true
	return true
}

// copied opens a verified copy of the ledger. done closes and removes it.
func (f *folder) copied() (book *ledger.Ledger, done func(), err error) {
	if _, err := f.marks(); err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "hearsay-ledger-") // readable by this user alone
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, federation.LedgerFile)
	if _, err = ledger.Backup(filepath.Join(f.dir, federation.LedgerFile), path); err == nil {
		book, err = ledger.Open(path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return book, func() { _, _ = book.Close(), os.RemoveAll(dir) }, nil
}

// verify checks the ledger from its first entry to its last and compares it with the plan.
func (f *folder) verify(now func() time.Time) {
	began := now()
	book, done, err := f.copied()
	v := &web.Verified{Whole: err == nil, At: now().UTC(), Seconds: now().Sub(began).Seconds()}
	if err != nil {
		v.Problem = strings.ReplaceAll(hinted(err).Error(), f.dir+string(filepath.Separator), "")
		f.mu.Lock()
		defer f.mu.Unlock()
		f.verifying, f.verified, f.statement, f.unstated = false, v, nil, errors.New("the ledger is not whole, and says nothing")
		return
	}
	defer done()
	head := book.Head()
	v.Entries, v.Releases, v.Hash = head.Entries, head.Releases, fmt.Sprintf("%x", head.Hash)
	own, _ := policy.Parse(book.Federation().Policy, "the policy in the ledger")
	f.mu.Lock()
	fed, plan := f.fed, f.planned
	f.mu.Unlock()
	var statement *federation.Statement
	if plan != nil {
		if statement, err = stated(fed, plan, book, f.dir); err != nil {
			err = hinted(err)
		} else {
			statement.Others = federation.ReadOtherRuns(f.dir)
		}
	}
	last := sentLast(book)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.verifying, f.verified, f.own, f.last = false, v, own, last
	f.statement, f.unstated, f.stated = statement, err, v.At
}

// stated returns the statement of the ledger of the folder dir. It fails if the ledger belongs to another federation
// or participant.
func stated(fed *federation.Federation, plan *federation.Plan, book *ledger.Ledger, dir string) (*federation.Statement, error) {
	if owner := book.Federation(); owner.Spec != fed.Hash || owner.ID != fed.Self {
		return nil, errors.New("the ledger is of another federation or participant than the spec beside it")
	}
	rest, err := federation.StoppedIn(dir)
	return fed.Statement(plan, book, err == nil && rest != nil && rest.Ended)
}

// lastSent describes the last message that was sent.
type lastSent struct {
	turn int64
	to   []int // without repeats
	at   time.Time
}

// sentLast finds the last turn at which the node sent anything to another node.
func sentLast(book *ledger.Ledger) (last lastSent) {
	self := book.Federation().ID
	last.turn = -1
	for row, err := range book.Show() {
		if err != nil {
			return lastSent{turn: -1}
		}
		if row.From != self || row.To == self {
			continue
		}
		if int64(row.Turn) != last.turn {
			last = lastSent{turn: int64(row.Turn)}
		}
		if last.at = row.Time; !slices.Contains(last.to, int(row.To)) {
			last.to = append(last.to, int(row.To))
		}
	}
	return last
}
