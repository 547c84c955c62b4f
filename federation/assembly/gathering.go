package assembly

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Gathering holds the known messages of a federation: its invitation, and for each participant
// the acceptance and the signature that count. A message that is refused leaves the Gathering
// unchanged.
type Gathering struct {
	ID         ID
	Invitation *Invitation

	draft    *spec.Spec // with placeholders for the keys and rows of participants
	invite   []byte     // the invitation as sent
	names    map[string]bool
	accepted map[string]message[Acceptance]
	signed   map[string][]message[Signature] // the newest signature, and that of the current round if it is another one
}

// A message holds a decoded body and its bytes as sent.
type message[B any] struct {
	body    *B
	payload []byte
}

func newGathering(payload []byte) (*Gathering, error) {
	i, id, draft, err := readInvitation(payload)
	if err != nil {
		return nil, err
	}
	g := &Gathering{ID: id, Invitation: i, draft: draft, invite: payload,
		names: map[string]bool{}, accepted: map[string]message[Acceptance]{}, signed: map[string][]message[Signature]{}}
	for _, name := range i.Names {
		g.names[name] = true
	}
	return g, nil
}

// Read returns the messages of one federation in a text. A text without an invitation is an error.
func Read(text []byte) (*Gathering, error) {
	all, err := blocks(text)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(b block) bool { return b.kind == invitation })
	if at < 0 {
		return nil, fault.New("there is no invitation in the text", "it begins with "+begins+invitation+closes+"; have whoever invites send it")
	}
	g, err := newGathering(all[at].payload)
	if err != nil {
		return nil, err
	}
	return g, g.add(all, nil)
}

// Add adds the messages in a text. Two keys that accept under one name are an error, unless keep
// gives that participant's key. On an error nothing is added.
func (g *Gathering) Add(text []byte, keep map[string]identity.Peer) error {
	all, err := blocks(text)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fault.New("there is no message in the text", "messages begin with "+begins+"...; copy all of it, or give the file federation.txt")
	}
	return g.add(all, keep)
}

// add adds all messages or none. It adds acceptances before signatures, because signatures are
// checked against acceptances.
func (g *Gathering) add(all []block, keep map[string]identity.Peer) error {
	next := *g
	next.accepted, next.signed = maps.Clone(g.accepted), maps.Clone(g.signed)
	for _, each := range []struct {
		kind string
		take func(payload []byte) error
	}{
		{invitation, next.takeInvitation},
		{acceptance, func(payload []byte) error { return next.takeAcceptance(payload, keep) }},
		{signature, next.takeSignature},
	} {
		for _, b := range all {
			if b.kind != each.kind {
				continue
			}
			if err := each.take(b.payload); err != nil {
				return err
			}
		}
	}
	next.prune()
	*g = next
	return nil
}

// takeInvitation returns an error for any invitation other than this one.
func (g *Gathering) takeInvitation(payload []byte) error {
	if bytes.Equal(payload, g.invite) {
		return nil
	}
	_, id, _, err := readInvitation(payload)
	if err == nil {
		err = elsewhere(id)
	}
	return fault.Wrap(err, "an invitation", fault.Hint(err))
}

func (g *Gathering) takeAcceptance(payload []byte, keep map[string]identity.Peer) error {
	a, err := g.readAcceptance(payload)
	if err != nil {
		return err
	}
	before := g.Accepted(a.Name)
	kept, chosen := keep[a.Name]
	switch {
	case chosen && a.Key != kept:
		return nil
	case before == nil:
	case before.Key != a.Key && !chosen:
		return fault.New(fmt.Sprintf("two keys accept as %s: %s and %s", a.Name, before.Key, a.Key),
			fmt.Sprintf("one of them is somebody else's: ask %s on the telephone which is its own (hearsay keys show), and say --keep %s=KEY", a.Name, a.Name))
	case before.Key == a.Key && !newer(a.Serial, payload, before.Serial, g.accepted[a.Name].payload):
		return nil
	case g.Complete():
		return fault.New(fmt.Sprintf("%s says something else than when all signed", a.Name), "all have signed the spec as it is; what is to change is a new federation, which one of you invites to")
	}
	if before != nil && before.Key != a.Key {
		delete(g.signed, a.Name)
	}
	g.accepted[a.Name] = message[Acceptance]{a, payload}
	return nil
}

// newer reports whether a message replaces another. It compares the numbers, and then the bytes, so
// that the result does not depend on the order of arrival.
func newer(number int, payload []byte, than int, other []byte) bool {
	return cmp.Or(cmp.Compare(number, than), bytes.Compare(payload, other)) > 0
}

// takeSignature adds a signature to the known ones of a participant. prune removes those that do
// not count.
func (g *Gathering) takeSignature(payload []byte) error {
	s, err := g.readSignature(payload)
	if err == nil {
		g.signed[s.Name] = append(slices.Clip(g.signed[s.Name]), message[Signature]{s, payload})
	}
	return err
}

// prune keeps the newest signature of each participant. It also keeps the signature of the current
// round. So a signature with a later round, by mistake or on purpose, does not replace that one.
func (g *Gathering) prune() {
	for name, all := range g.signed {
		all = slices.SortedFunc(slices.Values(all), func(a, b message[Signature]) int {
			return cmp.Or(cmp.Compare(b.body.Round, a.body.Round), bytes.Compare(b.payload, a.payload))
		})
		kept := all[:1]
		if i := slices.IndexFunc(all, func(m message[Signature]) bool { return m.body.Round == g.round() }); i > 0 && all[0].body.Round != g.round() {
			kept = []message[Signature]{all[0], all[i]}
		}
		g.signed[name] = kept
	}
}

// Text returns all messages as text for the other participants. Equal sets of messages give equal
// texts.
func (g *Gathering) Text() []byte {
	var text bytes.Buffer
	armour(&text, invitation, g.invite)
	for _, name := range g.Invitation.Names {
		if m, is := g.accepted[name]; is {
			armour(&text, acceptance, m.payload)
		}
	}
	for _, name := range g.Invitation.Names {
		for _, m := range g.signed[name] {
			armour(&text, signature, m.payload)
		}
	}
	return text.Bytes()
}

func (g *Gathering) invited(name string) bool { return g.names[name] }

// Invited returns an error if name was not invited.
func (g *Gathering) Invited(name string) error {
	switch {
	case g.invited(name):
		return nil
	case name == "":
		return fault.New("nobody is said to accept", "say which of those who were invited you are: --as "+strings.Join(g.Silent(), ", or --as "))
	}
	return fault.New(fmt.Sprintf("%.70q was not invited", name), strings.TrimSpace(fault.DidYouMean(name, g.Invitation.Names)+" those are "+some(g.Invitation.Names)))
}

// Accepted returns the acceptance of a participant, nil without one.
func (g *Gathering) Accepted(name string) *Acceptance { return g.accepted[name].body }

// Silent returns the names of those who have not accepted.
func (g *Gathering) Silent() (names []string) {
	for _, name := range g.Invitation.Names {
		if g.Accepted(name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// round returns the sum of the serials of all acceptances. It grows with every newer acceptance.
func (g *Gathering) round() (sum int) {
	for _, m := range g.accepted {
		sum += m.body.Serial
	}
	return sum
}

// current returns a participant's signature of the current round, nil without one.
func (g *Gathering) current(name string) *Signature {
	for _, m := range g.signed[name] {
		if m.body.Round == g.round() {
			return m.body
		}
	}
	return nil
}

// latest returns a participant's signature of the current round. Without one it returns the newest,
// or nil if there is none.
func (g *Gathering) latest(name string) *Signature {
	if s := g.current(name); s != nil {
		return s
	}
	if all := g.signed[name]; len(all) > 0 {
		return all[0].body
	}
	return nil
}

// Complete reports whether all have accepted and signed the same spec.
func (g *Gathering) Complete() bool {
	var first *Signature
	for _, name := range g.Invitation.Names {
		s := g.current(name)
		if g.Accepted(name) == nil || s == nil {
			return false
		}
		if first == nil {
			first = s
		}
		if s.Spec != first.Spec {
			return false
		}
	}
	return true
}
