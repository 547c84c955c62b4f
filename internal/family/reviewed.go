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

// reviewed lists the kinds whose runs have been held against their schedules by others than their authors: by attacks from
// outside and by the contract suite. A sound number is one of the schedule; that a new kind runs its schedule is so far only
// what its author says.
var reviewed = []string{
	"walk", "weighted-walk", "proximal-walk", "averaging-walk", "ring-sum", "ring-histogram", "complete-sum", "complete-histogram", "complete-sgd",
	"gossip", "gossip-gd", "gossip-sgd", "fixed-point", "admm-central", "admm-federated", "admm-walk", "central", "local",
}

// Unreviewed returns what somebody must assert of a kind that is not on the list, "" if it is.
func Unreviewed(kind string) string {
	if slices.Contains(reviewed, kind) {
		return ""
	}
	return fmt.Sprintf("runs of kind %s release what their schedule says: nobody but their author has reviewed them", kind)
}

// Doubt returns what somebody must assert of a spec before its sound numbers are: of a kind that nobody has reviewed, and of
// records of a model that another program computes. Whatever such a program answers moves a mean by a clip at most, so that
// a participant's number needs no assertion.
func Doubt(s *spec.Spec) string {
	if why := Unreviewed(s.Algorithm.Kind); why != "" || !s.External() || !s.Records() {
		return why
	}
	return fmt.Sprintf("each row's gradient depends on that row alone: the program that answers for %s computes them, and a probe can find that they do not but not prove that they do", s.Model.Name)
}

// doubt makes a sound account one that is sound if what its spec needs somebody to assert is so.
func (account *Account) doubt(s *spec.Spec) {
	if why := Doubt(s); why != "" && account.Status == report.Sound {
		account.Status = report.SoundIf
		if account.MeanStatus == report.Sound {
			account.MeanStatus = report.SoundIf
		}
		account.Assumptions = append([]string{why}, account.Assumptions...)
	}
}

// Doubt does the same to an explanation.
func (e *Explanation) Doubt(s *spec.Spec) {
	if why := Doubt(s); why != "" && e.Status == report.Sound {
		e.Status = report.SoundIf
		e.Assumptions = append([]string{why}, e.Assumptions...)
	}
}

// Laws returns the laws of what node u gives away to each other node (Algorithm.Towards), whose claims are sound if what its spec
// needs somebody to assert is so.
func Laws(ctx context.Context, a Algorithm, u int) ([]*walkpath.Law, error) {
	laws, err := a.Towards(ctx, u)
	why := Doubt(a.Of().Spec)
	if err != nil || why == "" {
		return laws, err
	}
	doubted := map[*walkpath.Law]*walkpath.Law{nil: nil} // nodes share laws
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
