package design

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// The kinds of observers that a limit is about.
const (
	each      = "each"
	coalition = "coalition"
	named     = "named"
	public    = "public"
)

// A Limit is one wish of a policy: the largest epsilon of a participant towards a kind of observer.
type Limit struct {
	About   int    // participant
	Towards string // each | coalition | named | public
	Size    int    // of the coalition
	Named   int    // participant; of Towards named
	Epsilon float64
}

// limits returns the finite limits of all policies, in the order of participants.
func (w *Wishes) limits() (all []Limit) {
	for u, p := range w.Participants {
		add := func(l Limit) {
			if l.About = u; !math.IsInf(l.Epsilon, 1) {
				all = append(all, l)
			}
		}
		add(Limit{Towards: each, Epsilon: *p.Policy.Each})
		for _, c := range p.Policy.Coalitions {
			add(Limit{Towards: coalition, Size: c.Size, Epsilon: c.Epsilon})
		}
		for _, name := range slices.Sorted(maps.Keys(p.Policy.Named)) {
			add(Limit{Towards: named, Named: w.number(name), Epsilon: p.Policy.Named[name]})
		}
		if p.Policy.Public != nil {
			add(Limit{Towards: public, Epsilon: *p.Policy.Public})
		}
	}
	return all
}

// together returns the size of the largest coalition that a policy limits, or 0.
func (w *Wishes) together() (most int) {
	for _, l := range w.limits() {
		most = max(most, l.Size)
	}
	return most
}

// say returns a limit as a wish in words.
func (w *Wishes) say(l Limit) string {
	return fmt.Sprintf("%s: epsilon at most %g towards %s", w.Participants[l.About].Name, l.Epsilon, w.observer(l))
}

// observer returns the observer of a limit in words.
func (w *Wishes) observer(l Limit) string {
	switch l.Towards {
	case coalition:
		return fmt.Sprintf("any %d others together", l.Size)
	case named:
		return w.Participants[l.Named].Name
	case public:
		return "the public"
	}
	return "any other participant"
}
