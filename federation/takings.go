package federation

import (
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// A Taking is a turn of a token.
type Taking struct {
	Lane step.Lane
	Turn step.Turn
}

// Takings counts how often a ledger's node has taken each of the first so many
// turns of a run, lane by lane. Once is as it should be; twice is noise drawn again. A turn is
// taken in one entry; a value that is sent on later, as the last one is, is the
// same taking.
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
		if row.Turn >= turns { // that the run has ended
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
