package form

import (
	"context"
	"runtime"

	"github.com/hearsay-dp/hearsay/experiment"
)

// Workers returns the number of goroutines that an accountant may use.
func Workers() int { return runtime.GOMAXPROCS(0) }

// Within returns the result of find, or an error as soon as ctx ends. find then goes on in the background.
func Within[A any](ctx context.Context, find func() (A, error)) (A, error) {
	if err := ctx.Err(); err != nil {
		var none A
		return none, err
	}
	found := make(chan A, 1)
	err := experiment.Within(ctx, func() error {
		a, err := find()
		found <- a
		return err
	})
	if ctx.Err() != nil && err != nil {
		var none A
		return none, err // a later result of find is ignored
	}
	return <-found, err
}
