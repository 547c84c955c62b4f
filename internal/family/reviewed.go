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
	why := Doubt(a.Of().Spec)
	if err != nil || why == "" {
		return laws, err
	}
	doubted := map[*walkpath.Law]*walkpath.Law{nil: nil} // cache, because nodes share laws
	for v, law := range laws {
		if _, known := doubted[law]; !known {
			own := *law
			if own.Claim.Status == privacy.Sound {
				own.Claim.Status, own.Claim.If = privacy.SoundIf, why
			}
			doubted[law] = &own
		}
		laws[v] = doubted[law]
	}
	return laws, nil
}
