package attack

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Message holds the values that To received from From in a turn, counted from 0. In
// turn 0 a message of an attacker, to anybody or to itself, is its own starting value.
type Message struct {
	Turn, From, To int
	Values         []float64
	Line           int // in the file it came from; 0 without a file
}

// where returns the name of a message for errors.
func (m Message) where() string {
	if m.Line > 0 {
		return fmt.Sprintf("line %d: the message of turn %d from node %d to node %d", m.Line, m.Turn, m.From, m.To)
	}
	return fmt.Sprintf("the message of turn %d from node %d to node %d", m.Turn, m.From, m.To)
}

// A seen is a row of the knowledge matrix: the value of a node before a turn.
type seen struct{ turn, node int }

// observations returns the rows of the knowledge matrix (002, Definition 4.3): the
// attackers' own values, then round by round the values that they receive.
func (g *Gossip) observations() []seen {
	var rows []seen
	for _, v := range g.Attackers {
		rows = append(rows, seen{0, v})
	}
	for t := range g.averaging.Steps() {
		for _, w := range g.averaging.Heard(g.Attackers, t) {
			rows = append(rows, seen{t, w})
		}
	}
	return rows
}

// arrange returns the values of messages in the order of rows. Every row needs a
// message. Repeated messages must agree.
func (g *Gossip) arrange(rows []seen, messages []Message) (values [][]float64, err error) {
	place := make(map[seen]int, len(rows))
	for k, row := range rows {
		place[row] = k
	}
	values = make([][]float64, len(rows))
	for _, m := range messages {
		if err := g.checkMessage(m, len(messages[0].Values)); err != nil {
			return nil, err
		}
		k, known := place[seen{m.Turn, m.From}]
		switch {
		case !known && slices.Contains(g.Attackers, m.From):
			// A later message of an attacker follows from its view.
		case !known || !g.hears(m):
			return nil, fault.New(m.where()+" cannot be: the two do not average in that turn",
				"give the graph, the weights and the steps of the run that the messages come from")
		case values[k] != nil && !slices.Equal(values[k], m.Values):
			return nil, fault.New(m.where()+" contradicts another of the same sender and turn", "a node sends all its neighbours the same value; remove the wrong line")
		default:
			values[k] = m.Values
		}
	}
	return values, missing(rows, values)
}

// hears reports whether the receiver of a message averages with its sender.
func (g *Gossip) hears(m Message) bool {
	return slices.Contains(g.Attackers, m.From) || slices.Contains(g.averaging.Heard([]int{m.To}, m.Turn), m.From)
}

func (g *Gossip) checkMessage(m Message, dim int) error {
	n := g.Len()
	switch {
	case m.From < 0 || m.From >= n || m.To < 0 || m.To >= n:
		return fault.New(fmt.Sprintf("%s: nodes are 0 to %d", m.where(), n-1), "name nodes of the graph")
	case m.Turn < 0 || m.Turn >= max(1, g.averaging.Steps()):
		return fault.New(fmt.Sprintf("%s: the run has %d rounds, numbered from 0", m.where(), g.averaging.Steps()),
			"give the steps of the run that the messages come from")
	case len(m.Values) == 0 || len(m.Values) != dim:
		return fault.New(fmt.Sprintf("%s has %d values, the first message has %d", m.where(), len(m.Values), dim),
			"give every message the same number of values, at least one")
	case !slices.Contains(g.Attackers, m.From) && !slices.Contains(g.Attackers, m.To):
		return fault.New(m.where()+" is to nobody of the attackers", "give what the attackers received")
	}
	return nil
}

// missing returns an error for the first row without a message.
func missing(rows []seen, values [][]float64) error {
	for k, row := range rows {
		if values[k] != nil {
			continue
		}
		if row.turn == 0 {
			return fault.New(fmt.Sprintf("there is no starting value of node %d", row.node),
				fmt.Sprintf("give the message of turn 0 that it sends; an attacker's own as from and to node %d", row.node))
		}
		return fault.New(fmt.Sprintf("there is no message of turn %d from node %d", row.turn, row.node),
			"give all messages that the attackers received in so many steps, or fewer steps")
	}
	return nil
}

// Heard appends the messages that attackers receive in a turn. w is the matrix of the
// turn, and x the values of the nodes before it, dim numbers each. In turn 0 it
// appends the attackers' own values too. A run without turns has only those, and w is
// then nil.
func Heard(messages []Message, w *sparse.Matrix, attackers []int, turn int, x []float64, dim int) []Message {
	keep := func(from, to int) {
		messages = append(messages, Message{Turn: turn, From: from, To: to, Values: slices.Clone(x[from*dim : (from+1)*dim])})
	}
	for _, v := range attackers {
		if turn == 0 {
			keep(v, v)
		}
		if w == nil {
			continue
		}
		columns, _ := w.Row(v)
		for _, u := range columns {
			if int(u) != v {
				keep(int(u), v)
			}
		}
	}
	return messages
}
