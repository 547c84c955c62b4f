package family

import (
	"context"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

type watchKey struct{}

type rowsKey struct{}

// Watching returns a context under which w follows the path accountant of everything that is opened.
func Watching(ctx context.Context, w *walkpath.Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// CountUp returns a function that reports to w each finished law out of total. The function may be called from any goroutine.
func CountUp(w *walkpath.Watch, total int) (done func()) {
	if w == nil || w.Progress == nil {
		return func() {}
	}
	more := parallel.Count(total, w.Progress)
	return func() { more(1) }
}

// WatchOf returns the watch of the context. It returns nil if there is none.
func WatchOf(ctx context.Context) *walkpath.Watch {
	w, _ := ctx.Value(watchKey{}).(*walkpath.Watch)
	return w
}

// KeepingRows returns a context under which keeper keeps the encoded rows of everything that is opened.
func KeepingRows(ctx context.Context, keeper dataset.Keeper) context.Context {
	return context.WithValue(ctx, rowsKey{}, keeper)
}

// RowsOf returns the keeper of encoded rows. It returns nil if there is none.
func RowsOf(ctx context.Context) dataset.Keeper {
	keeper, _ := ctx.Value(rowsKey{}).(dataset.Keeper)
	return keeper
}
