package membership

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

// A Question holds the settings of `hearsay attack membership`.
type Question struct {
	form.SpecQuestion
	Target    string
	Attackers []string
	Question  experiment.MembershipQuestion
}

// FinalModel is the name of the attacker who receives only the final model.
const FinalModel = "model"

// Farthest is the largest distance in hops of attackers that are examined if none is named.
const Farthest = 6

// Answer opens the spec and attacks it.
func (f *Question) Answer(s *spec.Spec) (*Answer, error) {
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
	if len(f.Question.Attackers) == 0 {
		f.Question.Attackers = setup.Nearby(f.Question.Target, Farthest)
	}
	live.Say("what accountants say of these attackers")
	answer, err := form.Within(ctx, func() (*Answer, error) { return f.answer(ctx, setup, live) })
	live.Wipe()
	if err != nil {
		return nil, err
	}
	return answer, f.Out.Write(ctx, f.Say, answer, func(w io.Writer) error { return writeMembershipPage(w, answer) })
}

func (f *Question) answer(ctx context.Context, setup *experiment.Priced, live *terminal.LiveLine) (*Answer, error) {
	progress := live.Left("runs")
	found, err := setup.Membership(ctx, f.Question, live.Say, progress)
	if err != nil {
		return nil, err
	}
	return &Answer{found, setup.Spec.Title(), setup.Spec.Algorithm.Kind, setup.Spec.Nodes}, nil
}

// ask completes the question, except for attackers that are not named. It refuses invalid questions before anything is
// priced.
func (f *Question) ask(s *experiment.Prepared) (err error) {
	q := &f.Question
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
	for _, name := range terminal.NameList(f.Attackers, known) {
		set, err := attackersCalled(s, name)
		if err != nil {
			return fault.Wrap(err, "--attackers", fault.Hint(err))
		}
		q.Attackers = append(q.Attackers, set)
	}
	return s.CheckMembership(q)
}

// found returns the target: the named node, or the first node that holds rows.
func (f *Question) found(s *experiment.Prepared) (int, error) {
	if f.Target != "" {
		u, err := s.Find(f.Target)
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

// attackersCalled returns the node of that name, or several nodes joined by +. It returns nil for the final model.
func attackersCalled(s *experiment.Prepared, name string) ([]int, error) {
	one, err := s.Find(name)
	switch {
	case err == nil:
		return []int{one}, nil
	case name == FinalModel:
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
