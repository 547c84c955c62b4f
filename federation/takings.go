package federation

import (
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// A Taking identifies a turn of a lane.
type Taking struct {
	Lane step.Lane
	Turn step.Turn
}

// Takings counts how often a ledger's node has taken each turn below turns, by lane. A correct node
// takes each turn once. A count of two means that noise was drawn twice. A turn is taken in one
// entry. A value that is sent again later, such as the last one, belongs to the same taking.
func Takings(l *ledger.Ledger, turns step.Turn) (map[Taking]int, error) {
	type value struct {
		Taking
		body ledger.Digest
	}
	times, entry, known := map[Taking]int{}, map[Taking]int64{}, map[value]bool{}
	for row, err := range l.Show() {
		if err != nil {
			return nil, err
		}
		if row.Turn >= turns { // such a release says that the run has ended
			continue
		}
		this := value{Taking{row.Lane, row.Turn}, row.Body}
		if entry[this.Taking] != row.Entry && !known[this] {
			times[this.Taking]++
			entry[this.Taking] = row.Entry
		}
		known[this] = true
	}
	return times, nil
}
