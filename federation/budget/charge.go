package budget

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// find is the first line that is so, -1 if none is.
func (b *Book) find(is func(l *Line) bool) int {
	return slices.IndexFunc(b.Lines, func(l Line) bool { return is(&l) })
}

// Knows reports whether a federation was charged, whatever came of it.
func (b *Book) Knows(spec string) bool {
	return b.find(func(l *Line) bool { return l.Spec == spec }) >= 0
}

// Place is the line that a run is charged on: the one of its ledger, or one that was signed and has not begun; -1: none yet. A
// run that its owner has closed is refused.
func (b *Book) Place(spec, ledger string) (at int, err error) {
	if ledger != "" {
		at = b.find(func(l *Line) bool { return l.Spec == spec && l.Ledger == ledger })
		if at >= 0 && b.Lines[at].State == Closed {
			return at, fault.New(fmt.Sprintf("the run of %s was closed in the budget book, and what it had not used was given back", b.Lines[at].name()),
				"nobody goes on with it; sign another federation")
		}
	}
	if at < 0 || ledger == "" {
		at = b.find(func(l *Line) bool { return l.Spec == spec && l.State == Signed })
	}
	return at, nil
}

// Charge puts a line into the book at a place that Place found. One that is there stays as it was charged, but for what is known
// by now: the table, the data set, the ledger.
func (b *Book) Charge(line Line, at int, now time.Time) error {
	for i := range b.Lines {
		if other := &b.Lines[i]; other.Table != "" && other.Table == line.Table && other.DataSet != "" && line.DataSet != "" && other.DataSet != line.DataSet {
			return line.errSwapped(other)
		}
	}
	lines := slices.Clone(b.Lines)
	if at < 0 {
		lines = append(lines, line)
		return b.write(lines, now)
	}
	was, changed := lines[at], lines[at]
	if line.Table != "" {
		changed.Table = line.Table
	}
	if line.DataSet != "" {
		changed.DataSet = line.DataSet
	}
	if line.Ledger != "" && was.Ledger == "" {
		changed.Ledger, changed.State = line.Ledger, Begun
	}
	if same(&was, &changed) {
		return nil
	}
	lines[at] = changed
	return b.write(lines, now)
}

// same reports whether nothing of a line has changed that Charge may change.
func same(a, b *Line) bool {
	return a.Table == b.Table && a.DataSet == b.DataSet && a.Ledger == b.Ledger && a.State == b.State
}

// Settle gives back what a run did not use, which is over by its ledger (Ended) or by its owner's word (Closed). It never charges
// less than a run that is over was found to have used before.
func (b *Book) Settle(at int, state State, used int, one, all Loss, now time.Time) error {
	line := b.Lines[at]
	if line.Over() && line.Used >= used && (line.State == state || line.State == Closed) {
		return nil
	}
	line.State, line.Used, line.One, line.All = state, used, one, all
	lines := slices.Clone(b.Lines)
	lines[at] = line
	return b.write(lines, now)
}

// Withdraw closes what was signed of a spec and has not begun: nothing was used.
func (b *Book) Withdraw(spec string, now time.Time) error {
	for at := range b.Lines {
		if l := &b.Lines[at]; l.Spec == spec && l.State == Signed {
			return b.Settle(at, Closed, 0, Loss{}, Loss{}, now)
		}
	}
	return nil
}
