package family

import (
	"context"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

type watchKey struct{}

type rowsKey struct{}

// Watching lets w follow the path accountant of everything that is opened under
// the context.
func Watching(ctx context.Context, w *walkpath.Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// CountUp tells w how many of so many laws there are, each time that one is done,
// from whatever goroutine.
func CountUp(w *walkpath.Watch, total int) (done func()) {
	if w == nil || w.Progress == nil {
		return func() {}
	}
	more := parallel.Count(total, w.Progress)
	return func() { more(1) }
}

// WatchOf is who follows, nil if nobody does.
func WatchOf(ctx context.Context) *walkpath.Watch {
	w, _ := ctx.Value(watchKey{}).(*walkpath.Watch)
	return w
}

// KeepingRows lets keeper keep encoded rows of everything that is opened under the context.
func KeepingRows(ctx context.Context, keeper dataset.Keeper) context.Context {
	return context.WithValue(ctx, rowsKey{}, keeper)
}

// RowsOf is who keeps encoded rows, nil if nobody does.
func RowsOf(ctx context.Context) dataset.Keeper {
	keeper, _ := ctx.Value(rowsKey{}).(dataset.Keeper)
	return keeper
}
