package price

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/terminal"
)

// Between selects the pair of a loss: --u, --v and --colluders, by names or numbers.
type Between struct {
	Leaks, Learns string   // u and v as given; "": not given
	Pool          []string // nodes that collude with v
	u, v          int      // -1: not given
	colluders     []int

	// Public selects the public as the observer. The public is no node and sees the final models only.
	Public bool
}

// find looks up the nodes.
func (b *Between) find(g *graph.Graph) error {
	b.u, b.v, b.colluders = -1, -1, nil
	for _, flag := range []struct {
		name, text string
		node       *int
	}{{"--u", b.Leaks, &b.u}, {"--v", b.Learns, &b.v}} {
		if flag.text == "" {
			continue
		}
		u, err := nodeOf(g, flag.name, flag.text)
		if err != nil {
			return err
		}
		*flag.node = u
	}
	if b.u >= 0 && b.u == b.v {
		return fault.New(fmt.Sprintf("--u %s --v %s is not a pair of different nodes", b.Leaks, b.Learns), "give two nodes, or leave one or both out")
	}
	var err error
	b.colluders, err = nodesOf(g, "--colluders", b.Pool)
	return err
}

// nodesOf looks up a list of names or numbers of a flag.
func nodesOf(g *graph.Graph, flag string, list []string) (nodes []int, err error) {
	known := func(name string) bool { _, err := nodeOf(g, flag, name); return err == nil }
	for _, text := range terminal.NameList(list, known) {
		u, err := nodeOf(g, flag, text)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, u)
	}
	return nodes, nil
}

// onePair reports whether a pair is selected.
func (b *Between) onePair() bool { return b.u >= 0 && (b.v >= 0 || b.Public) }

// oneSide reports whether the selection is one node towards all others, all others towards one node, or
// all towards the public.
func (b *Between) oneSide() bool { return (b.u >= 0) != (b.v >= 0 || b.Public) }

// checkPublic refuses observing nodes together with the public.
func (b *Between) checkPublic() error {
	if b.Public && (b.v >= 0 || len(b.colluders) > 0) {
		return fault.New("--public with --v or --colluders: the public is no node", "leave --public out for nodes who see the final models too (--release final)")
	}
	return nil
}

// observers returns v and its colluders. It returns nil for the public.
func (b *Between) observers() []int {
	if b.Public {
		return nil
	}
	return append([]int{b.v}, slices.DeleteFunc(slices.Clone(b.colluders), func(w int) bool { return w == b.v })...)
}

// nodeOf returns the node with a name or number.
func nodeOf(g *graph.Graph, flag, text string) (int, error) {
	u, ok := g.Lookup(text)
	if number, err := strconv.Atoi(text); !ok && err == nil && !g.Labelled() && number >= 0 && number < g.Len() {
		u, ok = number, true
	}
	if !ok {
		return 0, fault.New(fmt.Sprintf("%s %s is not a node of %s", flag, text, g.Name()), g.Hint(text))
	}
	return u, nil
}
