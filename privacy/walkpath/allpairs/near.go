package allpairs

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// lanes is the number of observers that are followed at once, for one node.
const lanes = tile.Width

// Lanes is the number of observers in a block of a Plan. The last block may have fewer.
const Lanes = lanes

// A vector holds one number for each observer.
type vector = [lanes]float64

// gapLaws holds laws of the time after a visit to u: of the next visit to u or v if it is to u, of that if it
// is to v, and of the first visit to v.
type gapLaws struct{ back, hit, pass law }

// A law holds a probability for each turn up to near and each lane.
type law [(near + 1) * lanes]float64

func (l *law) at(t int) *vector { return (*vector)(l[t*lanes:]) }

// A visited holds, for each number of turns up to near, the probability that a token from u, or from one of the
// observers, is at u or at that observer.
type visited struct {
	uu     [near + 1]float64
	uv, vu [near + 1]vector
	vv     [near + 1]vector
}

// follow solves the equations of renewal
//
//	uu = 1 + back * uu + hit * vu,    uv = back * uv + hit * vv,
//
// and sums passages from u to v. The rounding error of a difference is in proportion to its terms; shift adds
// it.
func (l *gapLaws) follow(p *visited) {
	*l = gapLaws{}
	for t := 1; t <= near; t++ {
		var back, hit vector
		for k := 1; k < t; k++ {
			uu, b, h, uv, vu, vv := p.uu[t-k], l.back.at(k), l.hit.at(k), &p.uv[t-k], &p.vu[t-k], &p.vv[t-k]
			for i := range back {
				back[i] += float64(b[i]*uu) + float64(h[i]*vu[i])
				hit[i] += float64(b[i]*uv[i]) + float64(h[i]*vv[i])
			}
		}
		pass := l.pass.at(t)
		for k := 1; k < t; k++ {
			b, q := l.back.at(k), l.pass.at(t-k)
			for i := range pass {
				pass[i] += float64(b[i] * q[i])
			}
		}
		b, h := l.back.at(t), l.hit.at(t)
		for i := range back {
			b[i] = max(0, p.uu[t]-back[i])
			h[i] = max(0, p.uv[t][i]-hit[i])
			pass[i] += h[i]
		}
	}
}

// atoms holds the gaps that near ones are rounded to, with their mean kept.
type atoms struct {
	gaps  []int
	lower [near + 1]int     // index of the atom at or below a gap
	share [near + 1]float64 // the share that goes to the next atom
}

// newAtoms returns atoms that grow by a factor of growth from one to the next.
func newAtoms(growth float64) *atoms {
	a := &atoms{gaps: []int{1}}
	for last := 1; last < near; {
		last = min(near, max(last+1, int(float64(last)*growth)))
		a.gaps = append(a.gaps, last)
	}
	for i, g := range a.gaps {
		for d := g; d <= near; d++ {
			a.lower[d], a.share[d] = i, 0
			if i+1 < len(a.gaps) && d < a.gaps[i+1] {
				a.share[d] = float64(d-g) / float64(a.gaps[i+1]-g)
			}
		}
	}
	return a
}

// round rounds a law of gaps to atoms.
func (a *atoms) round(to []vector, of *law) {
	for c := range to {
		to[c] = vector{}
	}
	for t := 1; t <= near; t++ {
		c, up := a.lower[t], a.share[t]
		for i, p := range of.at(t) {
			to[c][i] += float64(p * (1 - up))
			if up > 0 {
				to[c+1][i] += float64(p * up)
			}
		}
	}
}

// shift adds the rounding error of the differences that gave each law.
func (l *gapLaws) shift(p *visited, rounding float64) {
	for t := 1; t <= near; t++ {
		r := float64(t) * rounding
		back, hit, pass, uv := l.back.at(t), l.hit.at(t), l.pass.at(t), &p.uv[t]
		for i := range lanes {
			back[i] += float64(r * p.uu[t])
			hit[i] += float64(r * uv[i])
			pass[i] += float64(r * uv[i])
		}
	}
}

// A transformer computes Laplace transforms of laws of gaps, at several rates.
type transformer struct {
	powers [][]float64 // for Width rates each: [t*Width+j]
	sums   []tile.Tile
}

func newTransformer(x []float64) *transformer {
	f := &transformer{sums: make([]tile.Tile, (len(x)+tile.Width-1)/tile.Width)}
	for range f.sums {
		f.powers = append(f.powers, make([]float64, (near+1)*tile.Width))
	}
	for j, rate := range x {
		for t := range near + 1 {
			f.powers[j/tile.Width][t*tile.Width+j%tile.Width] = math.Exp(-rate * float64(t))
		}
	}
	return f
}

// of sets to to the transforms of a law at every rate.
func (f *transformer) of(to []vector, gaps *law) {
	for i, powers := range f.powers {
		tile.Cross(&f.sums[i], powers, gaps[:])
	}
	for j := range to {
		to[j] = *row(&f.sums[j/tile.Width], j%tile.Width)
	}
}

// thin turns gaps between visits into gaps between contributions, if a holder skips a turn with probability
// skip: a return to u that was skipped goes on from there. Values that rounding left below 0 become 0.
func (l *gapLaws) thin(skip, rounding float64) {
	if skip == 0 {
		return
	}
	visits := l.back
	for t := 1; t <= near; t++ {
		back, hit := l.back.at(t), l.hit.at(t)
		for i := range back {
			back[i] = max(0, back[i]) * (1 - skip)
			hit[i] = max(0, hit[i])
		}
		for k := 1; k < t; k++ {
			b, h, again := l.back.at(t-k), l.hit.at(t-k), visits.at(k)
			for i, p := range again {
				p = max(0, p) * skip
				back[i] += float64(p * b[i])
				hit[i] += float64(p * h[i])
			}
		}
		for i := range back {
			back[i] *= rounding
			hit[i] *= rounding
		}
	}
}

// thinRounding bounds the relative rounding error of thin in a turn.
const thinRounding = 1e-14
