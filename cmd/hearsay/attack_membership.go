package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/spec"
)

// membershipFlags are what `attack membership` is asked.
type membershipFlags struct {
	form.SpecQuestion
	target    string
	attackers []string
	question  experiment.MembershipQuestion
}

// finalModel is how the attacker is called who receives the final model and nothing else.
const finalModel = "model"

// farthest is how many hops away attackers are looked at if none is named.
const farthest = 6

// attack opens the spec and attacks it.
func (f *membershipFlags) attack(s *spec.Spec) (*membershipAnswer, error) {
	if err := f.Out.Check(); err != nil {
		return nil, err
	}
	ctx, err := f.Watched()
	if err != nil {
		return nil, err
	}
	live := terminal.NewLiveLine(f.Stderr)
	opened, err := experiment.Open(ctx, s, live.Say)
	if err != nil {
		return nil, err
	}
	if err := f.ask(opened); err != nil {
		return nil, err
	}
	setup, err := opened.PriceForAttack(ctx, live.Say)
	if err != nil {
		return nil, err
	}
	if len(f.question.Attackers) == 0 {
		f.question.Attackers = setup.Nearby(f.question.Target, farthest)
	}
	live.Say("what accountants say of these attackers")
	answer, err := form.Within(ctx, func() (*membershipAnswer, error) { return f.answer(ctx, setup, live) })
	live.Wipe()
	if err != nil {
		return nil, err
	}
	return answer, f.Out.Write(ctx, f.Say, answer, func(w io.Writer) error { return writeMembershipPage(w, answer) })
}

func (f *membershipFlags) answer(ctx context.Context, setup *experiment.Priced, live *terminal.LiveLine) (*membershipAnswer, error) {
	progress := live.Left("runs")
	found, err := setup.Membership(ctx, f.question, live.Say, progress)
	if err != nil {
		return nil, err
	}
	return &membershipAnswer{found, setup.Spec.Title(), setup.Spec.Algorithm.Kind, setup.Spec.Nodes}, nil
}

// ask completes the question but for attackers whom nobody named, and refuses what cannot be asked before anything is priced.
func (f *membershipFlags) ask(s *experiment.Prepared) (err error) {
	q := &f.question
	q.Workers = form.Workers()
	if q.Shadows == 0 {
		q.Shadows = q.Runs
	}
	if q.Seed == 0 {
		q.Seed = s.Spec.Seed
	}
	if q.Target, err = f.found(s); err != nil {
		return err
	}
	q.Attackers = nil
	known := func(name string) bool { _, err := attackersCalled(s, name); return err == nil }
	for _, name := range terminal.NameList(f.attackers, known) {
		set, err := attackersCalled(s, name)
		if err != nil {
			return fault.Wrap(err, "--attackers", fault.Hint(err))
		}
		q.Attackers = append(q.Attackers, set)
	}
	return s.CheckMembership(q)
}

// found is the target: the node that was named, or the first that holds rows.
func (f *membershipFlags) found(s *experiment.Prepared) (int, error) {
	if f.target != "" {
		u, err := s.Find(f.target)
		if err != nil {
			return 0, fault.Wrap(err, "--target", fault.Hint(err))
		}
		return u, nil
	}
	for u := range s.Spec.Nodes {
		if !s.Public && s.Rows(u) > 0 {
			return u, nil
		}
	}
	return 0, nil
}

// attackersCalled are the nodes of that name, or of several joined by +; none for the final model.
func attackersCalled(s *experiment.Prepared, name string) ([]int, error) {
	one, err := s.Find(name)
	switch {
	case err == nil:
		return []int{one}, nil
	case name == finalModel:
		return nil, nil
	case !strings.Contains(name, "+"):
		return nil, err
	}
	var set []int
	for _, part := range strings.Split(name, "+") {
		v, err := s.Find(part)
		if err != nil {
			return nil, err
		}
		set = append(set, v)
	}
	slices.Sort(set)
	return set, nil
}
