package main

import (
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/internal/family"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
)

// page is how wide a text for people is.
const page = 79

func newPrivacyExplainCommand() *cobra.Command {
	var pair pairOfSpec
	cmd := &cobra.Command{
		Use:   "explain SPEC.yaml --about U --observer V",
		Short: "Say in words what one node could tell about another, why, and what would lower it",
		Long: `Explain puts the sound loss of one pair of nodes into words: as odds, with what
it takes for granted, the reasons for it, and what would lower it. The numbers
are bounds; where the spec asks for a published formula, it is mentioned as one.`,
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			setup, err := prepared(cmd, args[0])
			if err != nil {
				return err
			}
			if err := pair.find(setup); err != nil {
				return err
			}
			var e *family.Explanation
			err = experiment.Within(cmd.Context(), func() (err error) {
				e, err = setup.Explain(pair.about, pair.observer)
				return err
			})
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd, e)
			}
			return printExplanation(cmd.OutOrStdout(), e)
		},
	}
	pair.register(cmd)
	return cmd
}

func printExplanation(w io.Writer, e *family.Explanation) error {
	for i, p := range e.Text {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintf(w, "%s\n%s\n", p.Heading, lipgloss.Wrap(p.Text, page, "")); err != nil {
			return err
		}
	}
	return nil
}
