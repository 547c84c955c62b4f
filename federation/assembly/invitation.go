package assembly

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// format is the version of all messages.
const format = 1

// mostNames is the maximal number of participants in a spec.
const mostNames = 4096

const invitationPurpose, idDomain = "federation invitation", "hearsay invitation 1\n"

// An Invitation names the participants and the terms.
type Invitation struct {
	Format    int           `json:"format"`
	Nonce     ID            `json:"nonce"`      // random, so that the same terms twice give two federations
	From      string        `json:"from"`       // participant that invites, one of Names
	Key       identity.Peer `json:"key"`        // key of From
	Names     []string      `json:"names"`      // of all participants, in the order of their numbers
	WeighRows bool          `json:"weigh_rows"` // algorithm.weigh_rows follows from the largest number of rows
	Terms     string        `json:"terms"`      // a spec without participants (spec.Terms)
}

// Invite makes and signs an invitation. random must be a secret source.
func Invite(random io.Reader, key identity.Key, from string, names []string, terms []byte, weighRows bool) (*Gathering, error) {
	i := Invitation{Format: format, From: from, Key: key.Peer(), Names: names, WeighRows: weighRows, Terms: string(terms)}
	if _, err := io.ReadFull(random, i.Nonce[:]); err != nil {
		return nil, fault.Wrap(err, "no randomness for an invitation", "the system's random source must be readable")
	}
	return newGathering(seal(key, invitationPurpose, i))
}

// readInvitation decodes and checks an invitation. payload may come from anybody.
func readInvitation(payload []byte) (i *Invitation, id ID, draft *spec.Spec, err error) {
	i, err = open(payload, invitation, invitationPurpose, func(i *Invitation) identity.Peer { return i.Key })
	if err != nil {
		return nil, id, nil, err
	}
	if draft, err = i.check(); err != nil {
		return nil, id, nil, fault.Wrap(err, "the invitation", fault.Hint(err))
	}
	return i, sha256.Sum256(append([]byte(idDomain), encode(i)...)), draft, nil
}

// check returns an error if the invitation cannot lead to a federation. Otherwise it returns the
// spec with placeholders for the data of participants.
func (i *Invitation) check() (*spec.Spec, error) {
	if i.Format != format {
		return nil, fault.New(fmt.Sprintf("it has format %d, and this version reads %d", i.Format, format), "all participants take the same version of Hearsay")
	}
	if err := checkNames(i.Names); err != nil {
		return nil, err
	}
	if !slices.Contains(i.Names, i.From) {
		return nil, fault.New(fmt.Sprintf("%.70q invites, and is not among those who take part", i.From), "who invites takes part: have it invite again")
	}
	return Draft([]byte(i.Terms), i.Names)
}

// checkNames returns an error if a name is invalid, or equals another up to case, or if the number
// of names is out of range.
func checkNames(names []string) error {
	if len(names) < 2 || len(names) > mostNames {
		return fault.New(fmt.Sprintf("it is for %d participants", len(names)), fmt.Sprintf("a federation has 2 to %d", mostNames))
	}
	seen := map[string]bool{}
	for _, name := range names {
		if !spec.IsName(name) {
			return fault.New(fmt.Sprintf("%.70q is not a name", name), "use up to 63 letters, digits, dots, dashes and underscores")
		}
		if seen[strings.ToLower(name)] {
			return fault.New(fmt.Sprintf("two are called %s", name), "give each participant its own name")
		}
		seen[strings.ToLower(name)] = true
	}
	return nil
}

// placeholderRows replaces numbers of rows that nobody has stated yet.
const placeholderRows = 100

// Draft returns the spec of terms with the given participants, before any of them has accepted.
// Terms that no federation can have are an error.
func Draft(terms []byte, names []string) (*spec.Spec, error) {
	if err := spec.CheckTerms(terms); err != nil {
		return nil, err
	}
	a := spec.Assembly{Invitation: ID{}.String()}
	unit, err := spec.UnitOf(terms)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		p := spec.Participant{Name: name, Key: "key of " + name}
		if unit == spec.UnitRecord {
			p.Rows = placeholderRows
		}
		a.Participants = append(a.Participants, p)
	}
	text, err := spec.Assemble(terms, a)
	if err != nil {
		return nil, err
	}
	s, err := experiment.Parse(text, "terms")
	switch {
	case err != nil:
		return nil, err
	case s.Kind().Shows:
		return nil, fault.New(fmt.Sprintf("terms: a %s needs a constant of each participant, which follows from the whole spec", s.Kind().Name),
			"use another kind, or write the spec by hand (docs/howto/prepare.md, the constant)")
	case !gen.IsExpression(s.Graph):
		return nil, fault.New(fmt.Sprintf("terms: graph: %.70q is no generator", s.Graph), "name one, such as ring:8 or complete:8; participants have no common file (hearsay federation new --from a spec makes one of its file)")
	}
	return s, nil
}
