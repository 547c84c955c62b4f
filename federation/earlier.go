package federation

import (
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// checkEarlier refuses a run that begins with the model of an earlier run of this participant, unless the book has charged that
// run for everybody who sees its model, and the policy's total counts it. The same holds for each run to whose model that one goes
// back. A participant that the book charged for no such run has told nothing by that model.
func (f *Federation) checkEarlier(b *budget.Book, own *policy.Policy) error {
	runs, from := f.Spec.Model.Earlier.Runs(), since(own)
	for i := range b.Lines {
		switch l := &b.Lines[i]; {
		case !slices.Contains(runs, "sha256:"+l.Spec):
		case !l.Model:
			return fault.New("model.earlier: the run begins with the model of "+l.Name()+", and the losses that your budget book has of it do not cover that others see the model",
				"begin anew, without model.earlier; a model may be gone on with after a run with release: final and flow, or with accountant: local or pairwise")
		case l.Signed.Before(from):
			return fault.New("model.earlier: the run begins with the model of "+l.Name()+", and the policy counts only what was signed since "+from.Format(time.DateOnly),
				"count that run: set total.since in the policy to "+l.Signed.Format(time.DateOnly)+" or earlier")
		}
	}
	return nil
}
