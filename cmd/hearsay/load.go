package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/spec"
)

// loadSpec is experiment.Load, ended as soon as ctx is: a long file takes a while.
func loadSpec(ctx context.Context, path string, set ...string) (*spec.Spec, error) {
	return form.Within(ctx, func() (*spec.Spec, error) { return experiment.Load(path, set...) })
}

// settings adds the flag --set of commands that read a spec. A list, whose values
// may hold commas.
func settings(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil,
		"key=value over what the spec says, such as privacy.sigma=3 or algorithm.step_size={power: 0.75}; repeatable")
}
