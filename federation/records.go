package federation

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
)

// checkRows refuses to take part with fewer rows than the spec says that this
// participant has: its noise would hide less of one of them. More do no harm, since one
// of them is then a smaller share.
func (f *Federation) checkRows(s *dataset.Shard, file string) error {
	if !f.Spec.Records() {
		return nil
	}
	rows, declared := s.Train.Rows()+s.Test.Rows(), f.Spec.Participants[f.Self].Rows
	if f.Spec.External() {
		rows = s.Train.Rows() // all that are declared are learnt from
		file = "the program"
	}
	if rows < declared {
		return fault.New(fmt.Sprintf("%s: %d rows are fewer than the %d that the spec declares for %s: each would be a larger share of what it releases than is charged", file, rows, declared, f.Name()),
			"give all rows, or agree on a spec with fewer rows for "+f.Name())
	}
	return nil
}
