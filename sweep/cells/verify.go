package cells

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/report"
)

// Verify has some cells run here, too, before what came from elsewhere is accepted: each one that draw, of [0, 1), puts below share.
// Results are the same bits wherever they are found, so one that differs is not true, and ends the sweep. A worker that
// invents k results is found out with probability 1 - (1-share)^k, if it cannot foresee what is drawn.
func Verify(accept Heard, share float64, draw func() float64, run func(i int) (*report.Result, error)) Heard {
	return func(i int, worker string, answer []byte) error {
		said := &report.Result{}
		if draw() >= share || json.Unmarshal(answer, said) != nil { // accept says what is wrong with a text
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

// same reports whether two results are the same bits, as they are written, but for how long they took.
func same(a, b *report.Result) bool {
	one, err := json.Marshal(timeless(*a))
	other, failed := json.Marshal(timeless(*b))
	return err == nil && failed == nil && bytes.Equal(one, other)
}

// timeless is a result without what a clock said.
func timeless(r report.Result) report.Result {
	r.WallSeconds, r.StepsPerSecond = 0, 0
	return r
}
