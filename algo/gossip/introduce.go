package gossip

import (
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Where partners need not be neighbours, everybody's key of the run is signed by its identity and goes from neighbour to
// neighbour: a node passes on each that it hears for the first time. Once it has the keys of all who share secrets it signs
// their digest, which goes the same way. A node begins when all of its partners have signed the digest of the very keys that it
// has: who was shown a key of an earlier run, or another than others were, begins nothing.
//
// Turn w of the lane of agreements is the key of node w, turn nodes + w what node w has signed of all keys.

// Purposes of signatures.
const (
	keyOfRun  = "key of a run"
	keysOfRun = "keys of a run"
)

// window is how many introductions a neighbour is sent before it has confirmed one.
const window = 4

// introductions are what goes from neighbour to neighbour before a node begins.
type introductions struct {
	by      noise.Introduced
	known   map[step.Turn][]float64
	flying  map[step.NodeID][]step.Turn // sent and not confirmed, at most window
	owed    map[step.NodeID][]step.Turn // to be sent then, ascending
	over    bool                        // all are known, and passed on
	differs map[step.NodeID]bool        // who has signed other keys; after a restart it is heard again
	armed   bool                        // a timer runs
}

func newIntroductions(by noise.Introduced) *introductions {
	return &introductions{
		by: by, known: map[step.Turn][]float64{}, flying: map[step.NodeID][]step.Turn{}, owed: map[step.NodeID][]step.Turn{},
		differs: map[step.NodeID]bool{},
	}
}

// Introduce has the machine agree on shared noise with partners who need not be neighbours. It is called before Start or
// Restore.
func (m *Machine) Introduce(by noise.Introduced) { m.agreed, m.intro = by, newIntroductions(by) }

// shares reports whether a node shares a secret with anybody.
func (m *Machine) shares(u step.NodeID) bool {
	nodes, _ := m.p.Pairs.Row(int(u))
	return slices.ContainsFunc(nodes, func(v int32) bool { return step.NodeID(v) != u })
}

// introduce shows this node's own key, and signs all keys once they are known.
func (m *Machine) introduce(out *step.Out) {
	i, n := m.intro, step.Turn(m.p.Nodes)
	if i.over || !m.shares(m.id) {
		m.pass(out)
		return
	}
	if i.known[step.Turn(m.id)] == nil {
		m.learn(step.Turn(m.id), i.by.Signed(keyOfRun, m.agreed.Shown()), m.id)
	}
	if own := n + step.Turn(m.id); i.known[own] == nil && m.haveKeys() {
		m.learn(own, i.by.Signed(keysOfRun, m.digest()), m.id)
	}
	m.pass(out)
}

// have reports whether what all who share secrets say from a turn on is known.
func (m *Machine) have(from step.Turn) bool {
	for u := range step.NodeID(m.p.Nodes) {
		if m.shares(u) && m.intro.known[from+step.Turn(u)] == nil {
			return false
		}
	}
	return true
}

func (m *Machine) haveKeys() bool { return m.have(0) }

// digest is that of all keys that are known, in the order of their nodes.
func (m *Machine) digest() []float64 {
	var keys [][]float64
	for u := range step.Turn(m.p.Nodes) {
		if key := m.intro.known[u]; key != nil {
			keys = append(keys, key[:noise.ShownSize])
		}
	}
	return m.intro.by.Digest(keys)
}

// learn keeps an introduction and owes it to all neighbours but the one it came from.
func (m *Machine) learn(t step.Turn, body []float64, from step.NodeID) {
	m.intro.known[t] = body
	for _, u := range m.neighbours {
		if u != from {
			at, _ := slices.BinarySearch(m.intro.owed[u], t)
			m.intro.owed[u] = slices.Insert(m.intro.owed[u], at, t)
		}
	}
}

// introduced takes what a neighbour passes on. What its node has not signed for this run, and a key of which no secret can
// come, is dropped without an answer.
func (m *Machine) introduced(msg step.Msg, out *step.Out) {
	i, n := m.intro, step.Turn(m.p.Nodes)
	if i == nil || msg.Epoch != 0 || msg.Turn < 0 || msg.Turn >= 2*n || len(msg.Body) != noise.SignedSize || !m.shares(step.NodeID(msg.Turn%n)) {
		return
	}
	switch known := i.known[msg.Turn]; {
	case i.over:
	case known != nil && !slices.Equal(known, msg.Body), known == nil && !m.believes(msg):
		return
	case known == nil:
		m.learn(msg.Turn, msg.Body, msg.From)
	}
	i.arrived(msg.From, msg.Turn)
	out.Msgs = append(out.Msgs, step.Msg{Kind: IntroductionAck, From: m.id, To: msg.From, Turn: msg.Turn, Lane: agreement})
	m.introduce(out)
	m.open(out)
}

// believes reports whether an introduction is its node's, of this run, and fits what this node has.
func (m *Machine) believes(msg step.Msg) bool {
	i, n := m.intro, step.Turn(m.p.Nodes)
	of := step.NodeID(msg.Turn % n)
	switch {
	case of == m.id:
		return false
	case msg.Turn < n:
		return i.by.Vouched(keyOfRun, of, msg.Body) && (!m.sharesWith(of) || m.begun || m.agreed.Agree(of, msg.Body[:noise.ShownSize]))
	case !m.haveKeys() || !i.by.Vouched(keysOfRun, of, msg.Body):
		return false
	}
	i.differs[of] = !slices.Equal(msg.Body[:noise.ShownSize], m.digest())
	return !i.differs[of]
}

// arrived forgets that a neighbour was to be sent an introduction, which it has.
func (i *introductions) arrived(u step.NodeID, t step.Turn) {
	is := func(x step.Turn) bool { return x == t }
	i.flying[u], i.owed[u] = slices.DeleteFunc(i.flying[u], is), slices.DeleteFunc(i.owed[u], is)
}

// pass sends neighbours what they are owed, a window at a time.
func (m *Machine) pass(out *step.Out) {
	i, busy := m.intro, false
	for _, u := range m.neighbours {
		free := min(window-len(i.flying[u]), len(i.owed[u]))
		for _, t := range i.owed[u][:free] {
			m.sendIntroduction(u, t, out)
		}
		i.flying[u], i.owed[u] = append(i.flying[u], i.owed[u][:free]...), i.owed[u][free:]
		busy = busy || len(i.flying[u]) > 0
	}
	switch {
	case busy && !i.armed:
		i.armed = true
		out.Timers = append(out.Timers, step.Timer{Lane: agreement, Delay: retry})
	case !busy && m.begun && m.have(step.Turn(m.p.Nodes)):
		i.over, i.known = true, map[step.Turn][]float64{}
	}
}

func (m *Machine) sendIntroduction(u step.NodeID, t step.Turn, out *step.Out) {
	out.Msgs = append(out.Msgs, step.Msg{Kind: Introduction, From: m.id, To: u, Turn: t, Lane: agreement, Body: slices.Clone(m.intro.known[t])})
}

// passAgain sends what was not confirmed.
func (m *Machine) passAgain(out *step.Out) {
	i := m.intro
	for _, u := range m.neighbours {
		for _, t := range i.flying[u] {
			m.sendIntroduction(u, t, out)
		}
	}
	i.armed = false
	m.pass(out)
}

// Lacks are whom this node waits for before it begins: those whose keys it has not heard, and the partners whose signature of
// all keys it has not heard, or who have signed other keys than it has. Nobody, once it has begun.
func (m *Machine) Lacks() (keys, unsigned, differ []step.NodeID) {
	if m.intro == nil || m.begun || !m.shares(m.id) {
		return nil, nil, nil
	}
	for u := range step.NodeID(m.p.Nodes) {
		switch {
		case m.shares(u) && m.intro.known[step.Turn(u)] == nil:
			keys = append(keys, u)
		case !m.sharesWith(u) || m.intro.known[step.Turn(m.p.Nodes)+step.Turn(u)] != nil:
		case m.intro.differs[u]:
			differ = append(differ, u)
		default:
			unsigned = append(unsigned, u)
		}
	}
	return keys, unsigned, differ
}

// append appends i to a snapshot.
func (i *introductions) append(dst []byte, neighbours []step.NodeID) []byte {
	dst = state.AppendBool(dst, i.over)
	dst = appendUint(dst, len(i.known))
	for _, t := range slices.Sorted(maps.Keys(i.known)) {
		dst = state.AppendFloats(appendUint(dst, int(t)), i.known[t])
	}
	for _, u := range neighbours {
		for _, turns := range [][]step.Turn{i.flying[u], i.owed[u]} {
			dst = appendUint(dst, len(turns))
			for _, t := range turns {
				dst = appendUint(dst, int(t))
			}
		}
	}
	return dst
}

// restore reads what append wrote.
func (i *introductions) restore(r *state.Reader, nodes int, neighbours []step.NodeID) {
	*i = *newIntroductions(i.by)
	i.over = r.Bool()
	turn := func() step.Turn { return step.Turn(r.Uint(math.MaxInt32)) }
	for range r.Uint(uint64(2 * nodes)) {
		t := turn()
		if i.known[t] = r.Floats(); t >= step.Turn(2*nodes) || len(i.known[t]) != noise.SignedSize {
			r.Fail("an introduction is cut off")
		}
	}
	for _, u := range neighbours {
		for _, turns := range []map[step.NodeID][]step.Turn{i.flying, i.owed} {
			for range r.Uint(uint64(2 * nodes)) {
				t := turn()
				if turns[u] = append(turns[u], t); i.known[t] == nil {
					r.Fail("an introduction is missing")
				}
			}
		}
	}
}
