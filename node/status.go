package node

import (
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// State is the phase that a node is in.
type State string

// The states of a node.
const (
	Waiting State = "waiting" // for all neighbours to agree
	Running State = "running"
	Leaving State = "leaving" // somebody has left for good; neighbours are told
	Ended   State = "ended"   // the run is over, neighbours are still answered
	Stopped State = "stopped" // Run has returned
)

// Status is a node as seen from outside, for `hearsay status`, health checks and tests. It holds no value derived
// from data.
type Status struct {
	Name          string            `json:"name"`
	ID            step.NodeID       `json:"id"`
	State         State             `json:"state"`
	Done          bool              `json:"done"` // this node saw the run end
	Turn          step.Turn         `json:"turn"`
	Turns         step.Turn         `json:"turns"`
	Epoch         uint64            `json:"epoch"`
	Incarnation   uint64            `json:"incarnation"`
	Contributions int               `json:"contributions"`
	Neighbours    []NeighbourStatus `json:"neighbours"`
	Counters      Counters          `json:"counters"`
	Spec          string            `json:"spec"` // hash, in hexadecimal
	Ledger        LedgerStatus      `json:"ledger"`
	Uptime        float64           `json:"uptime_seconds"`
	Quiet         float64           `json:"quiet_seconds"`             // since something of the run last came in or went out; 0 before its begin, after its end and once a participant has left for good
	Silence       float64           `json:"silence_seconds,omitempty"` // time of quiet after which the node stops; 0: it never does
	Waits         string            `json:"waits,omitempty"`           // the reason of a wait, besides single neighbours: keys of the run, or all but those who may be missing
	Error         string            `json:"error,omitempty"`

	progress time.Time // when something of the run last came in or went out, zero while that does not count
}

// NeighbourStatus is a neighbour as this node sees it.
type NeighbourStatus struct {
	Name        string      `json:"name"`
	ID          step.NodeID `json:"id"`
	Connected   bool        `json:"connected"`           // its link is up, and it answers
	Relayed     bool        `json:"relayed,omitempty"`   // messages to it go through a relay
	Agreed      bool        `json:"agreed"`              // its spec is this node's, and it has confirmed that
	Differs     []string    `json:"differs,omitempty"`   // fields of its spec that differ
	Left        string      `json:"left,omitempty"`      // how it has left the run
	Told        bool        `json:"told,omitempty"`      // it has confirmed that somebody has left
	Refused     string      `json:"refused,omitempty"`   // why its ledger is not believed
	Waits       string      `json:"waits,omitempty"`     // why it does not take part yet, or any more
	Without     bool        `json:"without,omitempty"`   // it missed the last step, and the run goes on without it
	Incarnation uint64      `json:"incarnation"`         // how often it has been started
	LastSeen    *time.Time  `json:"last_seen,omitempty"` // when a valid frame came last
	Finished    bool        `json:"finished"`            // it said that it has ended

	lastSeen time.Time
	mute     bool
}

// Counters counts the events of a node since it was started.
type Counters struct {
	Releases  uint64            `json:"releases"`
	Commits   uint64            `json:"commits"`
	Hops      uint64            `json:"hops"`       // messages with a model, sent first
	Repeats   uint64            `json:"repeats"`    // messages with a model, sent again
	FramesIn  uint64            `json:"frames_in"`  // valid ones
	FramesOut uint64            `json:"frames_out"` // handed to a link
	BytesIn   uint64            `json:"bytes_in"`   // of all frames, with their length
	BytesOut  uint64            `json:"bytes_out"`
	Unsent    uint64            `json:"unsent"`  // messages for a neighbour that was not there; they are repeated
	Refused   map[string]uint64 `json:"refused"` // frames by reason
}

// LedgerStatus is the position of the end of the ledger.
type LedgerStatus struct {
	Entries  int64 `json:"entries"`
	Releases int64 `json:"releases"`
}

// connected and agreed count neighbours.
func (s *Status) connected() float64 {
	return s.count(func(v NeighbourStatus) bool { return v.Connected })
}

func (s *Status) agreed() float64 {
	return s.count(func(v NeighbourStatus) bool { return v.Agreed })
}

func (s *Status) count(is func(NeighbourStatus) bool) (count float64) {
	for _, v := range s.Neighbours {
		if is(v) {
			count++
		}
	}
	return count
}

// view is the status that Run's goroutine publishes.
type view struct {
	mu sync.Mutex
	Status
}

// publish updates the view. It must be called by Run's goroutine only.
func (n *Node) publish(s State, err error) {
	v := &n.view
	v.mu.Lock()
	defer v.mu.Unlock()
	v.State, v.Done, v.Epoch, v.Incarnation, v.progress = s, n.done, n.epoch, n.record.incarnation, n.lastProgress()
	if v.Waits = n.lacks(); err != nil {
		v.Error = err.Error()
	}
	if m, ok := n.config.Machine.(interface {
		Turn() step.Turn
		Contributions() int
	}); ok {
		v.Turn, v.Contributions = m.Turn(), m.Contributions()
	}
	head := n.config.Ledger.Head()
	v.Ledger = LedgerStatus{Entries: head.Entries, Releases: head.Releases}
	v.Neighbours = v.Neighbours[:0]
	for _, l := range n.links {
		state := l.status()
		if s != Stopped {
			state.Waits, state.Without, state.mute = n.waitsFor(l), n.without(l.id), n.mute(l)
		}
		v.Neighbours = append(v.Neighbours, state)
	}
}

// status returns the fields of a neighbour's status that need no transport.
func (l *link) status() NeighbourStatus {
	return NeighbourStatus{
		Name: l.name, ID: l.id, Agreed: l.ready(), Differs: l.differs, Refused: l.disowned, Left: l.left, Told: l.told, Incarnation: l.incarnation, lastSeen: l.seen, Finished: l.finished,
	}
}

// Status returns the state of the node after the last event.
func (n *Node) Status() Status {
	n.view.mu.Lock()
	s := n.view.Status
	s.Neighbours = slices.Clone(s.Neighbours)
	n.view.mu.Unlock()
	s.Name, s.ID, s.Turns, s.Spec = n.name(), n.config.Self, n.config.Turns, hex.EncodeToString(n.config.Spec[:])
	s.Uptime, s.Silence = time.Since(n.began).Seconds(), n.config.Silence.Seconds()
	if !s.progress.IsZero() && s.State != Stopped {
		s.Quiet = time.Since(s.progress).Seconds()
	}
	for i := range s.Neighbours {
		v := &s.Neighbours[i]
		v.Connected = s.State != Stopped && !v.mute && n.config.Transport.Connected(v.ID)
		if way, ok := n.config.Transport.(interface{ Relayed(step.NodeID) bool }); ok {
			v.Relayed = v.Connected && way.Relayed(v.ID)
		}
		v.Agreed = v.Agreed && v.Connected
		if !v.lastSeen.IsZero() {
			v.LastSeen = &v.lastSeen
		}
	}
	s.Counters = n.counters()
	return s
}

func (n *Node) counters() Counters {
	t, carried := n.tally, n.config.Transport.Counters()
	c := Counters{
		Releases: t.releases.Load(), Commits: t.commits.Load(), Hops: t.hops.Load(), Repeats: t.repeats.Load(),
		FramesIn: t.framesIn.Load(), FramesOut: t.framesOut.Load(),
		BytesIn: carried.BytesIn, BytesOut: carried.BytesOut, Unsent: t.unsent.Load(), Refused: map[string]uint64{},
	}
	for reason, count := range t.refused {
		if refused := count.Load(); refused > 0 {
			c.Refused[reason] = refused
		}
	}
	return c
}
