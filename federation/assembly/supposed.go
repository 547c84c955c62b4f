package assembly

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// Terms are what a federation is to be, before all have accepted: for trying them out.
type Terms struct {
	Names    []string
	Accepted map[string]*Acceptance // of those who have

	text  []byte
	weigh bool // weigh_rows follows from the largest number of rows
	draft *spec.Spec
}

// Terms returns those of the gathering, with what participants have said so far.
func (g *Gathering) Terms() *Terms {
	t := &Terms{Names: g.Invitation.Names, Accepted: map[string]*Acceptance{}, text: []byte(g.Invitation.Terms), weigh: g.Invitation.WeighRows, draft: g.draft}
	for _, name := range t.Names {
		if a := g.Accepted(name); a != nil {
			t.Accepted[name] = a
		}
	}
	return t
}

// Terms returns those in the folder: of its invitation, or, where nobody has been invited, of so many participants.
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
	t := &Terms{Names: []string{f.Own.Name}, text: text, weigh: f.Own.WeighRows}
	for k := 2; k <= participants; k++ {
		t.Names = append(t.Names, fmt.Sprintf("%s-%d", f.Own.Name, k))
	}
	if err := checkNames(t.Names); err != nil {
		return nil, err
	}
	t.draft, err = Draft(text, t.Names)
	return t, err
}

// HoldsInvitation reports whether a text is one that Read takes.
func HoldsInvitation(text []byte) bool { return bytes.Contains(text, []byte(begins+invitation+closes)) }

// Records reports whether records are protected one by one.
func (t *Terms) Records() bool { return t.draft.Records() }

// RecordWord is what a record is called.
func (t *Terms) RecordWord() string { return t.draft.RecordWord() }

// Rows is how many records a file has, read as the terms say.
func (t *Terms) Rows(path string, written textfile.Notation) (int, error) {
	return rowsOf(t.draft, path, written)
}

// Suppose returns the spec as if all had accepted. Who has not has as many records as rows says, or the usual number, at an address and with a key that nobody has.
func (t *Terms) Suppose(rows map[string]int, usual int, set ...string) (*spec.Spec, error) {
	a, largest := spec.Assembly{Invitation: ID{}.String()}, 0
	for _, name := range t.Names {
		p := spec.Participant{Name: name, Key: nobody(name).String(), Addresses: []string{"/dns4/nobody.invalid/tcp/4100"}}
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

// nobody is a key that stands for one that nobody has made yet: it follows from the name alone, and signs nothing.
func nobody(name string) identity.Peer {
	key, err := identity.Generate(rand.NewChaCha8(sha256.Sum256([]byte("hearsay, in place of the key of " + name))))
	if err != nil {
		panic("assembly: " + err.Error()) // there is no end to the source
	}
	return key.Peer()
}
