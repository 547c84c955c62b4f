package gossip

import (
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Where partners need not be neighbours, every node's key of the run is signed by its identity and forwarded from
// neighbour to neighbour. A node forwards each key that it hears for the first time. Once it has the keys of all
// nodes that share secrets it signs their digest, which is forwarded in the same way. A node begins when all of
// its partners have signed the digest of exactly the keys that it has. A node that was shown a key of an earlier
// run, or another key than others were, never begins.
//
// In the lane of agreements, turn w is the key of node w, and turn nodes + w is the signature of node w on all
// keys.

// keyOfRun and keysOfRun are the purposes of signatures.
const (
	keyOfRun  = "key of a run"
	keysOfRun = "keys of a run"
)

// window is the largest number of unconfirmed introductions per neighbour.
const window = 4

// introductions is the state of the introductions that are forwarded before a node begins.
type introductions struct {
	by      noise.Introduced
	known   map[step.Turn][]float64
	flying  map[step.NodeID][]step.Turn // sent and not confirmed, at most window
	owed    map[step.NodeID][]step.Turn // to be sent after those, ascending
	over    bool                        // all are known and forwarded
	differs map[step.NodeID]bool        // nodes that have signed other keys; not kept, because they are heard again after a restart
	armed   bool                        // a timer runs
}

func newIntroductions(by noise.Introduced) *introductions {
	return &introductions{
		by: by, known: map[step.Turn][]float64{}, flying: map[step.NodeID][]step.Turn{}, owed: map[step.NodeID][]step.Turn{},
		differs: map[step.NodeID]bool{},
	}
}

// Introduce sets the agreement on shared noise if partners need not be neighbours. It must be called before Start
// or Restore.
func (m *Machine) Introduce(by noise.Introduced) { m.agreed, m.intro = by, newIntroductions(by) }

// shares reports whether a node shares a secret with anybody.
func (m *Machine) shares(u step.NodeID) bool {
	nodes, _ := m.p.Pairs.Row(int(u))
	return slices.ContainsFunc(nodes, func(v int32) bool { return step.NodeID(v) != u })
}

// introduce adds this node's own key, signs all keys once they are known, and sends neighbours the introductions
// that are due.
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

// have reports whether all nodes that share secrets have an introduction at turns from and later: keys at 0,
// signatures at nodes.
func (m *Machine) have(from step.Turn) bool {
	for u := range step.NodeID(m.p.Nodes) {
		if m.shares(u) && m.intro.known[from+step.Turn(u)] == nil {
			return false
		}
	}
	return true
}

func (m *Machine) haveKeys() bool { return m.have(0) }

// digest returns the digest of all known keys, in the order of their nodes.
func (m *Machine) digest() []float64 {
	var keys [][]float64
	for u := range step.Turn(m.p.Nodes) {
		if key := m.intro.known[u]; key != nil {
			keys = append(keys, key[:noise.ShownSize])
		}
	}
	return m.intro.by.Digest(keys)
}

// learn keeps an introduction and queues it for all neighbours except the one it came from.
func (m *Machine) learn(t step.Turn, body []float64, from step.NodeID) {
	m.intro.known[t] = body
	for _, u := range m.neighbours {
		if u != from {
			at, _ := slices.BinarySearch(m.intro.owed[u], t)
			m.intro.owed[u] = slices.Insert(m.intro.owed[u], at, t)
		}
	}
}

// introduced takes an introduction that a neighbour forwards. It drops, without an answer, an introduction that
// its node has not signed for this run, and a key from which no secret can be derived.
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

// believes reports whether an introduction is signed by its node for this run and consistent with this node's
// keys.
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

// arrived removes an introduction from those to be sent to u, because u has it.
func (i *introductions) arrived(u step.NodeID, t step.Turn) {
	is := func(x step.Turn) bool { return x == t }
	i.flying[u], i.owed[u] = slices.DeleteFunc(i.flying[u], is), slices.DeleteFunc(i.owed[u], is)
}

// pass sends neighbours the introductions queued for them, at most a window at a time.
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

// passAgain repeats the introductions that were not confirmed.
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

// Lacks returns the nodes that this node waits for before it begins. keys are those whose keys it has not heard.
// unsigned are the partners whose signature of all keys it has not heard. differ are the partners that signed
// other keys than it has. All are nil once it has begun.
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

// restore reads the state that append wrote.
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
