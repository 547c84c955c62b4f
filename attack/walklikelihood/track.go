package walklikelihood

// A Turn is one update of a token. Without Contributed the contribution is 0:
//
//	token <- Keep token + Size (contribution + Noise z),    z standard Gaussian.
type Turn struct {
	Holder      int
	Contributed bool
	Size        float64
	Keep        float64
	Noise       float64 // in units of the usual noise
}

// A Sight is a stretch in which no attacker holds the token: the turns Begin..End-1 of a track, at least
// one.
type Sight struct {
	Lane       int // index of the token
	Begin, End int
	From, To   int // attackers who handed it over and got it; Nobody: it started, or its last value is public
}

// Nobody stands for no attacker.
const Nobody = -1

// Len returns the number of others' turns.
func (s Sight) Len() int { return s.End - s.Begin }

// Sights returns the sights of one track whose end attackers see. If final is set, everybody sees the end
// of the last turn.
func Sights(track []Turn, lane int, final bool, attacks func(node int) bool) (all []Sight) {
	from, begin := Nobody, 0
	for t, turn := range track {
		if !attacks(turn.Holder) {
			continue
		}
		if begin < t {
			all = append(all, Sight{lane, begin, t, from, turn.Holder})
		}
		from, begin = turn.Holder, t+1
	}
	if final && begin < len(track) {
		all = append(all, Sight{lane, begin, len(track), from, Nobody})
	}
	return all
}

// weigh sets w[j] to the weight, at the end of a sight, of a unit added in turn Begin+j. It returns the
// weight of a unit of the token that was sent.
func weigh(w []float64, turns []Turn) float64 {
	carried := 1.0
	for j := len(turns) - 1; j >= 0; j-- {
		w[j] = turns[j].Size * carried
		carried *= turns[j].Keep
	}
	return carried
}

// A Row is a sight with a known path. The added sum is the sum over nodes of coefficients times
// contributions, and noise.
type Row struct {
	Sight
	Nodes        []int     // that contributed, ascending
	Coefficients []float64 // of what each contributed
	Variance     float64   // of the noise, in units of the usual noise's
	Carried      float64   // weight of the token that was sent
}

// A Board makes rows of sights of one track. It keeps scratch memory and is not safe for concurrent use.
type Board struct {
	track   []Turn
	weights []float64
	shift   []float64 // by node
	touched []int
}

// NewBoard returns a board for a track over nodes nodes.
func NewBoard(track []Turn, nodes int) *Board {
	return &Board{track: track, weights: make([]float64, len(track)), shift: make([]float64, nodes)}
}

// add adds up a sight in shift and touched. It returns the variance and the weight of the sent token.
func (b *Board) add(s Sight) (variance, carried float64) {
	turns := b.track[s.Begin:s.End]
	w := b.weights[:len(turns)]
	carried = weigh(w, turns)
	for j, turn := range turns {
		variance += float64((w[j] * turn.Noise) * (w[j] * turn.Noise))
		if !turn.Contributed {
			continue
		}
		if b.shift[turn.Holder] == 0 {
			b.touched = append(b.touched, turn.Holder)
		}
		b.shift[turn.Holder] += w[j]
	}
	return variance, carried
}

func (b *Board) clear() {
	for _, u := range b.touched {
		b.shift[u] = 0
	}
	b.touched = b.touched[:0]
}
