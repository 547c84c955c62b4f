package federation

import (
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// Takings counts how often a ledger's node has taken each of the first so many
// turns of a run. Once is as it should be; twice is noise drawn again. A turn is
// taken in one entry; a value that is sent on later, as the last one is, is the
// same taking.
func Takings(l *ledger.Ledger, turns step.Turn) (map[step.Turn]int, error) {
	type value struct {
		turn step.Turn
		body ledger.Digest
	}
	times, entry, known := map[step.Turn]int{}, map[step.Turn]int64{}, map[value]bool{}
	for row, err := range l.Show() {
		if err != nil {
			return nil, err
		}
		if row.Turn >= turns { // that the run has ended
			continue
		}
		this := value{row.Turn, row.Body}
		if entry[row.Turn] != row.Entry && !known[this] {
			times[row.Turn]++
			entry[row.Turn] = row.Entry
		}
		known[this] = true
	}
	return times, nil
}
