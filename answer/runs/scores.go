package runs

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
)

// A scored is a point of a trial's curve, in the JSON of `hearsay run --scores`.
type scored struct {
	Trial        int           `json:"trial"`
	Step         int           `json:"step"`
	TrainLoss    report.Number `json:"train_loss"`
	TestLoss     report.Number `json:"test_loss"`
	TestAccuracy report.Number `json:"test_accuracy"`
}

// scores returns a progress function that calls show and writes each score on its own line to w.
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
