package gradientinversion

import (
	"math"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// undo undoes a step that is so large that several models may lead to the same, where in truth one does. A step is along z, label times (x, 1),
// so what is looked for is the margin m before it, where keep m - rate |z|^2 slope(m) = z'after. Of a logistic loss, the slope of which is
// steepest at 0 and less and less to both sides, the left side rises, falls between two margins around 0, and rises: one margin has led there if
// z'after is beyond what it is at the further of these. Nil where that is not so, or of another loss.
func (p *peeling) undo(u int, after *numbers, e *entry) *numbers {
	r := p.books[u]
	loss, ok := p.attack.Inversion.Model.(model.Logistic)
	if !ok || !loss.Intercept || !(e.keep > 0) {
		return nil
	}
	z := append(append(make([]float64, 0, p.dim), r.point.X...), 1)
	scale(z, r.label)
	s := &stepped{loss: loss, label: r.label, keep: e.keep, far: e.rate * r.scale * sparse.Dot(z, z),
		most: p.knowledge.protocol.LossClip() / sparse.Norm(z), after: sparse.Dot(z, after.x)}
	off := after.off + float64(e.rate*p.off[u]) + float64(0x1p-52*sparse.Norm(after.x))
	m, ok := s.margin(16 * off * sparse.Norm(z))
	if !ok {
		return nil
	}
	slope, bend := s.slope(m)
	x := divided(after.x, s.keep)
	sparse.Axpy(x, e.rate*r.scale*slope/s.keep, z)
	return &numbers{x, off / s.keep * (1 + s.far*bend/math.Abs(s.keep-float64(s.far*bend)))}
}

// stepped is a step along z as its margin sees it.
type stepped struct {
	loss      model.Logistic
	label     float64
	keep, far float64 // far: step size times the square of z
	most      float64 // slopes are cut to it
	after     float64 // margin after the step
}

// slope is that of a margin, and how it moves.
func (s *stepped) slope(m float64) (slope, bend float64) {
	if slope, bend = s.uncut(m); math.Abs(slope) > s.most {
		slope, bend = math.Copysign(s.most, slope), 0
	}
	return slope, bend
}

func (s *stepped) uncut(m float64) (slope, bend float64) {
	slope, bend = s.loss.Bend(s.label*m, s.label)
	return s.label * slope, bend
}

// ahead is how much further than the margin after the step another margin's step leads.
func (s *stepped) ahead(m float64) float64 {
	slope, _ := s.slope(m)
	return float64(s.keep*m) - float64(s.far*slope) - s.after
}

// margin is the one margin that leads to that after the step, false unless another one misses it by more than so much.
func (s *stepped) margin(clear float64) (float64, bool) {
	steepest, _ := s.slope(-flat)
	low, high := (s.after+float64(s.far*steepest))/s.keep-1, s.after/s.keep+1 // slopes are from that to 0
	if from, to, ok := s.fall(); ok {
		switch {
		case to >= flat-1: // too long a row: it may go on falling from there
			return 0, false
		case s.ahead(from) < -clear:
			low = max(low, to)
		case s.ahead(to) > clear:
			high = min(high, from)
		default:
			return 0, false
		}
	}
	return between(low, high, func(m float64) bool { return s.ahead(m) < 0 }), true
}

// flat is a margin far from which slopes no longer move.
const flat = 64

// fall is from where to where more margin leads to less after the step; false: nowhere.
func (s *stepped) fall() (from, to float64, ok bool) {
	steep := func(m float64) bool {
		_, bend := s.uncut(m)
		return s.keep < s.far*bend
	}
	if !steep(0) {
		return 0, 0, false
	}
	to = between(0, flat, steep)
	from = between(-flat, 0, func(m float64) bool { return !steep(m) })
	if slope, _ := s.uncut(-flat); -slope > s.most { // cut there, up to where slopes are as short as allowed
		from = max(from, between(-flat, flat, func(m float64) bool {
			slope, _ := s.uncut(m)
			return -slope > s.most
		}))
	}
	return from, to, from < to
}

// between is where what holds at low no longer does.
func between(low, high float64, holds func(m float64) bool) float64 {
	for range 200 {
		mid := low + float64((high-low)/2)
		if mid <= low || mid >= high {
			break
		}
		if holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low + float64((high-low)/2)
}
