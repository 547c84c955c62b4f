package cells

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/report"
)

// Verify recomputes a random part of the cells here before it accepts their results. It recomputes a cell if draw(),
// uniform in [0, 1), is below share. Results are bit-identical wherever they are computed, so a different result is
// false and ends the sweep. A worker that invents k results is detected with probability 1 - (1-share)^k if it cannot
// predict draw.
func Verify(accept Heard, share float64, draw func() float64, run func(i int) (*report.Result, error)) Heard {
	return func(i int, worker string, answer []byte) error {
		said := &report.Result{}
		if draw() >= share || json.Unmarshal(answer, said) != nil { // accept reports the error in the text
			return accept(i, worker, answer)
		}
		own, err := run(i)
		if err != nil {
			return distrusted(i, fmt.Sprintf("which cannot be had here (%v)", err))
		}
		if !same(own, said) {
			return distrusted(i, fmt.Sprintf("which is another one here: mean loss %.6g and sigma %.6g, here %.6g and %.6g, or its scores differ",
				float64(said.Privacy.Mean), said.Privacy.Sigma, float64(own.Privacy.Mean), own.Privacy.Sigma))
		}
		return accept(i, "", answer)
	}
}

func distrusted(i int, what string) error {
	return queue.Distrust(fault.New(fmt.Sprintf("sent a result of open cell %d %s", i+1, what),
		"believe none of its cells: remove the folder of this sweep, and start it again without that worker"))
}

// same reports whether two results are bit-identical as JSON, except for their run times.
func same(a, b *report.Result) bool {
	one, err := json.Marshal(timeless(*a))
	other, failed := json.Marshal(timeless(*b))
	return err == nil && failed == nil && bytes.Equal(one, other)
}

// timeless returns a result without run times.
func timeless(r report.Result) report.Result {
	r.WallSeconds, r.StepsPerSecond = 0, 0
	return r
}
