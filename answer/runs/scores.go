package runs

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
)

// A scored holds a point of a trial's curve, as `hearsay run --scores` says it.
type scored struct {
	Trial        int           `json:"trial"`
	Step         int           `json:"step"`
	TrainLoss    report.Number `json:"train_loss"`
	TestLoss     report.Number `json:"test_loss"`
	TestAccuracy report.Number `json:"test_accuracy"`
}

// scores says each score on a line of its own, besides what show does.
func scores(w io.Writer, live *terminal.LiveLine, show experiment.Progress) experiment.Progress {
	lines := terminal.Aside(w)
	return func(t experiment.Tick) {
		show(t)
		text, err := json.Marshal(scored{t.Trial, t.Step, report.Number(t.TrainLoss), report.Number(t.TestLoss), report.Number(t.TestAccuracy)})
		if err != nil {
			panic(err) // numbers alone
		}
		live.Wipe()
		fmt.Fprintf(lines, "score %s\n", text)
	}
}
