package family

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// reviewed lists the kinds whose runs others than their authors have compared to their schedules, by attacks from outside and
// by the contract suite. A sound number is about the schedule. For a new kind only its author claims that runs keep to the
// schedule.
var reviewed = []string{
	"walk", "weighted-walk", "proximal-walk", "averaging-walk", "ring-sum", "ring-histogram", "complete-sum", "complete-histogram", "complete-sgd",
	"gossip", "gossip-gd", "gossip-sgd", "fixed-point", "admm-central", "admm-federated", "admm-walk", "central", "local",
}

// Unreviewed returns the assertion that a kind needs because it is not on the list. It returns "" for a kind on the list.
func Unreviewed(kind string) string {
	if slices.Contains(reviewed, kind) {
		return ""
	}
	return fmt.Sprintf("runs of kind %s release what their schedule says: nobody but their author has reviewed them", kind)
}

// Doubt returns the assertion that a spec needs before its sound numbers hold, or "". A kind that nobody has reviewed needs
// one, and so do records of a model that another program computes. A participant's number needs none for such a program,
// because any answer moves a mean by at most one clip.
func Doubt(s *spec.Spec) string {
	if why := Unreviewed(s.Algorithm.Kind); why != "" || !s.External() || !s.Records() {
		return why
	}
	return fmt.Sprintf("each row's gradient depends on that row alone: the program that answers for %s computes them, and a probe can find that they do not but not prove that they do", s.Model.Name)
}

// doubt turns a sound account into a SoundIf account if its spec needs an assertion.
func (account *Account) doubt(s *spec.Spec) {
	if why := Doubt(s); why != "" && account.Status == report.Sound {
		account.Status = report.SoundIf
		if account.MeanStatus == report.Sound {
			account.MeanStatus = report.SoundIf
		}
		account.Assumptions = append([]string{why}, account.Assumptions...)
	}
}

// Doubt turns a sound explanation into a SoundIf explanation if its spec needs an assertion.
func (e *Explanation) Doubt(s *spec.Spec) {
	if why := Doubt(s); why != "" && e.Status == report.Sound {
		e.Status = report.SoundIf
		e.Assumptions = append([]string{why}, e.Assumptions...)
	}
}

// Laws returns the laws of the leakage of node u towards each other node (Algorithm.Towards). Their sound claims become SoundIf
// if the spec needs an assertion.
func Laws(ctx context.Context, a Algorithm, u int) ([]*walkpath.Law, error) {
	laws, err := a.Towards(ctx, u)
	if err != nil {
		return nil, err
	}
	return doubted(a, laws), nil
}

// LawsOf returns the laws of node u behind an account of all pairs, towards every other node. It returns nil where the account
// has no laws, or only those of a sample.
func (account *Account) LawsOf(a Algorithm, u int) []*walkpath.Law {
	if account.Law == nil || account.Partial() {
		return nil
	}
	laws := make([]*walkpath.Law, a.Of().Spec.Nodes)
	for v := range laws {
		if v != u {
			laws[v] = account.Law(u, v)
		}
	}
	return doubted(a, laws)
}

// doubted returns laws with the doubt of the spec, if it has one.
func doubted(a Algorithm, laws []*walkpath.Law) []*walkpath.Law {
	why := Doubt(a.Of().Spec)
	if why == "" {
		return laws
	}
	known := map[*walkpath.Law]*walkpath.Law{nil: nil} // cache, because nodes share laws
	for v, law := range laws {
		if _, found := known[law]; !found {
			own := *law
			if own.Claim.Status == privacy.Sound {
				own.Claim.Status, own.Claim.If = privacy.SoundIf, why
			}
			known[law] = &own
		}
		laws[v] = known[law]
	}
	return laws
}
