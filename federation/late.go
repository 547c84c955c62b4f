package federation

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/family"
)

// mostLate returns the largest number of steps whose values may come late: after the others went on without this participant,
// and revealed the noise that they share with it. It returns 0 if others wait.
func (f *Federation) mostLate() int {
	if caller, ok := f.setup.Algorithm.(family.Caller); ok {
		return caller.Late()
	}
	return 0
}

// liars returns the largest number of participants who may lie together about who is missing, all if others wait.
func (f *Federation) liars() int {
	if caller, ok := f.setup.Algorithm.(family.Caller); ok {
		return caller.Liars()
	}
	return len(f.Names)
}

// after returns the plan with the losses after values of so many steps came late. In such a step own noise alone protects a
// participant, so its local energy is added to everybody's view.
func (p *Plan) after(late int) *Plan {
	if late == 0 {
		return p
	}
	other := *p
	other.late, other.laws = late, nil
	for _, law := range p.plain {
		other.laws = append(other.laws, other.onGrid(law))
	}
	other.Towards, other.Coalitions = nil, nil
	for i, t := range p.Towards {
		t.Epsilon = other.loss(other.laws[i], p.Sigma, p.Delta)
		t.Guess, t.Deviating = other.guess(other.laws[i]), p.deviating(t.Epsilon, 1)
		other.Towards = append(other.Towards, t)
	}
	for _, c := range p.Coalitions {
		c.Epsilon, c.Worst = other.together(c.Size, p.Sigma, p.Delta)
		c.Deviating = p.deviating(c.Epsilon, c.Size)
		other.Coalitions = append(other.Coalitions, c)
	}
	if p.Public != nil {
		public := *p.Public
		own := other.onGrid(p.publicLaw)
		public.Epsilon, public.Guess = other.loss(own, p.Sigma, p.Delta), other.guess(own)
		public.Deviating = other.mostDeviating()
		other.Public = &public
	}
	return &other
}

// deviate sets the losses towards observers who deviate: they may delay a participant's values.
func (p *Plan) deviate() {
	accepted := p.Accepted()
	for i := range p.Towards {
		p.Towards[i].Deviating = accepted.Towards[i].Deviating
	}
	for i := range p.Coalitions {
		p.Coalitions[i].Deviating = accepted.Coalitions[i].Deviating
	}
	if p.Public != nil {
		p.Public.Deviating = accepted.Public.Deviating
	}
}

// Accepted returns the plan with the losses that a participant accepts: those after as many late values as there may be.
func (p *Plan) Accepted() *Plan { return p.after(p.MostLate) }

// lateness describes the steps whose values came late.
func (s *Statement) lateness() string {
	text := fmt.Sprintf("In %s a value of %s may have left after the others went on without it. Own noise alone protects it there. "+
		"Spent counts that, and can be more than allowed, but no more than the policy accepted.", steps(s.Late), s.Participant)
	if s.Attested == nil || !s.Attested.Ended {
		text += " Until the run has ended, the last steps count as such."
	}
	return text
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// lie counts participants who lie.
func lie(n int) string {
	if n == 1 {
		return "1 participant lies"
	}
	return fmt.Sprintf("%d participants lie", n)
}

// lateGround returns the assumptions on who is missing and on late values, none if others wait.
func (f *Federation) lateGround() []string {
	if f.mostLate() == 0 {
		return nil
	}
	return []string{fmt.Sprintf("at most %s about who is missing (privacy.coalition): if more do, only the local loss is known", lie(f.liars())),
		fmt.Sprintf("where the others take a step without a participant, no value of that step has left its node. If one may have left, the node learns that by their signed votes. "+
			"It then charges the loss under its own noise alone, and contributes no more. At most %d steps are charged so. Policies are checked with them, and losses towards who deviates count them", f.mostLate())}
}
