package main

import (
	"fmt"
	"io"
	"strconv"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
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
			e, err := explain(cmd, args[0], &pair)
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

// explain asks the spec, or of a federation the participant whose data are at stake.
func explain(cmd *cobra.Command, path string, pair *pairOfSpec) (e *family.Explanation, err error) {
	s, err := loadSpec(cmd.Context(), path, pair.set...)
	if err != nil {
		return nil, err
	}
	if s.Federated() {
		return explainReal(cmd, s, pair)
	}
	setup, err := pair.prepared(cmd, s)
	if err != nil {
		return nil, err
	}
	if err := pair.find(setup); err != nil {
		return nil, err
	}
	err = experiment.Within(cmd.Context(), func() (err error) {
		e, err = setup.Explain(pair.about, pair.observer)
		return err
	})
	return e, err
}

// explainReal asks a federation, without data.
func explainReal(cmd *cobra.Command, s *spec.Spec, pair *pairOfSpec) (*family.Explanation, error) {
	number := func(flag, name string) (int, error) {
		if v := s.Number(name); v >= 0 {
			return v, nil
		}
		if v, err := strconv.Atoi(name); err == nil && v >= 0 && v < len(s.Participants) {
			return v, nil
		}
		return 0, fault.New(fmt.Sprintf("--%s: no participant is called %q", flag, name), "give the name that the spec lists, or its number from 0")
	}
	about, err := number("about", pair.aboutName)
	if err != nil {
		return nil, err
	}
	observer, err := number("observer", pair.observerName)
	if err != nil {
		return nil, err
	}
	f, err := federation.Open(cmd.Context(), s, s.Participants[about].Name)
	if err != nil {
		return nil, err
	}
	return f.Explain(cmd.Context(), observer)
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
