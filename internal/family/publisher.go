package family

import (
	"context"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// A Publisher is an algorithm that may show everybody the final models. It bounds the leakage towards the public, which takes
// no part and sees nothing else (privacy.Public).
type Publisher interface {
	// PublicLosses returns the losses of all nodes towards the public at the priced noise. It returns nil if nothing is shown.
	PublicLosses(ctx context.Context, priced Accounting) (*report.Public, error)
	// PublicLaw returns the law of the leakage of node u towards the public. It returns nil if nothing is shown.
	PublicLaw(ctx context.Context, u int) (*walkpath.Law, error)
}

// publicLosses returns a.PublicLosses. It returns nil for an algorithm that is no Publisher.
func publicLosses(ctx context.Context, a Algorithm, priced Accounting) (*report.Public, error) {
	if p, ok := a.(Publisher); ok {
		return p.PublicLosses(ctx, priced)
	}
	return nil, nil
}

// PublicLawOf returns a.PublicLaw. It returns nil for an algorithm that is no Publisher.
func PublicLawOf(ctx context.Context, a Algorithm, u int) (*walkpath.Law, error) {
	if p, ok := a.(Publisher); ok {
		return p.PublicLaw(ctx, u)
	}
	return nil, nil
}
