package allpairs

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Plan holds the data that all pairs of a walk share. It is prepared in three rounds: Invert for every rate,
// Diagonal for every block of observers, then Start. The parts of a round are independent and may run in
// goroutines. Block then computes moments.
type Plan struct {
	walk      Walk
	backwards *sparse.Matrix // the transpose of W, W itself if it is symmetric
	x         []float64
	rule      *rule
	greens    []*green
	diagonal  [near + 1][]float64 // (W^t)_uu
	met       []float64           // bounds the probability that the token comes to u
	rounding  float64
}

// NewPlan checks a walk and tabulates the data that depend on its length and cap only.
func NewPlan(w Walk) (*Plan, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	p := &Plan{walk: w, backwards: w.W, x: rates(w.Turns)}
	if !w.W.Symmetric(0) {
		p.backwards = w.W.Transpose()
	}
	entries := 0
	for i := range w.W.N {
		entries = max(entries, w.W.Offsets[i+1]-w.W.Offsets[i], p.backwards.Offsets[i+1]-p.backwards.Offsets[i])
	}
	p.rounding = float64(entries+16) * 0x1p-50
	p.rule = newRule(w.W.N, w.Cap, w.Turns, p.x)
	p.greens = make([]*green, len(p.x))
	for t := range p.diagonal {
		p.diagonal[t] = make([]float64, w.W.N)
	}
	return p, nil
}

// Rates returns the number of parts of Invert.
func (p *Plan) Rates() int { return len(p.x) }

// Invert computes Green's functions at one rate.
func (p *Plan) Invert(j int) (err error) {
	p.greens[j], err = newGreen(p.walk.W, p.x[j])
	return err
}

// Blocks returns the number of parts of Diagonal and Block.
func (p *Plan) Blocks() int { return (p.walk.W.N + lanes - 1) / lanes }

// observers returns the observers of a block. If there are fewer than lanes, the last one is repeated.
func (p *Plan) observers(block int) (list [lanes]int, count int) {
	count = min(lanes, p.walk.W.N-block*lanes)
	for i := range list {
		list[i] = block*lanes + min(i, count-1)
	}
	return list, count
}

// Diagonal computes the probabilities that the token is back at the observers of a block after each number of
// turns.
func (p *Plan) Diagonal(block int) {
	list, count := p.observers(block)
	p.moves(p.walk.W, list, func(t int, at []float64) {
		for i, v := range list[:count] {
			p.diagonal[t][v] = at[v*lanes+i]
		}
	})
}

// moves calls show with (w^t)_uv for t = 0..near as at[u*lanes+i], where v is the i-th observer.
func (p *Plan) moves(w *sparse.Matrix, list [lanes]int, show func(t int, at []float64)) {
	n := w.N
	at, next := make([]float64, n*lanes), make([]float64, n*lanes)
	for i, v := range list {
		at[v*lanes+i] = 1
	}
	show(0, at)
	for t := 1; t <= near; t++ {
		w.MulBlock(next, at, lanes)
		at, next = next, at
		show(t, at)
	}
}

// Start bounds the probability that the token ever comes to each node, by 1 and by exp(x T) E exp(-x t), where
// t is the time of the first visit.
func (p *Plan) Start() {
	n := p.walk.W.N
	p.met = make([]float64, n)
	for u := range p.met {
		p.met[u] = 1
	}
	row := make([]float64, n)
	for _, g := range p.greens[1:] {
		clear(row)
		for i, s := range p.walk.Start {
			if s > 0 {
				sparse.Axpy(row, s, g.z[i*n:(i+1)*n])
			}
		}
		growth := math.Exp(g.x * float64(p.walk.Turns-1))
		if math.IsInf(growth, 1) {
			continue
		}
		for u := range p.met {
			a := float64(g.odds * g.rho[u])
			slack := float64(g.error * (1 + g.odds))
			if come := (a + row[u] + slack) / (a + g.z[u*n+u] - slack); come >= 0 && come*growth < p.met[u] {
				p.met[u] = float64(come * growth * (1 + 1e-12))
			}
		}
	}
}

// Block passes to found the bounds of E V^k, k = 1..Orders, from every node u to the observers of a block. The
// entry moments[i*Orders+k-1] is for the i-th of count observers from first on. The values for u = v are
// undefined. The slice is reused for the next u.
func (p *Plan) Block(block int, found func(u, first, count int, moments []float64)) {
	list, count := p.observers(block)
	n := p.walk.W.N
	var to, from [near + 1][]float64
	p.moves(p.walk.W, list, func(t int, at []float64) { to[t] = append([]float64(nil), at...) })
	from = to
	if p.backwards != p.walk.W {
		p.moves(p.backwards, list, func(t int, at []float64) { from[t] = append([]float64(nil), at...) })
	}
	var at visited
	for t := range at.vv {
		for i, v := range list {
			at.vv[t][i] = p.diagonal[t][v]
		}
	}
	f, c := p.newFollower(), newClusterer(p.rule, len(p.x))
	slack := 1 + 1e-11 + float64(5e-14*float64(p.walk.Cap)) // more than the rounding error
	var result panel
	moments := make([]float64, count*Orders)
	for u := range n {
		for t := range at.uu {
			at.uu[t] = p.diagonal[t][u]
			copy(at.uv[t][:], to[t][u*lanes:])
			copy(at.vu[t][:], from[t][u*lanes:])
		}
		f.follow(&at, u, list)
		c.moments(&f.gaps, &result)
		for i := range count {
			factorial := p.met[u] * slack
			for k := 1; k < order; k++ {
				factorial *= float64(k)
				moments[i*Orders+k-1] = factorial * result[k*lanes+i]
			}
		}
		found(u, block*lanes, count, moments)
	}
}

// A follower computes the gaps of pairs.
type follower struct {
	*Plan
	raw, laws       gapLaws
	transformer     *transformer
	back, hit, pass []vector // lower bounds of the transforms of near gaps
	gaps
}

func (p *Plan) newFollower() *follower {
	f := &follower{Plan: p, transformer: newTransformer(p.x)}
	for _, near := range []*[]vector{&f.gaps.back, &f.gaps.hit, &f.gaps.pass} {
		*near = make([]vector, len(p.rule.joins))
	}
	for _, far := range []*[]vector{&f.back, &f.hit, &f.pass, &f.nearBack, &f.farBack, &f.farHit, &f.farPass} {
		*far = make([]vector, len(p.x))
	}
	return f
}

// follow computes the gaps of u and the observers.
func (f *follower) follow(at *visited, u int, list [lanes]int) {
	l, raw := &f.laws, &f.raw
	raw.follow(at)
	*l = *raw
	l.shift(at, f.rounding)
	l.thin(f.walk.Skip, 1+thinRounding)
	f.rule.atoms.round(f.gaps.back, &l.back)
	f.rule.atoms.round(f.gaps.hit, &l.hit)
	f.rule.atoms.round(f.gaps.pass, &l.pass)
	f.transformer.of(f.nearBack, &l.back)
	*l = *raw
	l.shift(at, -f.rounding)
	l.thin(f.walk.Skip, 1-thinRounding)
	f.transformer.of(f.back, &l.back)
	f.transformer.of(f.hit, &l.hit)
	f.transformer.of(f.pass, &l.pass)
	n := f.walk.W.N
	for j, g := range f.greens {
		back, hit, pass := &f.back[j], &f.hit[j], &f.pass[j]
		uu, p := g.z[u*n+u], g.rho[u]
		row := g.z[u*n : (u+1)*n]
		for i, v := range list {
			pair := unknown
			if u != v {
				pair = g.between(uu, g.z[v*n+v], row[v], g.z[v*n+u], p, g.rho[v]).thinned(f.walk.Skip)
			}
			f.farBack[j][i] = max(0, pair.back-back[i]) + pair.backError
			f.farHit[j][i] = max(0, pair.hit-hit[i]) + pair.hitError
			f.farPass[j][i] = max(0, pair.pass-pass[i]) + pair.passError
		}
	}
}
