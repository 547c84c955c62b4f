package node

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// covered knows the last bodies that the ledger holds as released, and the last
// messages with a body that were allowed to leave. It remembers enough of them
// to know all that a machine still repeats; what it has forgotten is written to
// the ledger once more.
type covered struct {
	most     int
	bodies   map[coveredBody]step.Release
	sources  map[laneBody]step.Release // the same, whoever received it
	oldest   []coveredBody             // in the order released
	messages map[ledger.Key]ledger.Digest
	sent     []ledger.Key // in the order sent
}

type coveredBody struct {
	to step.NodeID
	laneBody
}

// Tokens of two lanes can be equal, as they are before the first update.
type laneBody struct {
	lane step.Lane
	body ledger.Digest
}

// newCovered remembers what can be under way at once between so many neighbours, of each
// token, and all introductions.
func newCovered(neighbours, tokens, introductions int) *covered {
	return &covered{
		most: tokens*(64+8*neighbours) + introductions*neighbours, bodies: map[coveredBody]step.Release{}, sources: map[laneBody]step.Release{},
		messages: map[ledger.Key]ledger.Digest{},
	}
}

// released takes in a release that is on disk.
func (c *covered) released(r ledger.Release) {
	if r.Body == (ledger.Digest{}) {
		return
	}
	body := coveredBody{r.To, laneBody{r.Lane, r.Body}}
	if _, known := c.bodies[body]; known {
		return
	}
	c.bodies[body] = r.Release
	if _, known := c.sources[body.laneBody]; !known {
		c.sources[body.laneBody] = r.Release
	}
	if c.oldest = append(c.oldest, body); len(c.oldest) > c.most {
		delete(c.bodies, c.oldest[0])
		delete(c.sources, c.oldest[0].laneBody)
		c.oldest = c.oldest[1:]
	}
}

// left takes in a message that may leave.
func (c *covered) left(p payload) {
	if _, known := c.messages[p.key]; known {
		return
	}
	c.messages[p.key] = p.body
	if c.sent = append(c.sent, p.key); len(c.sent) > c.most {
		delete(c.messages, c.sent[0])
		c.sent = c.sent[1:]
	}
}

// A payload is a message with a body.
type payload struct {
	key   ledger.Key
	body  ledger.Digest
	again bool // it has left before
}

// source is what its release is known by, whoever receives it.
func (p payload) source() laneBody { return laneBody{p.key.Lane, p.body} }

// payloads are the messages with a body, in order. Other bytes under the name of
// a message that has left are refused.
func (c *covered) payloads(msgs []step.Msg) ([]payload, error) {
	var all []payload
	for _, m := range msgs {
		if len(m.Body) == 0 {
			continue
		}
		p := payload{key: ledger.Key{Epoch: m.Epoch, Peer: m.To, Kind: m.Kind, Turn: m.Turn, Lane: m.Lane}, body: BodyDigest(m.Body)}
		before, known := c.messages[p.key]
		if known && before != p.body {
			return nil, fault.New(fmt.Sprintf("message of turn %d for node %d has other numbers than when it was sent first", m.Turn, m.To),
				"nothing was sent; this is a fault of the machine: keep the ledger and report it")
		}
		p.again = known
		all = append(all, p)
	}
	return all, nil
}

// rows are the releases for the ledger: those that the machine made, each with
// the digest of the message that carries it, and one for each other body that
// goes to somebody who has not had it.
func (c *covered) rows(self step.NodeID, made []step.Release, payloads []payload) []ledger.Release {
	rows := make([]ledger.Release, 0, len(made)+len(payloads))
	carried := make([]bool, len(payloads))
	for _, r := range made {
		row := ledger.Release{Release: r}
		for i, p := range payloads {
			if !p.again && !carried[i] && p.key.Peer == r.To && p.key.Lane == r.Lane {
				row.Body, carried[i] = p.body, true
				break
			}
		}
		rows = append(rows, row)
	}
	for i, p := range payloads {
		if _, known := c.bodies[coveredBody{p.key.Peer, p.source()}]; !carried[i] && !p.again && !known {
			rows = append(rows, ledger.Release{Release: c.further(self, p, made), Body: p.body})
		}
	}
	return rows
}

// further is the release of a body that the machine made none for: that of the
// same body to somebody else, else the last one of this step and lane, which the
// body comes from, else of a value that was passed on.
func (c *covered) further(self step.NodeID, p payload, made []step.Release) step.Release {
	r, known := c.sources[p.source()]
	if !known {
		r = step.Release{From: self, Turn: p.key.Turn, Lane: p.key.Lane}
		for _, m := range made {
			if m.Lane == p.key.Lane {
				r = m
			}
		}
	}
	r.To = p.key.Peer
	return r
}
