package gradientinversion

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// The inversion of a gradient of a convolutional network goes from the top down. The slopes of the outputs' constants determine the
// label, and those of the hidden layer's constants are the slopes of its units. The quotient of its weights' slopes and these is its
// input. All are in closed form. The slopes of the features follow, whatever the picture. It remains to find a picture that has these
// features and, with these slopes, the gradient in the convolutions. R-GAP (Zhu and Blaschko 2021) goes on in closed form, which
// pooling prevents. With rectifiers and pooling both are linear in the picture wherever the same units are on. So damped Gauss-Newton
// steps end at the picture to rounding once they have found these units.

// A retrace is such a search, for a picture with given features and sums of slopes.
type retrace struct {
	net            model.ConvNet
	theta          []float64
	features, sums []float64 // that the picture must have
	slopes         []float64 // in the features
	units          [2]float64
	box            *[2]float64
	near           float64
	most           int // largest number of products
	spent          int // products with the map or its transpose, in those of features
}

// The limits of a search that has not found the picture: multiplications, about half a minute, and products at any cost.
const mostWork, mostProducts = 1.5e10, 20_000

// tired reports whether a search has reached a limit.
func (r *retrace) tired() bool {
	p, all := r.net.Picture(), float64(r.net.Convolving())
	return r.spent > r.most || float64(r.spent)*all*float64(p.Rows*p.Columns)/4 > mostWork
}

// The work for a picture: starts, stages of each, alternately by the features alone and with slopes, the largest number of steps of a
// stage, and of products of a step.
const (
	starts, stages, steps, products = 2, 4, 40, 200
	// found is the largest squared residual of a picture that is found.
	found = 1e-18
	// near is the largest residual of a picture that is found as well as an error of the gradient allows.
	near = 1e-3
)

// fromConvolutions returns the picture behind a gradient of a convolutional network.
func (i Inversion) fromConvolutions(gradient []float64, net model.ConvNet) (Point, bool) {
	g, theta := net.Parts(gradient), net.Parts(i.Theta)
	size := net.Features()
	square := sparse.Dot(g[5], g[5])
	if square == 0 {
		return Point{}, false
	}
	r := retrace{net: net, theta: i.Theta, features: make([]float64, size), slopes: make([]float64, size),
		sums: gradient[:net.Convolving()], box: i.Box, most: mostProducts}
	if i.Most > 0 {
		r.most = min(i.Most, mostProducts)
	}
	for j, c := range g[5] { // the least-squares quotient over all units
		sparse.Axpy(r.features, c/square, g[4][j*size:(j+1)*size])
		sparse.Axpy(r.slopes, c, theta[4][j*size:(j+1)*size])
	}
	// Features behind a rectifier are not negative. So a negative one shows the size of the errors, and features up to twice that may
	// be 0.
	if slices.Min(r.features) < 0 {
		r.near = near
	}
	off := 2 * max(0, -slices.Min(r.features))
	for k, v := range r.features {
		if v <= off {
			r.features[k] = 0
		}
	}
	if whole := sparse.Norm(r.features) * sparse.Norm(r.sums); whole == 0 || math.IsNaN(whole) || math.IsInf(whole, 1) {
		return Point{}, false
	}
	r.units = [2]float64{1 / sparse.Norm(r.features), 1 / sparse.Norm(r.sums)}
	x, left := r.search()
	return Point{X: x, Label: model.LabelOf(lowest(g[7]), net.Classes()), Exact: left <= found}, true
}

// search returns the picture of least squared residual over several starts, and the residual.
func (r *retrace) search() (best []float64, least float64) {
	least = math.Inf(1)
	for k := range starts {
		x := r.start(uint64(k))
		for stage := range stages { // alternating, because one can get on where the other is stuck
			before := least
			x = r.descend(x, [2]float64{1, float64(stage % 2)}, steps)
			if left := r.view(x, [2]float64{1, 1}).left; best == nil || left < least {
				best, least = slices.Clone(x), left
			}
			if least <= found || r.tired() || stage > 1 && least <= r.near && least > before/2 {
				return best, least
			}
		}
		if least <= r.near {
			break // the gradient has an error, and another start would end no nearer
		}
	}
	return best, least
}

// start returns a grey picture with a little noise, of the level whose features fit best.
func (r *retrace) start(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	noise := make([]float64, r.net.Picture().Pixels())
	for i := range noise {
		noise[i] = 1 + float64(0.2*step.Normal(rng))
	}
	var best []float64
	least := math.Inf(1)
	for k := -8; k <= 2; k++ {
		for _, sign := range []float64{1, -1} {
			x := make([]float64, len(noise))
			sparse.Axpy(x, math.Ldexp(sign, k), noise)
			r.confine(x)
			if v := r.view(x, [2]float64{1, 0}); v.left < least {
				best, least = x, v.left
			}
		}
	}
	return best
}

func (r *retrace) confine(x []float64) {
	if r.box == nil {
		return
	}
	for i, v := range x {
		x[i] = min(r.box[1], max(r.box[0], v))
	}
}

// A view holds the residual of a picture, relative to the targets, each of the two parts with a weight.
type view struct {
	*retrace
	pass   *model.ConvPass
	scale  [2]float64
	missed []float64
	left   float64 // square of missed
}

func (r *retrace) view(x []float64, weigh [2]float64) *view {
	v := &view{retrace: r, pass: r.net.PassTowards(r.theta, x, r.features), scale: [2]float64{weigh[0] * r.units[0], weigh[1] * r.units[1]}}
	for i, f := range v.pass.Features {
		v.missed = append(v.missed, v.scale[0]*(f-r.features[i]))
	}
	if v.scale[1] > 0 {
		sums := make([]float64, len(r.sums))
		v.pass.Pull(sums, r.slopes)
		for i, s := range sums {
			v.missed = append(v.missed, v.scale[1]*(s-r.sums[i]))
		}
	}
	v.left = sparse.Dot(v.missed, v.missed)
	return v
}

// push returns the derivative of the residual along dx.
func (v *view) push(dx []float64) []float64 {
	out := v.pass.Push(dx)
	v.spent++
	scale(out, v.scale[0])
	if v.scale[1] > 0 {
		sums := v.pass.PushSlopes(v.slopes, dx)
		scale(sums, v.scale[1])
		out = append(out, sums...)
	}
	return out
}

// pull returns the transpose of push times missed.
func (v *view) pull(missed []float64) []float64 {
	n := len(v.features)
	x := v.pass.Pull(nil, divided(missed[:n], 1/v.scale[0]))
	v.spent++
	if v.scale[1] > 0 {
		v.spent += 4 // twice the cost, both ways
		sparse.Axpy(x, 1, v.pass.PullSlopes(v.slopes, divided(missed[n:], 1/v.scale[1])))
	}
	return x
}

// step solves (J'J + damp) d = -J' missed by conjugate gradients, to a relative residual eta.
func (v *view) step(damp, eta float64) []float64 {
	rest := v.pull(v.missed)
	scale(rest, -1)
	d, along := make([]float64, len(rest)), slices.Clone(rest)
	square := sparse.Dot(rest, rest)
	for first, k := square, 0; k < products && square > eta*eta*first; k++ {
		moved := v.pull(v.push(along))
		sparse.Axpy(moved, damp, along)
		by := square / sparse.Dot(along, moved)
		sparse.Axpy(d, by, along)
		sparse.Axpy(rest, -by, moved)
		next := sparse.Dot(rest, rest)
		scale(along, next/square)
		sparse.Axpy(along, 1, rest)
		square = next
	}
	return d
}

// The damping of steps: its first and largest value, its divisor after a step that helped and its factor after one that did not.
const firstDamp, mostDamp, falls, grows = 1e-3, 10, 3, 4

// A stage ends if patience steps reduce the residual by less than the part helps.
const patience, helps = 8, 0.1

// descend takes damped Gauss-Newton steps.
func (r *retrace) descend(x []float64, weigh [2]float64, steps int) []float64 {
	now, damp := r.view(x, weigh), firstDamp
	mark, since := now.left, 0
	for range steps {
		if since++; now.left < mark*(1-helps) {
			mark, since = now.left, 0
		}
		if now.left <= found || damp > mostDamp || since > patience || since > 5 && now.left <= r.near || r.tired() {
			break
		}
		next := slices.Clone(x)
		sparse.Axpy(next, 1, now.step(damp, min(0.1, math.Sqrt(now.left))))
		r.confine(next)
		if there := r.view(next, weigh); there.left < now.left {
			x, now, damp = next, there, damp/falls
		} else {
			damp *= grows
		}
	}
	return x
}
