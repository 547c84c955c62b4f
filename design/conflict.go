package design

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Conflict is a smallest set of wishes that contradict each other: without any one of them the search finds a plan for the rest.
type Conflict struct {
	Wishes  []string `json:"wishes"`
	Changes []string `json:"changes"` // each of which makes a plan for all wishes possible
}

// The wishes of a run that are no limits of policies.
const (
	wishTime      = "limits.time"
	wishMessages  = "limits.messages"
	wishMegabytes = "limits.megabytes"
	wishAbsent    = "absent"
	wishGoal      = "goal"
)

// A wish is one of those that may contradict each other.
type wish struct {
	key   string // of the run; "": limit
	limit Limit
}

// wishes returns all wishes that limit a plan.
func (w *Wishes) wishes() (all []wish) {
	for _, l := range w.limits() {
		all = append(all, wish{limit: l})
	}
	for key, given := range map[string]bool{wishTime: w.Limits.Time > 0, wishMessages: w.Limits.Messages > 0, wishMegabytes: w.Limits.Megabytes > 0, wishAbsent: w.Absent > 0, wishGoal: w.Goal != Goal{}} {
		if given {
			all = append(all, wish{key: key})
		}
	}
	slices.SortStableFunc(all[len(w.limits()):], func(a, b wish) int { return slices.Index(runWishes, a.key) - slices.Index(runWishes, b.key) })
	return all
}

var runWishes = []string{wishTime, wishMessages, wishMegabytes, wishAbsent, wishGoal}

// name returns a wish in words.
func (w *Wishes) name(of wish) string {
	switch of.key {
	case wishTime:
		return fmt.Sprintf("limits.time: a run takes %v at most", w.Limits.Time)
	case wishMessages:
		return fmt.Sprintf("limits.messages: a run sends %d messages at most", w.Limits.Messages)
	case wishMegabytes:
		return fmt.Sprintf("limits.megabytes: a run sends %g MB at most", w.Limits.Megabytes)
	case wishAbsent:
		return fmt.Sprintf("absent: participants who miss a step, %d at most, keep nobody waiting", w.Absent)
	case wishGoal:
		if w.Goal.Error > 0 {
			return fmt.Sprintf("goal.error: a model with an error of %g at most", w.Goal.Error)
		}
		return fmt.Sprintf("goal.balanced_accuracy: a model with a balanced accuracy of %g at least", w.Goal.Balanced)
	}
	return w.say(of.limit)
}

// meets reports whether a score reaches the goal.
func (g Goal) meets(score float64) bool {
	switch {
	case g.Error > 0:
		return -score <= g.Error
	case g.Balanced > 0:
		return score >= g.Balanced
	}
	return true
}

// only returns a search for a plan that keeps some wishes and not the others. A quick one prices quick families alone, where they
// suffice, and rehearses less.
func (s *search) only(some []wish, quick bool) *search {
	v, own := *s.venue, *s.Wishes
	v.Wishes, own.Limits, own.Goal, own.Absent = &own, Limits{}, Goal{}, 0
	if v.kept != nil {
		v.kept = &kept{}
	}
	part := &search{venue: &v, tell: s.tell, reasons: map[string]string{}, quick: quick}
	for _, one := range some {
		switch one.key {
		case wishTime:
			own.Limits.Time = s.Limits.Time
		case wishMessages:
			own.Limits.Messages = s.Limits.Messages
		case wishMegabytes:
			own.Limits.Megabytes = s.Limits.Megabytes
		case wishAbsent:
			own.Absent = s.Absent
		case wishGoal:
			own.Goal = s.Goal
		default:
			part.limits = append(part.limits, one.limit)
		}
	}
	part.limits = part.strictest(part.limits)
	return part
}

// reaches reports whether there is a plan that reaches the goal.
func (s *search) reaches(ctx context.Context) (bool, error) {
	if s.Goal == (Goal{}) {
		return s.priceable(ctx)
	}
	left, err := s.run(ctx)
	if err != nil || len(left) == 0 {
		return false, err
	}
	err = s.rehearse(ctx, left[0], mostTrials)
	return s.Goal.meets(left[0].mean()), err
}

// priceable reports whether a shape has a price. Without a goal such a shape is a plan.
func (s *search) priceable(ctx context.Context) (bool, error) {
	for _, rounds := range lengths {
		offers, err := s.offers(ctx, s.shapesOf(rounds), s.offer)
		if err != nil {
			return false, err
		}
		for _, o := range offers {
			if o.exact {
				return true, nil
			}
			if _, err := s.priceOf(ctx, o.shape, s.limits); err == nil {
				return true, nil
			}
		}
	}
	return false, ctx.Err()
}

// conflict returns a smallest set of wishes that contradict each other. Quick searches delete first. If a full search finds a plan
// for the rest, full searches delete.
func (s *search) conflict(ctx context.Context, best float64) (*Conflict, error) {
	all := s.wishes()
	kept, err := s.smallest(ctx, all, true)
	if err != nil {
		return nil, err
	}
	switch found, err := s.only(kept, false).reaches(ctx); {
	case err != nil:
		return nil, err
	case found:
		if kept, err = s.smallest(ctx, all, false); err != nil {
			return nil, err
		}
	}
	c := &Conflict{}
	for _, one := range kept {
		c.Wishes = append(c.Wishes, s.name(one)+s.alike(one))
	}
	return c, s.change(ctx, c, kept, all, best)
}

// alike says how many others have a limit of the same kind that is no looser: whoever is named is not alone.
func (w *Wishes) alike(of wish) string {
	n := 0
	for _, l := range w.limits() {
		if of.key == "" && l.About != of.limit.About && l.Towards == of.limit.Towards && l.Size == of.limit.Size && l.Epsilon <= of.limit.Epsilon {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return " (another one wishes that or less, too)"
	}
	return fmt.Sprintf(" (%d others wish that or less, too)", n)
}

// smallest deletes from all wishes, of which no plan keeps all: of ever smaller parts of them, whatever may go without a plan being
// found goes. Limits that ask for no plan's noise are the first part.
func (s *search) smallest(ctx context.Context, all []wish, quick bool) ([]wish, error) {
	kept := slices.Clone(all)
	without := func(rest []wish) error {
		s.tell("looking for wishes that contradict each other", len(all)-len(kept), len(all))
		found, err := s.only(rest, quick).reaches(ctx)
		if err == nil && !found {
			kept = rest
		}
		return err
	}
	binds := func(w wish) bool {
		return w.key != "" || slices.ContainsFunc(s.offered, func(o *offer) bool { return o.binding == w.limit })
	}
	if err := without(slices.DeleteFunc(slices.Clone(all), func(w wish) bool { return !binds(w) })); err != nil {
		return nil, err
	}
	for size := max(1, len(kept)/2); size > 0; size /= 2 {
		for i := 0; i < len(kept); {
			before := len(kept)
			if err := without(slices.Delete(slices.Clone(kept), i, min(i+size, len(kept)))); err != nil {
				return nil, err
			}
			if len(kept) == before {
				i += size
			}
		}
	}
	return kept, nil
}

// relaxed are the factors by which a wish is loosened in the search for changes that help.
var relaxed = []float64{1.5, 2, 4, 8, 16}

// change looks, for each of the wishes that contradict each other, for the least change that makes a plan for all wishes possible.
// best is the score of the best plan for all wishes but the goal.
func (s *search) change(ctx context.Context, c *Conflict, kept, all []wish, best float64) error {
	for _, one := range kept {
		if one.key == wishGoal {
			if !math.IsInf(best, -1) {
				c.Changes = append(c.Changes, s.reachable(best))
			}
			continue
		}
		for _, factor := range relaxed {
			loose, loosened, words := s.loosened(one, factor, all)
			ok, err := loose.only(loosened, true).reaches(ctx)
			if err != nil {
				return err
			}
			if ok {
				c.Changes = append(c.Changes, words)
				break
			}
		}
	}
	return nil
}

// reachable says which goal the best plan reaches.
func (s *search) reachable(best float64) string {
	reached := "which the best plan found reaches"
	if never := s.constant(); !(best > never) {
		reached += fmt.Sprintf(": it is no better than to give always the same answer (%.3f)", math.Abs(never))
	}
	if s.Goal.Error > 0 {
		return fmt.Sprintf("goal.error: %.3g, %s", digits.Up(-best, 3), reached)
	}
	return fmt.Sprintf("goal.balanced_accuracy: %.3g, %s", digits.Down(best, 3), reached)
}

// loosened returns the search and all wishes with one of them loosened by a factor, and the change in words. A limit of a policy is
// loosened with all stricter ones of the same kind: noise is one for all.
func (s *search) loosened(one wish, factor float64, all []wish) (*search, []wish, string) {
	v, own, loose := *s.venue, *s.Wishes, *s
	v.Wishes, loose.venue = &own, &v
	switch one.key {
	case wishTime:
		own.Limits.Time = time.Duration(float64(own.Limits.Time) * factor).Round(time.Millisecond)
		return &loose, all, fmt.Sprintf("limits.time: %v", own.Limits.Time)
	case wishMessages:
		own.Limits.Messages = int(float64(own.Limits.Messages) * factor)
		return &loose, all, fmt.Sprintf("limits.messages: %d", own.Limits.Messages)
	case wishAbsent:
		own.Absent = int(float64(own.Absent) / factor)
		return &loose, all, fmt.Sprintf("absent: %d", own.Absent)
	case wishMegabytes:
		own.Limits.Megabytes *= factor
		return &loose, all, fmt.Sprintf("limits.megabytes: %g", own.Limits.Megabytes)
	}
	floor := float64(one.limit.Epsilon * factor)
	changed := slices.Clone(all)
	for i := range changed {
		if w := &changed[i]; w.key == "" && w.limit.Towards == one.limit.Towards && w.limit.Size == one.limit.Size {
			w.limit.Epsilon = max(w.limit.Epsilon, floor)
		}
	}
	return &loose, changed, fmt.Sprintf("epsilon of %g or more in every policy towards %s", floor, s.observer(one.limit))
}
