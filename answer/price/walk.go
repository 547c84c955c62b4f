package price

import (
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/terminal"
)

// A WalkQuestion holds the settings of `hearsay privacy walk`.
type WalkQuestion struct {
	form.GraphQuestion
	Steps, Contributions, Paths, BurnIn, u, v int
	Tokens, EdgeCap                           int
	Sigma, Alpha, Power, Skip                 float64
	Sender, Accountant, Condition, Start      string
	Leaks, Learns                             string // u and v as they are given
	Final                                     bool
	Cache                                     form.Cache
	Pool                                      []string // names of those who pool what they see with v
	colluders                                 []int    // their numbers
}

// Answer answers the question.
func (f *WalkQuestion) Answer() (*WalkAnswer, error) {
	w, err := f.Open()
	if err != nil {
		return nil, err
	}
	if err := f.findPair(w.Graph()); err != nil {
		return nil, err
	}
	if err := f.check(w.Len()); err != nil {
		return nil, err
	}
	if err := f.findColluders(w.Graph()); err != nil {
		return nil, err
	}
	s, own, err := f.walk(w)
	if err != nil {
		return nil, err
	}
	a := &WalkAnswer{N: w.Len(), graph: w.Graph()}
	if f.oneSide() {
		if f.v >= 0 {
			a.Observer = &f.v
		} else {
			a.About = &f.u
		}
	}
	if f.Accountant == "published" || f.Accountant == "all" && !f.simulatedOnly() && !f.oneSide() {
		if a.Accountants.Published, err = f.published(s); err != nil {
			return nil, err
		}
	}
	if f.Accountant != "published" {
		if a.Accountants.Path, err = f.path(w, s, own); err != nil {
			return nil, err
		}
	}
	a.Accountants.Local, err = f.local(s.Most())
	return a, err
}

// findPair looks up the nodes of --u and --v, -1 where none is given.
func (f *WalkQuestion) findPair(g *graph.Graph) error {
	f.u, f.v = -1, -1
	for _, flag := range []struct {
		name, text string
		node       *int
	}{{"--u", f.Leaks, &f.u}, {"--v", f.Learns, &f.v}} {
		if flag.text == "" {
			continue
		}
		u, err := nodeOf(g, flag.name, flag.text)
		if err != nil {
			return err
		}
		*flag.node = u
	}
	return nil
}

// nodeOf is the node of a name or number; what is wrong with a number is said
// elsewhere.
func nodeOf(g *graph.Graph, flag, text string) (int, error) {
	u, ok := g.Lookup(text)
	if number, err := strconv.Atoi(text); !ok && err == nil && !g.Labelled() {
		u, ok = number, true
	}
	if !ok {
		return 0, fault.New(fmt.Sprintf("%s %s is not a node of %s", flag, text, g.Name()), "name nodes by their ids, such as "+g.Label(0))
	}
	return u, nil
}

// findColluders looks up the nodes of --colluders.
func (f *WalkQuestion) findColluders(g *graph.Graph) error {
	if len(f.Pool) == 0 {
		return nil
	}
	if !f.onePair() || f.Accountant != "path" || f.simulatedOnly() || f.Paths > 0 {
		return fault.New("--colluders are priced by the law of the path, for one node and observer",
			"give --u, --v and --accountant path, without --paths")
	}
	f.colluders = nil
	known := func(name string) bool { _, err := nodeOf(g, "--colluders", name); return err == nil }
	for _, text := range terminal.NameList(f.Pool, known) {
		u, err := nodeOf(g, "--colluders", text)
		if err != nil {
			return err
		}
		f.colluders = append(f.colluders, u)
	}
	return nil
}

// onePair reports whether a pair was chosen.
func (f *WalkQuestion) onePair() bool { return f.u >= 0 && f.v >= 0 }
