package family

import (
	"context"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// A Publisher is an algorithm that may show everybody the final models, and says what the public learns from them, who
// takes no part and sees nothing else (privacy.Public).
type Publisher interface {
	// PublicLosses returns the losses of all nodes towards the public at the noise that was priced, nil if nothing is shown.
	PublicLosses(ctx context.Context, priced Accounting) (*report.Public, error)
	// PublicLaw returns the law of what the public learns of node u, nil if nothing is shown.
	PublicLaw(ctx context.Context, u int) (*walkpath.Law, error)
}

// publicLosses returns what a.PublicLosses does, nil for an algorithm that is no Publisher.
func publicLosses(ctx context.Context, a Algorithm, priced Accounting) (*report.Public, error) {
	if p, ok := a.(Publisher); ok {
		return p.PublicLosses(ctx, priced)
	}
	return nil, nil
}

// PublicLawOf returns what a.PublicLaw does, nil for an algorithm that is no Publisher.
func PublicLawOf(ctx context.Context, a Algorithm, u int) (*walkpath.Law, error) {
	if p, ok := a.(Publisher); ok {
		return p.PublicLaw(ctx, u)
	}
	return nil, nil
}
