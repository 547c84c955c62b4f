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

// mostNames is as many as a spec lists.
const mostNames = 4096

const invitationPurpose, idDomain = "federation invitation", "hearsay invitation 1\n"

// An Invitation says who is to take part, and on what terms.
type Invitation struct {
	Format    int           `json:"format"`
	Nonce     ID            `json:"nonce"`      // random: the same terms twice are two federations
	From      string        `json:"from"`       // who invites, one of Names
	Key       identity.Peer `json:"key"`        // its own
	Names     []string      `json:"names"`      // of all, in the order of their numbers
	WeighRows bool          `json:"weigh_rows"` // weigh_rows follows from the largest number of rows
	Terms     string        `json:"terms"`      // a spec without participants, see spec.Terms
}

// Invite makes and signs an invitation. Random is a secret source.
func Invite(random io.Reader, key identity.Key, from string, names []string, terms []byte, weighRows bool) (*Gathering, error) {
	i := Invitation{Format: format, From: from, Key: key.Peer(), Names: names, WeighRows: weighRows, Terms: string(terms)}
	if _, err := io.ReadFull(random, i.Nonce[:]); err != nil {
		return nil, fault.Wrap(err, "no randomness for an invitation", "the system's random source must be readable")
	}
	return newGathering(seal(key, invitationPurpose, i))
}

// readInvitation reads one that anybody may have written.
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

// check refuses what no federation can come of, and returns the spec with placeholders for
// what participants bring.
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

// checkNames refuses names that do not tell participants apart.
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

// placeholderRows stand for numbers of rows that nobody has said yet.
const placeholderRows = 100

// Draft is the spec of terms for participants of these names who have said nothing yet. It
// refuses terms that no federation can have.
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
			"use another kind, or write the spec by hand (docs/OPERATING.md, Constant)")
	case !gen.IsExpression(s.Graph):
		return nil, fault.New(fmt.Sprintf("terms: graph: %.70q is no generator", s.Graph), "name one, such as ring:8 or complete:8; participants have no common file")
	}
	return s, nil
}
