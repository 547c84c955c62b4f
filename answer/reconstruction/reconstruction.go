package reconstruction

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// A Question holds the settings of `hearsay attack gradients`.
type Question struct {
	form.SpecQuestion
	Attackers []string
	Method    string
	Work      float64
}

// Answer runs the spec and attacks it.
func (f *Question) Answer(s *spec.Spec) (*Answer, error) {
	if err := f.Out.Check(); err != nil {
		return nil, err
	}
	if f.Method != "" && f.Method != string(gradientinversion.Ordinary) && f.Method != string(gradientinversion.Generalised) {
		return nil, fault.New(fmt.Sprintf("--method %.20q: there is no such method", f.Method), "use ols or gls")
	}
	if !(f.Work >= 0 && f.Work <= exposure.MostWork) {
		return nil, fault.New(fmt.Sprintf("--work %g: is not from 0 to %d", f.Work, exposure.MostWork), "1 is two to five minutes of a processor, 0 looks for nothing")
	}
	ctx, err := f.Watched()
	if err != nil {
		return nil, err
	}
	a, err := exposure.OpenGossip(ctx, s, f.Say)
	if err != nil {
		return nil, err
	}
	r := &rehearsed{algorithm: a, say: f.Say, work: f.Work}
	attackers, err := exposure.AttackerSets(&a.Holdings, f.Attackers, false)
	if err != nil {
		return nil, err
	}
	answer, err := form.Within(ctx, func() (*Answer, error) { return r.audit(ctx, attackers, gradientinversion.Method(f.Method)) })
	if err != nil {
		return nil, err
	}
	return answer, f.Out.Write(ctx, f.Say, answer, func(w io.Writer) error { return writeAttackPage(w, answer) })
}

// rehearsed is an algorithm whose run is attacked.
type rehearsed struct {
	algorithm *gossipfamily.Algorithm
	say       func(string)
	work      float64 // in units of solveWork
}

// An eavesdrop is an attack with the messages that its attackers received.
type eavesdrop struct {
	attack  *gradientinversion.Attack
	seen    *gradientinversion.Seen
	watch   func(step.Turn, []float64)
	attacks []int
}

// listen prepares the attacks and runs the spec once, with all attackers listening.
func (r *rehearsed) listen(ctx context.Context, sets [][]int, m gradientinversion.Method) ([]*eavesdrop, *sim.Gossip, error) {
	a := r.algorithm
	run, err := a.Simulation(a.Spec.Seed)
	if err != nil {
		return nil, nil, err
	}
	run.Workers = form.Workers()
	p := a.Protocol
	inversion := gradientinversion.Inversion{Model: p.Objective.Model, Features: a.Train.Features, Theta: p.Begin(), Box: pixelBox(&a.Spec.Data)}
	var all []*eavesdrop
	for k, set := range sets {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		r.progress("working out what attackers know", k, len(sets))
		weights, err := a.Simulation(a.Spec.Seed) // this needs its own sequence
		if err != nil {
			return nil, nil, err
		}
		e := &eavesdrop{attacks: set}
		if e.attack, err = gradientinversion.Prepare(p, weights.Weights, !a.Changes(), set, m, inversion); err != nil {
			return nil, nil, err
		}
		if numbers := float64(len(e.attack.Knowledge().Rows())) * float64(p.Params) * float64(len(sets)); numbers > exposure.MostHeard {
			return nil, nil, fault.New(fmt.Sprintf("what attackers receive would be %.2g numbers, more than %.2g", numbers, float64(exposure.MostHeard)),
				"name fewer attackers, or take fewer steps")
		}
		e.attack.Workers, e.attack.Watch, e.attack.Say = form.Workers(), r.searching(), r.seldom()
		e.attack.Work = r.work * solveWork / float64(len(sets))
		e.seen, e.watch = e.attack.Knowledge().Listen(p.Params)
		all = append(all, e)
	}
	if a.Public {
		return all, nil, nil
	}
	r.say("running the spec, with attackers listening")
	_, err = run.Bulk(ctx, sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		for _, e := range all {
			e.watch(t, x)
		}
	}})
	return all, run, err
}

// searching returns a function that reports the progress of the search, at most once a second.
func (r *rehearsed) searching() func(done, total int) {
	last := time.Now()
	return func(done, total int) {
		if now := time.Now(); now.Sub(last) > time.Second {
			last = now
			r.say(fmt.Sprintf("looking for examples: %d of %d", done, total))
		}
	}
}

// solveWork is the work for all attacks to search for examples in all messages jointly, two to five minutes of a
// processor.
const solveWork = 4e11

// seldom returns a function that passes on messages, at most one a second.
func (r *rehearsed) seldom() func(what string) {
	last := time.Now()
	return func(what string) {
		if now := time.Now(); now.Sub(last) > time.Second {
			last = now
			r.say(what)
		}
	}
}

// pixelBox returns the known range of pixel values. It returns nil if it is not known.
func pixelBox(d *spec.Data) *[2]float64 {
	if (d.Source == "mnist" || d.Source == "cifar10") && d.Scale == "none" {
		return &[2]float64{0, 1}
	}
	return nil
}

func (r *rehearsed) progress(what string, done, of int) {
	if of == 1 || done%16 == 0 {
		r.say(fmt.Sprintf("%s: %d of %d", what, done, of))
	}
}
