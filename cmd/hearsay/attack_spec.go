package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/spec"
)

// askerOf returns the Asker of a command: its context, its streams and its flags.
func askerOf(cmd *cobra.Command) form.Asker {
	return form.Asker{Context: cmd.Context(), Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(), JSON: wantJSON(cmd), Given: cmd.Flags().Changed}
}

// onSpec adds the flags of a question about a spec and returns the function of its command. The function loads its one argument,
// a spec, and prints the answer of find. of qualifies the help of --out if not every question takes --out.
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

// asking returns the function of a command that fills in the Asker q, calls find and shows the answer.
func asking[A form.Printer](q *form.Asker, find func() (A, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		*q = askerOf(cmd)
		return answering(find)(cmd, args)
	}
}
