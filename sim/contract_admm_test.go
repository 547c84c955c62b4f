package sim

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// The contract for ADMM by a token, besides what it is held to among all walks.

// byADMM makes of a proximal walk one whose token carries the mean of variables.
func byADMM(t *rapid.T, p *walk.Protocol) admm.Local {
	l := admm.Local{
		Local: p.Local, Gamma: rapid.SampledFrom([]float64{0.1, 1, 3}).Draw(t, "gamma"), Lambda: rapid.SampledFrom([]float64{0.2, 0.5, 1}).Draw(t, "lambda"),
		Tolerance: 1e-13,
	}
	l.Fill, l.Radius = false, 0
	l.Regulariser = rapid.SampledFrom([]model.Regulariser{
		{}, {Kind: model.L1, Weight: 0.05}, {Kind: model.SquaredL2, Weight: 0.3}, {Kind: model.Box, Low: -0.1, High: 0.05}, {Kind: model.Simplex, Total: 1},
	}).Draw(t, "regulariser")
	l = admm.New(l).Carried(p.Nodes)
	p.Local, p.Keeps, p.Kernel, p.Box = l.Local, true, admm.NewCarrier(l, p.Nodes), l.Box(p.Nodes, p.Steps)
	return l
}

// dumbADMM is a second implementation of the run without noise, by 002 Algorithm 8.4 with
// zhat where it must stand, and the mean taken anew in every turn.
func dumbADMM(w *Walk, l admm.Local, path []step.Release) []float64 {
	p := w.Protocol
	u := make([][]float64, p.Nodes)
	for v := range u {
		u[v] = p.Begin()
	}
	mean := func() []float64 {
		zhat := make([]float64, p.Params)
		for _, own := range u {
			for j := range zhat {
				zhat[j] += own[j] / float64(p.Nodes)
			}
		}
		return zhat
	}
	used := make([]int, p.Nodes)
	for k, r := range path {
		if k < p.BurnIn || p.Cap > 0 && used[r.From] == p.Cap {
			continue
		}
		used[r.From]++
		z := mean()
		l.Regulariser.Prox(z, z, l.Gamma)
		x, ex := make([]float64, p.Params), w.Holdings.Examples(r.From)
		for j := range x {
			x[j] = 2*z[j] - u[r.From][j]
		}
		scale := 0.0
		if ex.Len() > 0 {
			scale = p.ScaleOf(r.From, ex)
		}
		x = dumbProximal(p, ex, scale, l.Gamma, x)
		for j := range x {
			u[r.From][j] += 2 * l.Lambda * (x[j] - z[j])
		}
	}
	return mean()
}

// Without noise the token is the mean that the algorithm in print has.
func TestContractADMMWithoutNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		p := w.Protocol
		p.Objective.Model, p.Proximal, p.Importance, p.EdgeCap, p.Fill, p.After, p.Noise.Clips = model.Logistic{Intercept: true}, true, nil, 0, false, walk.NoiseOnly, nil
		p.Params, p.Initial, p.Noise.Multiplier = 3, slices.Repeat([]float64{0.1}, 3), 0
		l := byADMM(t, p)
		got, path := bulk(rapidT(t), w)
		for j, want := range dumbADMM(w, l, path) {
			if math.Abs(got[j]-want) > 1e-7 {
				t.Fatalf("entry %d of the token is %g, want %g", j, got[j], want)
			}
		}
	})
}

// lasso is coordinate descent on the mean over nodes of half of the mean squared error of their
// rows, and weight times the absolute values.
func lasso(h *Slab, weight float64) []float64 {
	n, theta := len(h.Offsets)-1, make([]float64, h.Features)
	for range 5000 {
		for j := range theta {
			square, pull := 0.0, 0.0
			for v := range n {
				for i := h.Offsets[v]; i < h.Offsets[v+1]; i++ {
					x, share := h.X[i*h.Features:(i+1)*h.Features], 1/float64(n*(h.Offsets[v+1]-h.Offsets[v]))
					left := h.Y[i] + x[j]*theta[j]
					for k := range theta {
						left -= x[k] * theta[k]
					}
					square, pull = square+share*x[j]*x[j], pull+share*x[j]*left
				}
			}
			theta[j] = math.Copysign(math.Max(0, math.Abs(pull)-weight), pull) / square
		}
	}
	return theta
}

// Without noise the token ends at the solution that another solver finds, whatever the
// graph, the visits and lambda: every node's variable is in the mean once.
func TestADMMByATokenFindsTheLASSO(t *testing.T) {
	const n, rows, features, weight = 6, 3, 4, 0.05
	var s step.Stream
	r := s.At(7, 0, 0, 0, step.Data)
	h := &Slab{Features: features, Offsets: []int{0}}
	for range n {
		for range rows {
			y := 0.1 * r.NormFloat64()
			for j := range features {
				x := r.NormFloat64()
				h.X, y = append(h.X, x), y+[]float64{1, -0.5, 0, 0}[j]*x
			}
			h.Y = append(h.Y, y)
		}
		h.Offsets = append(h.Offsets, len(h.Y))
	}
	want := lasso(h, weight)
	line := lazyWalk{{1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4}}
	for _, lambda := range []float64{0.3, 0.5, 0.9} {
		l := admm.New(admm.Local{
			Local: descent.Local{Params: features, Objective: model.Objective{Model: model.Ridge{}}, Noise: noise.Gaussian{Clip: 1e6}},
			Gamma: 1, Lambda: lambda, Tolerance: 1e-17, Regulariser: model.Regulariser{Kind: model.L1, Weight: weight},
		}).Carried(n)
		p := &walk.Protocol{Local: l.Local, Nodes: n, Steps: 40_000, Keeps: true, Kernel: admm.NewCarrier(l, n)}
		p.Box = l.Box(n, p.Steps)
		token, _ := bulk(t, &Walk{Protocol: p, Holdings: h, Choose: line, Seed: 3})
		l.Consensus(token, token)
		if d := distance(token, want); !(d < 1e-10) {
			t.Errorf("lambda %g: ends at %v, the solution is %v, %g away", lambda, token, want, d)
		}
	}
}

// No variable nor token leaves the public box, though noise and gradients push one way.
func TestADMMStaysInItsBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		p := w.Protocol
		p.Objective.Model, p.Proximal, p.Importance, p.Noise.Shares, p.Noise.Clips = model.Absolute{Intercept: true}, true, nil, nil, nil
		p.Params, p.Initial, p.Noise.Multiplier = 3, nil, 0.01
		l := byADMM(t, p)
		if l.Lambda > 0.5 || l.Gamma*l.Objective.L2 > 2 {
			t.Skip("nothing bounds it")
		}
		slab := w.Holdings.(*Slab)
		for i := range slab.Y {
			slab.Y[i] = 1e9
		}
		p.Box = math.Inf(1)
		if _, err := w.Bulk(context.Background(), func(r step.Release, token []float64) {
			if !descent.Within(token, l.Box(p.Nodes, p.Steps)) {
				t.Fatalf("turn %d: the token is %v, beyond %g", r.Turn, token, l.Box(p.Nodes, p.Steps))
			}
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// Where everybody knows the route, a token is taken from who had the turn before, and from nobody
// else; a turn of somebody else is nobody's.
func TestTokensOfAKnownRouteComeFromTheirHolders(t *testing.T) {
	w, graph := pair(10)
	w.Protocol.Holder = func(t step.Turn) step.NodeID { return step.NodeID(t / 2 % 2) } // 0 0 1 1 0 0 ..
	for turn, taken := range map[step.Turn]bool{1: false, 2: true, 3: false, 4: false, 6: true} {
		var out step.Out
		body := make([]float64, w.Protocol.Params)
		w.Machines(graph.neighbours, nil)[1].Step(step.Msg{Kind: walk.Token, From: 0, To: 1, Turn: turn, Body: body}, &out)
		if (len(out.Releases) > 0) != taken {
			t.Errorf("turn %d: %d releases", turn, len(out.Releases))
		}
	}
}

// carrierOn is ADMM by a token on a hypercube of 2^dimension nodes with one row of 8 features each.
func carrierOn(dimension, steps int, m model.Model, regulariser model.Regulariser) *Walk {
	w := logisticOn(dimension, steps)
	slab := w.Holdings.(*Slab)
	for v := range slab.Offsets {
		slab.Offsets[v] = v
	}
	p := w.Protocol
	p.Fill, p.Objective.Model = false, m
	l := admm.New(admm.Local{Local: p.Local, Gamma: 8, Lambda: 0.5, Tolerance: 1e-8, Regulariser: regulariser}).Carried(p.Nodes)
	p.Local, p.Keeps, p.Kernel, p.Box = l.Local, true, admm.NewCarrier(l, p.Nodes), l.Box(p.Nodes, p.Steps)
	return w
}

// A million hops a second on one core is what is asked of these.
func BenchmarkADMMWalkLogistic(b *testing.B) {
	runWalk(b, carrierOn(11, 20_000, model.Logistic{Intercept: true}, model.Regulariser{}))
}

func BenchmarkADMMWalkLASSO(b *testing.B) {
	runWalk(b, carrierOn(11, 20_000, model.Ridge{Intercept: true}, model.Regulariser{Kind: model.L1, Weight: 0.01}))
}
