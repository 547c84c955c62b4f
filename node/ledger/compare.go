package ledger

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// A Crossing compares two ledgers on the messages with values from one participant to another.
type Crossing struct {
	From, To string
	Released int       // bodies for the receiver in the sender's ledger
	Received int       // those of them in the receiver's ledger; the others were under way or lost
	Unknown  []Receipt // received, but in no release of the sender's ledger
}

// Compare compares ledgers of one run. Each must have passed Verify. It returns a Crossing for every ordered pair
// of participants of which either ledger holds a message, ordered by their numbers. An owner can rewrite its own
// chain so that Verify passes, but the messages that others received remain in theirs. Ledgers of different runs,
// and two ledgers of one participant, are errors.
func Compare(ledgers ...*Ledger) ([]Crossing, error) {
	ledgers = slices.SortedFunc(slices.Values(ledgers), func(a, b *Ledger) int { return cmp.Compare(a.owner.ID, b.owner.ID) })
	if len(ledgers) < 2 {
		return nil, fault.New("there is nothing to compare", "give the ledgers of two participants or more")
	}
	first := ledgers[0].owner
	for k, l := range ledgers[1:] {
		switch {
		case l.owner.Spec != first.Spec:
			return nil, fault.New(fmt.Sprintf("the ledgers of %s and %s are of different specs", first.Node, l.owner.Node), "give ledgers of one run")
		case l.owner.ID == ledgers[k].owner.ID:
			return nil, fault.New(fmt.Sprintf("two ledgers are those of %s", l.owner.Node), "give one ledger of each participant; of two that differ, one was written anew or is old")
		}
	}
	var all []Crossing
	for _, from := range ledgers {
		sent, err := from.sent()
		if err != nil {
			return nil, err
		}
		for _, to := range ledgers {
			if to == from {
				continue
			}
			c, err := sent.crossing(from, to)
			if err != nil {
				return nil, err
			}
			if c.Released > 0 || len(c.Unknown) > 0 {
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// A parcel is a body with its lane and receiver.
type parcel struct {
	to   step.NodeID
	lane step.Lane
	body Digest
}

// A dispatch is the set of bodies that a ledger holds as released.
type dispatch map[parcel]bool

// sent returns the bodies that the ledger holds as released.
func (l *Ledger) sent() (dispatch, error) {
	all := dispatch{}
	err := l.releases(func(r Row) error {
		if r.Body != (Digest{}) {
			all[parcel{r.To, r.Lane, r.Body}] = true
		}
		return nil
	})
	if err != nil {
		return nil, l.explain(err)
	}
	return all, nil
}

// crossing compares the messages from one participant to the other in both ledgers.
func (d dispatch) crossing(from, to *Ledger) (Crossing, error) {
	c := Crossing{From: from.owner.Node, To: to.owner.Node}
	for p := range d {
		if p.to == to.owner.ID {
			c.Released++
		}
	}
	had := map[parcel]bool{}
	for r, err := range to.Heard() {
		if err != nil {
			return c, err
		}
		if r.Peer != from.owner.ID {
			continue
		}
		p := parcel{to.owner.ID, r.Lane, r.Body}
		if !d[p] {
			c.Unknown = append(c.Unknown, r)
			continue
		}
		had[p] = true
	}
	c.Received = len(had)
	return c, nil
}
