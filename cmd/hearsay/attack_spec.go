package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/spec"
)

// askerOf is who types a command.
func askerOf(cmd *cobra.Command) form.Asker {
	return form.Asker{Context: cmd.Context(), Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(), JSON: wantJSON(cmd), Given: cmd.Flags().Changed}
}

// onSpec adds the flags of a question about a spec, and makes its command: it reads its one argument, a spec, and prints what
// is found. of says of what --out is taken, where it is not of every question.
func onSpec[A form.Printer](cmd *cobra.Command, q *form.SpecQuestion, of string, find func(*spec.Spec) (A, error)) func(*cobra.Command, []string) error {
	var set []string
	cmd.Flags().StringVar((*string)(&q.Out), "out", "", of+"page.html, or a folder for the result and the page")
	settings(cmd, &set)
	registerCache(cmd, &q.Cache)
	return func(cmd *cobra.Command, args []string) error {
		q.Asker = askerOf(cmd)
		s, err := form.LoadSpec(cmd.Context(), args[0], set...)
		if err != nil {
			return err
		}
		return answering(func() (A, error) { return find(s) })(cmd, args)
	}
}

// asking runs a command that puts a question, and shows the answer.
func asking[A form.Printer](q *form.Asker, find func() (A, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		*q = askerOf(cmd)
		return answering(find)(cmd, args)
	}
}
