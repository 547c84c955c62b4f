package assembly

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// Terms holds the terms of a federation before all have accepted. Suppose makes a spec of them to try them out.
type Terms struct {
	Names    []string
	Accepted map[string]*Acceptance // acceptances by name; others have not accepted

	text  []byte
	weigh bool // weigh_rows follows from the largest number of rows
	draft *spec.Spec
}

// Terms returns the terms of the gathering, with the acceptances so far.
func (g *Gathering) Terms() *Terms {
	t := &Terms{Names: g.Invitation.Names, Accepted: map[string]*Acceptance{}, text: []byte(g.Invitation.Terms), weigh: g.Invitation.WeighRows, draft: g.draft}
	for _, name := range t.Names {
		if a := g.Accepted(name); a != nil {
			t.Accepted[name] = a
		}
	}
	return t
}

// Terms returns the terms in the folder. Without an invitation they are for the given number of
// participants, with made-up names.
func (f *Folder) Terms(participants int) (*Terms, error) {
	text, err := regular.Read(filepath.Join(f.Path, TermsFile), spec.MostTerms)
	switch _, invited := regular.Read(filepath.Join(f.Path, TextFile), MostText); {
	case !errors.Is(invited, fs.ErrNotExist):
		g, err := f.Gathering()
		if err != nil {
			return nil, err
		}
		return g.Terms(), nil
	case err != nil:
		return nil, fault.Wrap(err, "there are no terms in "+f.Path, "hearsay federation new writes them")
	}
	names := []string{f.Own.Name}
	for k := 2; k <= participants; k++ {
		names = append(names, fmt.Sprintf("%s-%d", f.Own.Name, k))
	}
	t, err := NewTerms(text, names)
	if err == nil {
		t.weigh = f.Own.WeighRows
	}
	return t, err
}

// NewTerms returns the terms of a text for participants of whom none has accepted.
func NewTerms(text []byte, names []string) (*Terms, error) {
	if err := checkNames(names); err != nil {
		return nil, err
	}
	draft, err := Draft(text, names)
	return &Terms{Names: names, Accepted: map[string]*Acceptance{}, text: text, draft: draft}, err
}

// HoldsInvitation reports whether a text contains the first line of an invitation. Read refuses other texts.
func HoldsInvitation(text []byte) bool { return bytes.Contains(text, []byte(begins+invitation+closes)) }

// Records reports whether the unit is one record.
func (t *Terms) Records() bool { return t.draft.Records() }

// RecordWord returns the name of a record.
func (t *Terms) RecordWord() string { return t.draft.RecordWord() }

// Rows returns the number of records in a file, read as the terms say.
func (t *Terms) Rows(path string, written textfile.Notation) (int, error) {
	return rowsOf(t.draft, path, written)
}

// Suppose returns the spec as if all had accepted. A participant that has not accepted has rows[name]
// records, or usual if that is 0. Its address and key belong to nobody. set overrides keys of the spec.
func (t *Terms) Suppose(rows map[string]int, usual int, set ...string) (*spec.Spec, error) {
	a, largest := spec.Assembly{Invitation: ID{}.String()}, 0
	for _, name := range t.Names {
		p := spec.Participant{Name: name, Key: identity.Nobody(name).String(), Addresses: []string{"/dns4/nobody.invalid/tcp/4100"}}
		said := 0
		if own := t.Accepted[name]; own != nil {
			p.Key, p.Addresses, said = own.Key.String(), own.Addresses, own.Rows
		}
		if t.draft.Records() {
			p.Rows = cmp.Or(said, rows[name], usual)
		}
		a.Participants, largest = append(a.Participants, p), max(largest, p.Rows)
	}
	if t.weigh {
		a.WeighRows = weighRows(t.draft, largest)
	}
	text, err := spec.Assemble(t.text, a)
	if err != nil {
		return nil, err
	}
	return experiment.Parse(text, "the terms", set...)
}
