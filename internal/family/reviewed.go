package family

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
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

// doubt makes a sound account of an unreviewed kind one that is sound if its runs are as their schedule says.
func (account *Account) doubt(kind string) {
	if why := Unreviewed(kind); why != "" && account.Status == report.Sound {
		account.Status = report.SoundIf
		if account.MeanStatus == report.Sound {
			account.MeanStatus = report.SoundIf
		}
		account.Assumptions = append(slices.Clone(account.Assumptions), why)
	}
}

// Doubt does the same to an explanation.
func (e *Explanation) Doubt(kind string) {
	if why := Unreviewed(kind); why != "" && e.Status == report.Sound {
		e.Status = report.SoundIf
		e.Assumptions = append(slices.Clone(e.Assumptions), why)
	}
}

// Laws returns the laws of what node u gives away to each other node (Algorithm.Towards), whose claims are sound if its runs are
// as their schedule says where the kind is not reviewed.
func Laws(ctx context.Context, a Algorithm, u int) ([]*walkpath.Law, error) {
	laws, err := a.Towards(ctx, u)
	why := Unreviewed(a.Of().Spec.Algorithm.Kind)
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
