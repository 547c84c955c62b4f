package form

import (
	"context"
	"runtime"

	"github.com/hearsay-dp/hearsay/experiment"
)

// Workers is how many goroutines an accountant may use.
func Workers() int { return runtime.GOMAXPROCS(0) }

// Within is what find returns, or the error of ctx as soon as that ends.
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
		return none, err // what find goes on to do is not looked at
	}
	return <-found, err
}
