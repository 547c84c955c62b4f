package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Limit bounds the contributions of one node, by its own choice. Its gradients are clipped at a smaller norm than those of others, and
// everybody's noise stays as it is.
type Limit struct {
	Clip float64 `yaml:"clip,omitempty"` // the norm that its gradients are clipped to, at most algorithm.clip; 0: algorithm.clip, or the clip that Eps asks for
	Eps  float64 `yaml:"eps,omitempty"`  // its loss towards any single other node, in the spec's metric, which sets Clip; 0: no limit
}

// Limited returns the names of nodes with a limit, ascending.
func (p *Privacy) Limited() []string { return slices.Sorted(maps.Keys(p.Limits)) }

// LimitsLoss reports whether the clip of some node follows from its loss.
func (p *Privacy) LimitsLoss() bool {
	return slices.ContainsFunc(p.Limited(), func(name string) bool { return p.Limits[name].Eps != 0 })
}

// checkLimits refuses limits that no accountant prices, and values that a limit cannot have.
func (s *Spec) checkLimits() error {
	p := &s.Privacy
	if len(p.Limits) == 0 {
		p.Limits = nil
		return nil
	}
	kind := s.Kind()
	switch {
	case !kind.OwnClips:
		return invalid(fmt.Sprintf("privacy.limits: nodes of a %s have no clips of their own", kind.Name), "leave it out, or use kind: walk, gossip-gd or gossip-sgd")
	case p.Accountant == "published":
		return invalid("privacy.limits: accountant: published prints formulas for nodes that all clip alike", "leave accountant out, or use accountant: local")
	case p.Sigma != nil && *p.Sigma == 0 && p.LimitsLoss():
		return invalid("privacy.limits: without noise every loss is infinite, whatever the clip", "give a sigma above 0, or limits with a clip alone, such as {clip: 0.5}")
	}
	for _, name := range p.Limited() {
		if err := s.checkLimit(name, p.Limits[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) checkLimit(name string, l Limit) error {
	key := "privacy.limits." + name
	switch {
	case s.Federated() && s.Number(name) < 0:
		return invalid(fmt.Sprintf("%s: no participant is called so", key), strings.TrimSpace(fault.DidYouMean(name, s.Names())+" name participants as they are listed"))
	case l == Limit{}:
		return invalid(key+": limits nothing", "give eps, its loss towards any single other node, or clip, such as {eps: 0.5}")
	case l.Clip > s.Algorithm.Clip:
		return invalid(fmt.Sprintf("%s.clip: %g is above algorithm.clip, %g", key, l.Clip, s.Algorithm.Clip), "give less: noise follows from algorithm.clip, and who gives more than others loses more")
	}
	return CheckAll(Number{Key: key + ".clip", Value: l.Clip, Low: 0, High: s.Algorithm.Clip}, Number{Key: key + ".eps", Value: l.Eps, Low: 0, High: 1e6})
}
