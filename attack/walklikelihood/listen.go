package walklikelihood

import (
	"iter"
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Updates describes the public part of the updates of tokens, counted from 0: see Turn.
type Updates struct {
	BurnIn, Turns int // turns before the first update, and updates
	Final         bool
	Initial       []float64 // the tokens' first values
	Size          func(update int) float64
	Keep          func(update int, contributed bool) float64
	Noise         func(r step.Release, update int) float64 // in units of the usual noise
}

// A Receipt holds the sum that was added to a token during a sight.
type Receipt struct {
	Sight
	Added []float64
	Sent  []float64 // for a sight of one turn: the token that its holder got; else nil
}

// A Recording is a run as sets of attackers see it. It notes the holders of each token in all turns, for rows of known paths. The
// values of a token go only to the sets that send or receive it.
type Recording struct {
	Tracks    [][]Turn // by lane, burn-in left out
	Listeners []*Listener

	updates Updates
	of      [][]int // the sets that a node belongs to
}

// A Listener is one set of attackers. It gets the tokens that its members send and receive.
type Listener struct {
	Attackers []int
	Receipts  []Receipt

	lanes []heard
}

// heard holds the token that attackers last sent.
type heard struct {
	sent  []float64
	from  int
	begin int // first turn of others after that
}

// NewRecording returns a recording of tokens tokens over nodes nodes, with one listener for each set.
func NewRecording(u Updates, nodes, tokens int, sets [][]int) *Recording {
	r := &Recording{Tracks: make([][]Turn, tokens), updates: u, of: make([][]int, nodes)}
	for i, set := range sets {
		l := &Listener{Attackers: set, lanes: make([]heard, tokens)}
		for k := range l.lanes {
			l.lanes[k] = heard{sent: slices.Clone(u.Initial), from: Nobody}
		}
		for _, v := range set {
			r.of[v] = append(r.of[v], i)
		}
		r.Listeners = append(r.Listeners, l)
	}
	return r
}

// See records one turn: its release, and the token after it. See copies the parts of token that it needs.
func (r *Recording) See(release step.Release, token []float64) {
	t := int(release.Turn) - r.updates.BurnIn
	if t < 0 {
		return
	}
	lane, from := int(release.Lane), int(release.From)
	r.Tracks[lane] = append(r.Tracks[lane], r.updates.turn(release))
	for _, i := range r.of[from] {
		h := &r.Listeners[i].lanes[lane]
		copy(h.sent, token)
		h.from, h.begin = from, t+1
	}
	if last := t+1 == r.updates.Turns; !last {
		for _, i := range r.of[release.To] {
			r.receive(i, Sight{Lane: lane, End: t + 1, To: int(release.To)}, token)
		}
	} else if r.updates.Final {
		for i := range r.Listeners {
			r.receive(i, Sight{Lane: lane, End: t + 1, To: Nobody}, token)
		}
	}
}

// turn returns the update of a release.
func (u *Updates) turn(r step.Release) Turn {
	t := int(r.Turn) - u.BurnIn
	return Turn{Holder: int(r.From), Contributed: r.Contributed, Size: u.Size(t), Keep: u.Keep(t, r.Contributed), Noise: u.Noise(r, t)}
}

// Track returns the updates of one token by its releases, without the burn-in.
func (u Updates) Track(releases iter.Seq[step.Release]) (track []Turn) {
	for r := range releases {
		if int(r.Turn) >= u.BurnIn {
			track = append(track, u.turn(r))
		}
	}
	return track
}

// receive ends a sight of a set and subtracts the token that was sent. It does nothing if a member has just handed the token on.
func (r *Recording) receive(set int, s Sight, token []float64) {
	l := r.Listeners[set]
	h := &l.lanes[s.Lane]
	if s.From, s.Begin = h.from, h.begin; s.Begin == s.End {
		return
	}
	carried := 1.0
	for _, turn := range r.Tracks[s.Lane][s.Begin:s.End] {
		carried *= turn.Keep
	}
	receipt := Receipt{Sight: s, Added: slices.Clone(token)}
	sparse.Axpy(receipt.Added, -carried, h.sent)
	if s.Len() == 1 {
		receipt.Sent = slices.Clone(h.sent)
	}
	l.Receipts = append(l.Receipts, receipt)
}
