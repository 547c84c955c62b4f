package pair

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
)

// page is the width of a text for people, in columns.
const page = 79

// Explain explains a pair of the spec at path. In a federation it explains as the participant whose data are at stake.
func Explain(ask form.Asker, path string, pair *Question) (e *family.Explanation, err error) {
	s, err := form.LoadSpec(ask.Context, path, pair.Set...)
	if err != nil {
		return nil, err
	}
	if s.Federated() {
		return explainReal(ask, s, pair)
	}
	setup, err := pair.prepared(ask, s)
	if err != nil {
		return nil, err
	}
	if err := pair.find(setup); err != nil {
		return nil, err
	}
	err = experiment.Within(ask.Context, func() (err error) {
		e, err = setup.Explain(pair.about, pair.observer)
		return err
	})
	return e, err
}

// explainReal explains a pair of a federation. It needs no data.
func explainReal(ask form.Asker, s *spec.Spec, pair *Question) (*family.Explanation, error) {
	number := func(flag, name string) (int, error) {
		if v := s.Number(name); v >= 0 {
			return v, nil
		}
		if v, err := strconv.Atoi(name); err == nil && v >= 0 && v < len(s.Participants) {
			return v, nil
		}
		return 0, fault.New(fmt.Sprintf("--%s: no participant is called %q", flag, name), strings.TrimSpace(fault.DidYouMean(name, s.Names())+" give the name that the spec lists, or its number from 0"))
	}
	about, err := number("about", pair.AboutName)
	if err != nil {
		return nil, err
	}
	observer, err := number("observer", pair.ObserverName)
	if err != nil {
		return nil, err
	}
	f, err := federation.Open(ask.Context, s, s.Participants[about].Name)
	if err != nil {
		return nil, err
	}
	return f.Explain(ask.Context, observer)
}

// PrintExplanation writes the paragraphs of an explanation, wrapped.
func PrintExplanation(w io.Writer, e *family.Explanation) error {
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
