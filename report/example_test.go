package report_test

import (
	"fmt"
	"os"

	"github.com/hearsay-dp/hearsay/report"
)

// The summary of a result for a terminal.
func ExampleTable() {
	r := &report.Result{
		Name: "Walk on a ring", Algorithm: "walk", Model: "logistic", Steps: 100, WallSeconds: 0.5, StepsPerSecond: 200,
		Final: report.Final{TrainLoss: 0.52, TestLoss: 0.55},
		Privacy: report.Privacy{
			Accounted: report.Accounted{Accountant: "path", Status: report.Sound, MeanStatus: report.Sound, Mean: 0.8, Max: 1.1},
			Sigma:     4, Metric: "epsilon at delta 1e-06", Delta: 1e-6, Simulated: true,
		},
	}
	if err := report.Table(os.Stdout, r, false); err != nil {
		fmt.Println(err)
	}
	// Output:
	// +------------------+---------------------------------+
	// |                  | Walk on a ring                  |
	// +------------------+---------------------------------+
	// | test loss        | 0.55                            |
	// | training loss    | 0.52                            |
	// | noise multiplier | 4                               |
	// | steps            | 1 trial x 100 in 500 ms (200/s) |
	// +------------------+---------------------------------+
	// +--------------+--------+------+------------+-------------------+
	// | privacy loss | status | mean | worst pair | beyond neighbours |
	// +--------------+--------+------+------------+-------------------+
	// | path         | sound  | 0.8  | 1.1        | –                 |
	// +--------------+--------+------+------------+-------------------+
	// Losses are epsilon at delta 1e-06, over all ordered pairs of nodes.
	// Simulated noise is not release noise: it came from a seed and protects nothing.
}
