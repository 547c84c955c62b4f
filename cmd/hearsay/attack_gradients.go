package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack/gradients"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	gossipfamily "github.com/hearsay-dp/hearsay/internal/family/gossip"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// gradientFlags are what `attack gradients` is asked.
type gradientFlags struct {
	form.SpecQuestion
	attackers []string
	method    string
	work      float64
}

// attack runs the spec and attacks it.
func (f *gradientFlags) attack(s *spec.Spec) (*gradientAnswer, error) {
	if err := f.Out.Check(); err != nil {
		return nil, err
	}
	if f.method != "" && f.method != string(gradients.Ordinary) && f.method != string(gradients.Generalised) {
		return nil, fault.New(fmt.Sprintf("--method %.20q: there is no such method", f.method), "use ols or gls")
	}
	if !(f.work >= 0 && f.work <= mostWork) {
		return nil, fault.New(fmt.Sprintf("--work %g: is not from 0 to %d", f.work, mostWork), "1 is two to five minutes of a processor, 0 looks for nothing")
	}
	ctx, err := f.Watched()
	if err != nil {
		return nil, err
	}
	a, err := openGossip(ctx, s, f.Say)
	if err != nil {
		return nil, err
	}
	r := &rehearsed{algorithm: a, say: f.Say, work: f.work}
	attackers, err := attackerSets(&a.Holdings, f.attackers, false)
	if err != nil {
		return nil, err
	}
	answer, err := form.Within(ctx, func() (*gradientAnswer, error) { return r.audit(ctx, attackers, gradients.Method(f.method)) })
	if err != nil {
		return nil, err
	}
	return answer, f.Out.Write(ctx, f.Say, answer, func(w io.Writer) error { return writeAttackPage(w, answer) })
}

// openGossip makes a spec concrete with its noise set.
func openGossip(ctx context.Context, s *spec.Spec, say func(string)) (*gossipfamily.Algorithm, error) {
	if _, ok := family.Of(s).(gossipfamily.Family); !ok {
		return nil, fault.New(fmt.Sprintf("algorithm.kind: %s is not gossip, and this attack is on what neighbours send each other in turns", s.Algorithm.Kind),
			"use kind: gossip, gossip-gd or gossip-sgd, or hearsay attack walk for what hands a token on")
	}
	var made family.Algorithm
	switch {
	case s.Federated():
		priced, err := experiment.OpenPublic(ctx, s)
		if err != nil {
			return nil, err
		}
		made = priced.Algorithm
	case s.Privacy.Sigma != nil:
		opened, err := experiment.Open(ctx, s, say)
		if err != nil {
			return nil, err
		}
		if made, err = opened.Algorithm.WithNoise(*s.Privacy.Sigma); err != nil {
			return nil, err
		}
	default:
		priced, err := experiment.Prepare(ctx, s, say)
		if err != nil {
			return nil, err
		}
		made = priced.Algorithm
	}
	return made.(*gossipfamily.Algorithm), nil
}

// mostAlone is the most nodes of which each attacks alone unasked.
const mostAlone = 64

// rehearsed is an algorithm whose run is attacked.
type rehearsed struct {
	algorithm *gossipfamily.Algorithm
	say       func(string)
	work      float64 // times solveWork
}

// An eavesdrop is an attack and what its attackers have heard.
type eavesdrop struct {
	attack  *gradients.Attack
	seen    *gradients.Seen
	watch   func(step.Turn, []float64)
	attacks []int
}

// listen prepares the attacks and runs the spec once, with all attackers listening.
func (r *rehearsed) listen(ctx context.Context, sets [][]int, m gradients.Method) ([]*eavesdrop, *sim.Gossip, error) {
	a := r.algorithm
	run, err := a.Simulation(a.Spec.Seed)
	if err != nil {
		return nil, nil, err
	}
	run.Workers = form.Workers()
	p := a.Protocol
	inversion := gradients.Inversion{Model: p.Objective.Model, Features: a.Train.Features, Theta: p.Begin(), Box: pixelBox(&a.Spec.Data)}
	var all []*eavesdrop
	for k, set := range sets {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		r.progress("working out what attackers know", k, len(sets))
		weights, err := a.Simulation(a.Spec.Seed) // a sequence of its own
		if err != nil {
			return nil, nil, err
		}
		e := &eavesdrop{attacks: set}
		if e.attack, err = gradients.Prepare(p, weights.Weights, !a.Changes(), set, m, inversion); err != nil {
			return nil, nil, err
		}
		if numbers := float64(len(e.attack.Knowledge().Rows())) * float64(p.Params) * float64(len(sets)); numbers > mostHeard {
			return nil, nil, fault.New(fmt.Sprintf("what attackers receive would be %.2g numbers, more than %.2g", numbers, float64(mostHeard)),
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

// searching tells every so often of how many nodes examples were looked for, where that takes long.
func (r *rehearsed) searching() func(done, total int) {
	last := time.Now()
	return func(done, total int) {
		if now := time.Now(); now.Sub(last) > time.Second {
			last = now
			r.say(fmt.Sprintf("looking for examples: %d of %d", done, total))
		}
	}
}

// solveWork is how much work all attacks together take to look for examples in all messages at once: two to five minutes of a processor.
const solveWork = 4e11

// mostWork is the most times as much that may be asked for.
const mostWork = 1000

// seldom passes on what is said, but not more often than once in a second.
func (r *rehearsed) seldom() func(what string) {
	last := time.Now()
	return func(what string) {
		if now := time.Now(); now.Sub(last) > time.Second {
			last = now
			r.say(what)
		}
	}
}

// pixelBox is where the numbers of pictures are known to lie; nil: nowhere.
func pixelBox(d *spec.Data) *[2]float64 {
	if (d.Source == "mnist" || d.Source == "cifar10") && d.Scale == "none" {
		return &[2]float64{0, 1}
	}
	return nil
}

// mostHeard is how many numbers attackers may receive: 2 GB.
const mostHeard = 1 << 28

func (r *rehearsed) progress(what string, done, of int) {
	if of == 1 || done%16 == 0 {
		r.say(fmt.Sprintf("%s: %d of %d", what, done, of))
	}
}
