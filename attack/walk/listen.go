package walk

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Updates are what is public of how tokens are updated, by updates from 0: see Turn.
type Updates struct {
	BurnIn, Turns int // turns before the first update, and updates
	Final         bool
	Initial       []float64 // what tokens begin with
	Size          func(update int) float64
	Keep          func(update int, contributed bool) float64
	Noise         func(r step.Release, update int) float64 // in units of the usual noise, whatever that is
}

// A Receipt is what attackers are left with of a sight: what was added in it.
type Receipt struct {
	Sight
	Added []float64
}

// A Listener sees a run as attackers do: tokens when they get them and when they hand them on. Of others' turns it
// notes who held which token, for rows of known paths; what the token was then it does not look at.
type Listener struct {
	Tracks   [][]Turn // by lane, burn-in left out
	Receipts []Receipt

	updates Updates
	attacks func(node int) bool
	lanes   []heard
}

// heard is what attackers last sent of a token.
type heard struct {
	sent  []float64
	from  int
	begin int // first turn of others since
}

// NewListener listens for attackers to a run of so many tokens.
func NewListener(u Updates, tokens int, attacks func(node int) bool) *Listener {
	l := &Listener{Tracks: make([][]Turn, tokens), updates: u, attacks: attacks, lanes: make([]heard, tokens)}
	for k := range l.lanes {
		l.lanes[k] = heard{sent: slices.Clone(u.Initial), from: Nobody}
	}
	return l
}

// See is shown every turn: the release, and the token after it, borrowed.
func (l *Listener) See(r step.Release, token []float64) {
	t := int(r.Turn) - l.updates.BurnIn
	if t < 0 {
		return
	}
	lane := int(r.Lane)
	turn := Turn{Holder: int(r.From), Contributed: r.Contributed, Size: l.updates.Size(t), Keep: l.updates.Keep(t, r.Contributed), Noise: l.updates.Noise(r, t)}
	l.Tracks[lane] = append(l.Tracks[lane], turn)
	h := &l.lanes[lane]
	last := t+1 == l.updates.Turns
	switch {
	case l.attacks(turn.Holder):
		copy(h.sent, token)
		h.from, h.begin = turn.Holder, t+1
	case !last && l.attacks(int(r.To)):
		l.receive(Sight{lane, h.begin, t + 1, h.from, int(r.To)}, token)
	case last && l.updates.Final:
		l.receive(Sight{lane, h.begin, t + 1, h.from, Nobody}, token)
	}
}

// receive subtracts what the token was when it was sent.
func (l *Listener) receive(s Sight, token []float64) {
	carried := 1.0
	for _, turn := range l.Tracks[s.Lane][s.Begin:s.End] {
		carried *= turn.Keep
	}
	added := slices.Clone(token)
	sparse.Axpy(added, -carried, l.lanes[s.Lane].sent)
	l.Receipts = append(l.Receipts, Receipt{s, added})
}

// Along are receipts along a line, from the origin in the direction of a unit vector.
func Along(receipts []Receipt, line []float64) []float64 {
	added := make([]float64, len(receipts))
	for i, r := range receipts {
		added[i] = sparse.Dot(r.Added, line)
	}
	return added
}
