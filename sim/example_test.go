package sim_test

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A walk of 200 turns on a ring of four, one example each.
func ExampleWalk_Bulk() {
	g, _ := gen.Parse("ring:4", 1)
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		fmt.Println(err)
		return
	}
	run := &sim.Walk{
		Protocol: &walk.Protocol{
			Local: descent.Local{
				Params: 2, Objective: model.Objective{Model: model.Logistic{}},
				Noise: noise.Gaussian{Clip: 1, Multiplier: 0.5}, StepSize: descent.StepSize{Base: 0.1},
			},
			Nodes: 4, Steps: 200, Start: 0,
		},
		Holdings: &sim.Slab{
			Features: 2, X: []float64{1, 0, 0, 1, -1, 0, 0, -1}, Y: []float64{1, 1, -1, -1}, Offsets: []int{0, 1, 2, 3, 4},
		},
		Choose: w, Seed: 1,
	}
	releases := 0
	token, err := run.Bulk(context.Background(), func(step.Release, []float64) { releases++ })
	fmt.Printf("%d releases, the token ends at %.2f, %v\n", releases, token, err)
	// Output:
	// 200 releases, the token ends at [3.25 2.43], <nil>
}
