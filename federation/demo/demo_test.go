package demo

import (
	"context"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// Whatever its size, the spec that is written opens, and every participant's own
// policy accepts it.
func TestEveryDemonstrationIsAccepted(t *testing.T) {
	for _, c := range []Config{{}, {Clinics: 4, Steps: 50}, {Clinics: 5, Steps: 400}, {Clinics: 8, Steps: 1000}, {Clinics: 13, Steps: 200}, {Clinics: 26, Steps: 100}} {
		c.Dir = t.TempDir()
		all, err := prepare(c)
		if err != nil {
			t.Fatal(err)
		}
		defer all.ports.Close()
		last := len(all.names) - 1
		name := all.names[last]
		f, err := load(context.Background(), all, name)
		if err != nil {
			t.Fatalf("%d nodes: %v (%s)", len(all.names), err, fault.Hint(err))
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
			t.Errorf("%d nodes: %v", len(all.names), objections)
		}
		if shard, err := f.Read(all.file(name, ".csv"), 0); err != nil || shard.Train.Rows() != all.rows[last] {
			t.Errorf("%d nodes: %v", len(all.names), err)
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
