package demo

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// Whatever its size, the spec that is written opens, and every participant's own
// policy accepts it.
func TestEveryDemonstrationIsAccepted(t *testing.T) {
	for _, c := range []Config{{Nodes: 4, Steps: 50}, {Nodes: 5, Steps: 400}, {Nodes: 8, Steps: 1000}, {Nodes: 13, Steps: 200}, {Nodes: 26, Steps: 100}} {
		c.Dir = t.TempDir()
		all, err := prepare(c)
		if err != nil {
			t.Fatal(err)
		}
		defer all.ports.Close()
		name := all.names[c.Nodes-1]
		f, err := load(context.Background(), all, name)
		if err != nil {
			t.Fatalf("%d nodes: %v (%s)", c.Nodes, err, fault.Hint(err))
		}
		plan, err := f.Plan(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		own, err := policy.Load(all.file(name, ".policy.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if objections := plan.Objections(own); len(objections) > 0 {
			t.Errorf("%d nodes: %v", c.Nodes, objections)
		}
		if shard, err := f.Read(all.file(name, ".csv"), 0); err != nil || shard.Train.Rows() != rows {
			t.Errorf("%d nodes: %v", c.Nodes, err)
		}
	}
}

// A result that is not as it should be is an error that says what is not.
func TestSoundSaysWhatIsWrong(t *testing.T) {
	good := Result{Nodes: 4, Turns: 100, Ledgers: 4, TurnsTaken: 100, SameModel: true}
	if err := good.Sound(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(r *Result){
		"3 of 4 ledgers":     func(r *Result) { r.Ledgers = 3 },
		"99 of 100 turns":    func(r *Result) { r.TurnsTaken = 99 },
		"1 turns were taken": func(r *Result) { r.TurnsTwice = 1 },
		"different models":   func(r *Result) { r.SameModel = false },
	} {
		bad := good
		change(&bad)
		if err := bad.Sound(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Training on pooled data ends where the gradient is all but zero.
func TestMinimise(t *testing.T) {
	o := model.Objective{Model: model.Logistic{Intercept: true}, L2: 0.1}
	ex := model.Examples{Features: 1, X: []float64{-1, -0.2, 0.1, 0.9}, Y: []float64{-1, 1, -1, 1}}
	theta := minimise(o, ex, 2)
	if theta[0] < 0.1 {
		t.Fatalf("the slope is %v", theta)
	}
	sum, gradient := make([]float64, 2), make([]float64, 2)
	for i := range ex.Len() {
		x, y := ex.Row(i)
		o.Gradient(gradient, theta, x, y)
		sum[0], sum[1] = sum[0]+gradient[0]/4, sum[1]+gradient[1]/4
	}
	if norm := math.Hypot(sum[0]+o.L2*theta[0], sum[1]+o.L2*theta[1]); norm > 1e-3 {
		t.Errorf("the gradient at %v has norm %g", theta, norm)
	}
}
