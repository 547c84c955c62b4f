package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/spec"
)

// loadSpec is experiment.Load, ended as soon as ctx is: a long file takes a while.
func loadSpec(ctx context.Context, path string, set ...string) (*spec.Spec, error) {
	return within(ctx, func() (*spec.Spec, error) { return experiment.Load(path, set...) })
}

// settings adds the flag --set of commands that read a spec. A list, whose values
// may hold commas.
func settings(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil,
		"key=value over what the spec says, such as privacy.sigma=3 or algorithm.step_size={power: 0.75}; repeatable")
}

// within is what find returns, or the error of ctx as soon as that ends.
func within[A any](ctx context.Context, find func() (A, error)) (A, error) {
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
