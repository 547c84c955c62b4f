package node

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// covered remembers the last bodies that the ledger holds as released, and the last messages with a body that were
// allowed to leave. Its capacity covers all messages that a machine still repeats. A forgotten message is written
// to the ledger once more.
type covered struct {
	most     int
	bodies   map[coveredBody]step.Release
	sources  map[laneBody]step.Release // the same, for any receiver
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

// newCovered returns a memory for all messages that can be under way at once between neighbours, for each token,
// and for all introductions.
func newCovered(neighbours, tokens, introductions int) *covered {
	return &covered{
		most: tokens*(64+8*neighbours) + introductions*neighbours, bodies: map[coveredBody]step.Release{}, sources: map[laneBody]step.Release{},
		messages: map[ledger.Key]ledger.Digest{},
	}
}

// released adds a release that is on disk.
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

// left adds a message that may leave.
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

// source returns the key of p's release for any receiver.
func (p payload) source() laneBody { return laneBody{p.key.Lane, p.body} }

// payloads returns the messages with a body, in order. It refuses a message that has left before with another
// body. One that stands there twice counts once.
func (c *covered) payloads(msgs []step.Msg) ([]payload, error) {
	var all []payload
	now := map[ledger.Key]ledger.Digest{}
	for _, m := range msgs {
		if len(m.Body) == 0 {
			continue
		}
		p := payload{key: ledger.Key{Epoch: m.Epoch, Peer: m.To, Kind: m.Kind, Turn: m.Turn, Lane: m.Lane}, body: BodyDigest(m.Body)}
		before, known := c.messages[p.key]
		if !known {
			before, known = now[p.key]
		}
		if now[p.key] = p.body; known && before != p.body {
			return nil, fault.New(fmt.Sprintf("message of turn %d for node %d has other numbers than when it was sent first", m.Turn, m.To),
				"nothing was sent; this is a fault of the machine: keep the ledger and report it")
		}
		p.again = known
		all = append(all, p)
	}
	return all, nil
}

// rows returns the releases for the ledger. These are the releases of the machine, each with the digest of the
// message that carries it. They also include one for each other body that its receiver has not had.
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

// further returns the release of a body for which the machine made none. It is the release of the same body to
// another node, if known. Else it is the last release of this step and lane, from which the body comes. Else it is
// a release of a value that was passed on, without sensitivity or noise.
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
