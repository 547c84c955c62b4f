package experiment

import (
	"context"

	"github.com/hearsay-dp/hearsay/internal/family"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

// Watching lets w follow the path accountant of everything that is opened under
// the context.
func Watching(ctx context.Context, w *pathloss.Watch) context.Context {
	return family.Watching(ctx, w)
}
