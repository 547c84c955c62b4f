package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/spec"
)

// specAttack is what every attack on a spec is asked, and where its answer goes.
type specAttack struct {
	cmd   *cobra.Command
	out   form.Destination
	set   []string
	cache form.Cache
}

// register adds the flags; of says of what --out is taken, where it is not of every question.
func (f *specAttack) register(cmd *cobra.Command, of string) {
	f.cmd = cmd
	cmd.Flags().StringVar((*string)(&f.out), "out", "", of+"page.html, or a folder for the result and the page")
	settings(cmd, &f.set)
	registerCache(cmd, &f.cache)
}

func (f *specAttack) say(what string) { fmt.Fprintln(f.cmd.ErrOrStderr(), what) }

// attackOn is a command that reads its one argument, a spec, and prints what attack finds.
func attackOn[A printer](f *specAttack, attack func(*spec.Spec) (A, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := loadSpec(cmd.Context(), args[0], f.set...)
		if err != nil {
			return err
		}
		return answering(func() (A, error) { return attack(s) })(cmd, args)
	}
}
