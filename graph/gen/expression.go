// Package gen makes graphs: the generators and the expressions that name them.
package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/step"
)

// Parse builds the graph that an expression describes, such as
//
//	hypercube:11   grid:45x45   ring:12,directed   er:n=2048,p=0.0045,seed=1
//
// An expression is a kind, a colon, then values in the order of the kind's keys,
// key=value pairs and flags. Generators lists the kinds. Random graphs draw from
// seed, or from their own seed=.
func Parse(expr string, seed uint64) (*graph.Graph, error) {
	if IsSequence(expr) {
		return nil, fault.New(fmt.Sprintf("graph: %.60s is a graph for each turn, and one is needed", expr), "use it in a spec of kind gossip, gossip-gd or gossip-sgd, or name one graph")
	}
	e, err := parseExpression(expr, seed)
	if err != nil {
		return nil, err
	}
	g := e.generator.build(e)
	if e.err != nil {
		return nil, e.err
	}
	return g.Named(expr), nil
}

// IsExpression reports whether text starts with the name of a generator or of a
// sequence of graphs. Such text is an expression and never a file name.
func IsExpression(text string) bool {
	kind, _, _ := strings.Cut(text, ":")
	return findGenerator(kind) != nil || IsSequence(text)
}

// An expression is the parsed call of a generator. err keeps the first error in its
// values.
type expression struct {
	text      string
	generator *generator
	values    map[string]string
	seed      uint64
	err       error
}

func parseExpression(text string, seed uint64) (*expression, error) {
	kind, list, some := strings.Cut(text, ":")
	e := &expression{text: text, generator: findGenerator(kind), values: map[string]string{}, seed: seed}
	if e.generator == nil {
		return nil, fault.New(fmt.Sprintf("there is no graph generator %q (in %q)", kind, text),
			"use one of "+strings.Join(kinds(), ", "))
	}
	if some {
		for position, item := range strings.Split(list, ",") {
			e.take(strings.TrimSpace(item), position)
		}
	}
	if e.generator.has("seed") {
		e.seed = e.ownSeed()
	}
	return e, e.err
}

// take parses one item of the list: key=value, a flag, or the value of the key at
// that position.
func (e *expression) take(item string, position int) {
	g := e.generator
	key, value, pair := strings.Cut(item, "=")
	switch {
	case pair && g.has(key):
	case pair:
		e.fail(fmt.Sprintf("has no key %q", key), g.help())
	case slices.Contains(g.flags, item):
		key, value = item, "true"
	case position < len(g.keys) && item != "":
		key, value = g.keys[position], item
	default:
		e.fail(fmt.Sprintf("has no place for %q", item), g.help())
	}
	if _, twice := e.values[key]; twice {
		e.fail(fmt.Sprintf("gives %s twice", key), g.help())
	}
	e.values[key] = value
}

// fail keeps the first error of an expression.
func (e *expression) fail(what, hint string) {
	if e.err == nil {
		e.err = fault.New(fmt.Sprintf("graph %q: %s %s", e.text, e.generator.kind, what), hint)
	}
}

// value returns the text of a required key.
func (e *expression) value(key string) string {
	value, ok := e.values[key]
	if !ok {
		e.fail("needs "+key, e.generator.help())
	}
	return value
}

// integer returns the value of key, which must be from low to high.
func (e *expression) integer(key string, low, high int) int {
	return e.toInteger(key, e.value(key), low, high)
}

func (e *expression) toInteger(key, text string, low, high int) int {
	k, err := strconv.Atoi(text)
	if err != nil || k < low || k > high {
		e.fail(fmt.Sprintf("wants an integer from %d to %d for %s, not %q", low, high, key, text), e.generator.help())
		return low
	}
	return k
}

// real returns the value of key, which must be from 0 to high.
func (e *expression) real(key string, high float64) float64 {
	return e.toReal(key, e.value(key), high)
}

func (e *expression) toReal(key, text string, high float64) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= high) {
		e.fail(fmt.Sprintf("wants a number from 0 to %g for %s, not %q", high, key, text), e.generator.help())
		return 0
	}
	return x
}

// integers parses a list such as 45x45 or 75+75+50.
func (e *expression) integers(key, separator string, low, high int) []int {
	var list []int
	for item := range strings.SplitSeq(e.value(key), separator) {
		list = append(list, e.toInteger(key, item, low, high))
	}
	return list
}

// matrix parses a matrix of probabilities such as 0.3+0.1/0.1+0.2, with slashes
// between rows.
func (e *expression) matrix(key string) [][]float64 {
	var rows [][]float64
	for line := range strings.SplitSeq(e.value(key), "/") {
		var row []float64
		for item := range strings.SplitSeq(line, "+") {
			row = append(row, e.toReal(key, item, 1))
		}
		rows = append(rows, row)
	}
	return rows
}

// flag reports whether a flag was given, by its name or as flag=true.
func (e *expression) flag(key string) bool {
	value := e.values[key]
	if value != "" && value != "true" && value != "false" {
		e.fail(fmt.Sprintf("wants true or false for %s, not %q", key, value), e.generator.help())
	}
	return value == "true"
}

// ownSeed returns the seed in the expression, or the seed passed to Parse if the
// expression has none.
func (e *expression) ownSeed() uint64 {
	text, ok := e.values["seed"]
	if !ok {
		return e.seed
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		e.fail(fmt.Sprintf("wants an integer from 0 for seed, not %q", text), e.generator.help())
	}
	return seed
}

// fits reports whether a graph of nodes nodes and entries row entries is within the
// limits and nothing has failed so far.
func (e *expression) fits(nodes, entries float64) bool {
	if nodes > graph.MaxNodes || entries > graph.MaxEntries {
		e.fail(fmt.Sprintf("would have %.4g nodes and %.4g neighbour entries; at most %d and %d fit",
			nodes, entries, graph.MaxNodes, graph.MaxEntries), "ask for a smaller or sparser graph")
	}
	return e.err == nil
}

// attempts bounds the draws of a random graph until it is connected.
const attempts = 1000

// draw draws a random graph. With the flag connected it repeats until the graph is
// connected. Attempt k draws from turn k of the topology stream.
func (e *expression) draw(one func(*step.Stream, step.Turn) *graph.Graph) *graph.Graph {
	connected := e.flag("connected")
	var stream step.Stream
	for turn := range step.Turn(attempts) {
		g := one(&stream, turn)
		if !connected || g.Connected() == nil {
			return g
		}
	}
	e.fail(fmt.Sprintf("was drawn %d times and never connected", attempts), "raise p, r or m, or leave out connected")
	return nil
}
