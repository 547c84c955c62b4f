package budget

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// find returns the index of the first line for which is returns true, -1 if there is none.
func (b *Book) find(is func(l *Line) bool) int {
	return slices.IndexFunc(b.Lines, func(l Line) bool { return is(&l) })
}

// Knows reports whether a federation was charged, in any state.
func (b *Book) Knows(spec string) bool {
	return b.find(func(l *Line) bool { return l.Spec == spec }) >= 0
}

// Place returns the index of the line on which a run is charged. That is the line of its ledger, or a line that was signed and
// has not begun. It returns -1 if there is none yet. A run that its owner has closed is an error.
func (b *Book) Place(spec, ledger string) (at int, err error) {
	if ledger != "" {
		at = b.find(func(l *Line) bool { return l.Spec == spec && l.Ledger == ledger })
		if at >= 0 && b.Lines[at].State == Closed {
			return at, fault.New(fmt.Sprintf("the run of %s was closed in the budget book, and what it had not used was given back", b.Lines[at].Name()),
				"nobody goes on with it; sign another federation")
		}
	}
	if at < 0 || ledger == "" {
		at = b.find(func(l *Line) bool { return l.Spec == spec && l.State == Signed })
	}
	return at, nil
}

// Charge adds a line to the book. at is the index from Place; -1 appends. An existing line keeps its losses, and only takes over
// the table, the data set and the ledger of line. A table known under another data set is an error.
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

// same reports whether two lines agree in the fields that Charge may change.
func same(a, b *Line) bool {
	return a.Table == b.Table && a.DataSet == b.DataSet && a.Ledger == b.Ledger && a.State == b.State
}

// Settle gives back the part that a run did not use. The run is over by its ledger (Ended) or by its owner's word (Closed).
// A line that is over keeps the uses and the losses that were found before, where these are more. Settle changes nothing if
// such a line has the same state or Closed.
func (b *Book) Settle(at int, state State, used int, one, all Loss, now time.Time) error {
	line := b.Lines[at]
	if line.Over() && line.Used >= used {
		if line.State == state || line.State == Closed {
			return nil
		}
		used, one, all = line.Used, line.One, line.All
	}
	line.State, line.Used, line.One, line.All = state, used, one, all
	lines := slices.Clone(b.Lines)
	lines[at] = line
	return b.write(lines, now)
}

// Withdraw closes the line of a spec that was signed and has not begun, with no use. Without such a
// line it does nothing.
func (b *Book) Withdraw(spec string, now time.Time) error {
	for at := range b.Lines {
		if l := &b.Lines[at]; l.Spec == spec && l.State == Signed {
			return b.Settle(at, Closed, 0, Loss{}, Loss{}, now)
		}
	}
	return nil
}
