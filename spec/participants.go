package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// EdgesGraph names the graph of a federation whose participants name their edges.
const EdgesGraph = "edges"

// maxParticipants is the largest number of participants that a federation lists by name.
const maxParticipants = 4096

// A Participant is one holder of data in a federation. Its number as a node is
// its place in the list, from 0.
type Participant struct {
	Name      string   `yaml:"name"`
	Key       string   `yaml:"key"`                 // peer id, as hearsay keys prints it
	Addresses []string `yaml:"addresses,omitempty"` // multiaddresses, such as /ip4/192.0.2.7/tcp/4100; none: it dials the others
	Rows      int      `yaml:"rows,omitempty"`      // records of its file, or fewer: public, where privacy.unit is record
	Constant  float64  `yaml:"constant,omitempty"`  // of a weighted walk: the smoothness of its losses that this participant has shown, with noise
	Edges     []string `yaml:"edges,omitempty"`     // names of its neighbours; none anywhere: the spec's graph
}

// Federation holds how participants of a real run deal with time and with each
// other's absence.
type Federation struct {
	Tick        time.Duration `yaml:"tick,omitempty"`        // of the machines' timers: 10ms
	Linger      time.Duration `yaml:"linger,omitempty"`      // how long a finished node still answers: 10s
	Unreachable string        `yaml:"unreachable,omitempty"` // wait | around: the fate of a token whose next holder is silent
	Patience    time.Duration `yaml:"patience,omitempty"`    // around: silence after which another neighbour is tried: 30s
	Lease       time.Duration `yaml:"lease,omitempty"`       // silence after which a dead holder is succeeded; 0: never
	Deadline    time.Duration `yaml:"deadline,omitempty"`    // after which a node stops for good; 0: never
	Pace        time.Duration `yaml:"pace,omitempty"`        // duration of each step with a release, or a multiple of it, so that time does not reveal the number of rows; 0: as long as it takes
	Silence     time.Duration `yaml:"silence,omitempty"`     // in which nothing of the run is heard, after which a node stops until it is started again; 0: it waits

	Signed     string   `yaml:"signed,omitempty"`     // required: nodes start with everybody's signature only; "": with signatures they are held to
	Invitation string   `yaml:"invitation,omitempty"` // the id of the invitation that the federation was assembled by
	Relays     []string `yaml:"relays,omitempty"`     // multiaddresses with /p2p/ of who carries bytes between participants without addresses
	RelayOnly  bool     `yaml:"relay_only,omitempty"` // links stay on the relays; else NATs are punched through where they allow it
}

// Federated reports whether the spec is of real participants.
func (s *Spec) Federated() bool { return len(s.Participants) > 0 }

// FollowsFailures reports whether failures decide which node receives which message. Then
// only the local loss is a bound.
func (s *Spec) FollowsFailures() bool {
	return s.Federation != nil && (s.Federation.Unreachable == "around" || s.Federation.Lease > 0)
}

// EdgeList returns the edges that the participants name, by node number. Each edge is listed once,
// with the smaller number first.
func (s *Spec) EdgeList() [][2]int {
	var edges [][2]int
	for u, p := range s.Participants {
		for _, name := range p.Edges {
			if v := s.Number(name); v > u {
				edges = append(edges, [2]int{u, v})
			}
		}
	}
	return edges
}

// Number returns the node number of the participant called name. It returns -1 if there is
// none.
func (s *Spec) Number(name string) int {
	return slices.IndexFunc(s.Participants, func(p Participant) bool { return p.Name == name })
}

// Names returns the names of the participants.
func (s *Spec) Names() (all []string) {
	for _, p := range s.Participants {
		all = append(all, p.Name)
	}
	return all
}

// NoParticipant returns the error for a name that no participant has.
func (s *Spec) NoParticipant(name string) error {
	return fault.New(fmt.Sprintf("no participant is called %q", name),
		strings.TrimSpace(fault.DidYouMean(name, s.Names())+" the spec lists "+strings.Join(s.Names(), ", ")))
}

// checkParticipants checks the list of participants and sets nodes and graph by it.
func (s *Spec) checkParticipants() error {
	if !s.Federated() {
		if s.Federation != nil || s.Signatures != nil {
			return invalid("federation: is given without participants", "list the participants, or leave federation and signatures out to simulate")
		}
		return s.checkDeclared()
	}
	n := len(s.Participants)
	switch {
	case n < 2 || n > maxParticipants:
		return invalid(fmt.Sprintf("participants: %d are listed", n), fmt.Sprintf("a federation has 2 to %d", maxParticipants))
	case s.Nodes != 0 && s.Nodes != n:
		return invalid(fmt.Sprintf("nodes: %d, but %d participants are listed", s.Nodes, n), "leave nodes out")
	}
	s.Nodes = n
	if err := s.checkNames(); err != nil {
		return err
	}
	if err := s.checkEdges(); err != nil {
		return err
	}
	if err := s.checkSignatures(); err != nil {
		return err
	}
	return s.checkFederation()
}

// nameForm matches the names that a participant may have. They become part of file names.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// IsName reports whether a participant may be called so.
func IsName(text string) bool { return nameForm.MatchString(text) }

// checkNames refuses names and keys that do not tell participants apart.
func (s *Spec) checkNames() error {
	names, keys := map[string]int{}, map[string]string{}
	for i, p := range s.Participants {
		if !IsName(p.Name) {
			return invalid(fmt.Sprintf("participants[%d].name: %q is not a name", i, p.Name), "use up to 63 letters, digits, dots, dashes and underscores")
		}
		if other, taken := names[strings.ToLower(p.Name)]; taken {
			return invalid(fmt.Sprintf("participants: %q is both number %d and number %d", p.Name, other, i), "give each participant its own name")
		}
		if kind := s.Kind(); p.Constant != 0 && kind != nil && !kind.Shows {
			return invalid(fmt.Sprintf("participants: %s has a constant, which a %s does not use", p.Name, kind.Name), "leave it out, or use kind: weighted-walk")
		}
		if p.Key == "" {
			return invalid(fmt.Sprintf("participants: %s has no key", p.Name), "its operator gets one with hearsay keys")
		}
		if other, taken := keys[p.Key]; taken {
			return invalid(fmt.Sprintf("participants: %s and %s have the same key", other, p.Name), "each participant makes its own with hearsay keys")
		}
		names[strings.ToLower(p.Name)], keys[p.Key] = i, p.Name
	}
	return nil
}

// checkEdges refuses edges that are no undirected connected graph.
func (s *Spec) checkEdges() error {
	given := slices.ContainsFunc(s.Participants, func(p Participant) bool { return len(p.Edges) > 0 })
	switch {
	case !given && s.Graph == EdgesGraph:
		return invalid("graph: edges, but no participant has any", "give each participant its edges, or name a graph")
	case !given:
		return nil
	case s.Graph != "" && s.Graph != EdgesGraph:
		return invalid(fmt.Sprintf("graph: %s is given, and edges too", s.Graph), "keep one of them")
	}
	s.Graph = EdgesGraph
	for _, p := range s.Participants {
		if err := s.checkEdgesOf(p); err != nil {
			return err
		}
	}
	return s.checkConnected()
}

func (s *Spec) checkEdgesOf(p Participant) error {
	for i, name := range p.Edges {
		v := s.Number(name)
		switch {
		case v < 0:
			return invalid(fmt.Sprintf("participants: %s has an edge to %q, who is not listed", p.Name, name), "name participants as they are listed")
		case name == p.Name:
			return invalid(fmt.Sprintf("participants: %s has an edge to itself", p.Name), "remove it; whether a token may stay is up to the weights")
		case slices.Contains(p.Edges[:i], name):
			return invalid(fmt.Sprintf("participants: %s has two edges to %s", p.Name, name), "keep one of them")
		case !slices.Contains(s.Participants[v].Edges, p.Name):
			return invalid(fmt.Sprintf("participants: %s has an edge to %s, but %s has none to %s", p.Name, name, name, p.Name),
				"an edge is listed on both sides, or on neither")
		}
	}
	return nil
}

// checkConnected names a participant that the first cannot reach.
func (s *Spec) checkConnected() error {
	reached := map[string]bool{}
	for queue := []string{s.Participants[0].Name}; len(queue) > 0; queue = queue[1:] {
		if !reached[queue[0]] {
			reached[queue[0]] = true
			queue = append(queue, s.Participants[s.Number(queue[0])].Edges...)
		}
	}
	for _, p := range s.Participants {
		if !reached[p.Name] {
			return invalid(fmt.Sprintf("participants: no way of edges leads from %s to %s", s.Participants[0].Name, p.Name), "add an edge between the parts")
		}
	}
	return nil
}
