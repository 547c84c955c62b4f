package experiment

import (
	"context"

	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

type watchKey struct{}

// Watching lets w follow the path accountant of every Setup that is opened under
// the context.
func Watching(ctx context.Context, w *pathloss.Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// watchOf is who follows, nil if nobody does.
func watchOf(ctx context.Context) *pathloss.Watch {
	w, _ := ctx.Value(watchKey{}).(*pathloss.Watch)
	return w
}
