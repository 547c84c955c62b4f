package sim

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Each calls do for 0..n-1 on workers workers, at least one, and returns the first error, which also ends the
// context of the others.
func Each(ctx context.Context, n, workers int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, workers))
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}
