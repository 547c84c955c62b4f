package form

import (
	"context"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/spec"
)

// LoadSpec calls experiment.Load and returns as soon as ctx ends, because a long file takes a while.
func LoadSpec(ctx context.Context, path string, set ...string) (*spec.Spec, error) {
	return Within(ctx, func() (*spec.Spec, error) { return experiment.Load(path, set...) })
}
