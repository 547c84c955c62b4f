package experiment

import (
	"context"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/admmfamily"
	"github.com/hearsay-dp/hearsay/internal/family/admmwalk"
	"github.com/hearsay-dp/hearsay/internal/family/baseline"
	"github.com/hearsay-dp/hearsay/internal/family/complete"
	"github.com/hearsay-dp/hearsay/internal/family/fixedpointfamily"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/family/sumsfamily"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/internal/family/weighted"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/spec"
)

// Families returns all families of algorithms: the one list.
func Families() []family.Family {
	return []family.Family{walkfamily.Family{}, weighted.Family{}, gossipfamily.Family{}, sumsfamily.Family{}, complete.Family{}, admmfamily.Family{}, admmwalk.Family{}, baseline.Family{}, fixedpointfamily.Family{}}
}

// Kinds returns the algorithms that a spec can name.
func Kinds() spec.Kinds { return family.Kinds(Families()...) }

// Load reads and validates the spec file at path, with key=value settings over it.
func Load(path string, set ...string) (*spec.Spec, error) { return Kinds().Load(path, set...) }

// Parse reads and validates a spec. Errors call it name.
func Parse(text []byte, name string, set ...string) (*spec.Spec, error) {
	return Kinds().Parse(text, name, set...)
}

// Watching lets w follow the path accountant of everything that is opened under
// the context.
func Watching(ctx context.Context, w *walkpath.Watch) context.Context {
	return family.Watching(ctx, w)
}

// KeepingRows lets keeper keep encoded rows of everything that is opened under the context.
func KeepingRows(ctx context.Context, keeper dataset.Keeper) context.Context {
	return family.KeepingRows(ctx, keeper)
}
