package federation

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
)

// checkRows returns an error if the file has fewer records than the spec declares for this
// participant. The reason is that the noise would then hide less of each record. More records do no
// harm, because each is then a smaller share.
func (f *Federation) checkRows(s *dataset.Shard, file string) error {
	if !f.Spec.Records() {
		return nil
	}
	records, declared := s.Records(), f.Spec.Participants[f.Self].Rows
	if f.Spec.External() {
		records = s.Train.Rows() // the program learns from all declared records
		file = "the program"
	}
	if records < declared {
		return fault.New(fmt.Sprintf("%s: %d %ss are fewer than the %d that the spec declares for %s: each would be a larger share of what it releases than is charged", file, records, f.Spec.RecordWord(), declared, f.Name()),
			"give all rows, or agree on a spec with fewer for "+f.Name())
	}
	return nil
}
