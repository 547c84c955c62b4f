package scatter

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// A plane of the simple implementation: rows of pixels.
type plane [][]float64

// wave is a Morlet wavelet at a point of the infinite plane, less its mean; without a wave it is the Gaussian of low.
type wave func(x, y float64) (gauss float64, w complex128)

func morletWave(j, angle, angles int) wave {
	return func(x, y float64) (float64, complex128) {
		theta := float64(int(float64(angles)-float64(angles)/2-1)-angle) * math.Pi / float64(angles)
		u, v := math.Cos(theta)*x+math.Sin(theta)*y, math.Cos(theta)*y-math.Sin(theta)*x
		sigma, slant := 0.8*math.Pow(2, float64(j)), 4/float64(angles)
		gauss := slant / (2 * math.Pi * sigma * sigma) * math.Exp(-(u*u+slant*slant*v*v)/(2*sigma*sigma))
		return gauss, complex(gauss, 0) * cmplx.Exp(complex(0, 3*math.Pi/4*math.Pow(2, -float64(j))*u))
	}
}

// wound sums a wave over the turns of a padded plane, and takes its mean away if that is wanted.
func wound(w wave, height, width int, centred bool) [][]complex128 {
	out, gauss := make([][]complex128, height), make([][]float64, height)
	var sum complex128
	var all float64
	for r := range height {
		out[r], gauss[r] = make([]complex128, width), make([]float64, width)
		for c := range width {
			for i := -3; i <= 3; i++ {
				for j := -3; j <= 3; j++ {
					g, v := w(float64(r+i*height), float64(c+j*width))
					out[r][c], gauss[r][c] = out[r][c]+v, gauss[r][c]+g
				}
			}
			sum, all = sum+out[r][c], all+gauss[r][c]
		}
	}
	for r := range height {
		for c := range width {
			if centred {
				out[r][c] -= sum * complex(gauss[r][c]/all, 0)
			}
		}
	}
	return out
}

// convolved is the modulus of a convolution on the wound plane, for every pixel.
func convolved(x plane, w [][]complex128) plane {
	height, width := len(x), len(x[0])
	out := make(plane, height)
	for r := range out {
		out[r] = make([]float64, width)
		for c := range out[r] {
			var re, im float64
			for i := range height {
				row := w[(r-i+height)%height]
				for j, v := range x[i] {
					k := c - j
					if k < 0 {
						k += width
					}
					re, im = re+v*real(row[k]), im+v*imag(row[k])
				}
			}
			out[r][c] = math.Hypot(re, im)
		}
	}
	return out
}

// definition is the transform of one plane before it is normalised, by sums over pixels.
func definition(x plane, scales, angles int) (out []float64) {
	border, height, width := 1<<scales, len(x), len(x[0])
	padded := make(plane, height+2*border)
	for r := range padded {
		padded[r] = make([]float64, width+2*border)
		for c := range padded[r] {
			a, b := r-border, c-border
			if a = max(a, -a); a >= height {
				a = 2*height - 2 - a
			}
			if b = max(b, -b); b >= width {
				b = 2*width - 2 - b
			}
			padded[r][c] = x[a][b]
		}
	}
	sigma := 0.8 * math.Pow(2, float64(scales-1))
	blur := wound(func(x, y float64) (float64, complex128) {
		g := math.Exp(-(x*x+y*y)/(2*sigma*sigma)) / (2 * math.Pi * sigma * sigma)
		return g, complex(g, 0)
	}, len(padded), len(padded[0]), false)
	low := func(u plane) {
		for r := border; r < border+height; r += border {
			for c := border; c < border+width; c += border {
				sum := 0.0
				for i := range u {
					for j, v := range u[i] {
						sum += v * real(blur[(r-i+len(u))%len(u)][(c-j+len(u[0]))%len(u[0])])
					}
				}
				out = append(out, sum)
			}
		}
	}
	low(padded)
	var wavelets [][][]complex128
	for i := range scales * angles {
		wavelets = append(wavelets, wound(morletWave(i/angles, i%angles, angles), len(padded), len(padded[0]), true))
	}
	var first []plane
	for _, w := range wavelets {
		first = append(first, convolved(padded, w))
		low(first[len(first)-1])
	}
	for a, u := range first {
		for b := (a/angles + 1) * angles; b < len(wavelets); b++ {
			low(convolved(u, wavelets[b]))
		}
	}
	return out
}

func draw(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

// raw is Apply without what normalises.
func raw(t *Transform, src []float64, rows, workers int) []float64 {
	dst := make([]float64, rows*t.Size())
	t.each(dst, src, rows, workers, func([]float64) {})
	return dst
}

func prepared(tb testing.TB, shape Shape, scales, angles int) *Transform {
	tb.Helper()
	t, err := New(shape, scales, angles)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// Two programs that share nothing agree: Fourier transforms, and sums over pixels.
func TestTransformIsThatOfTheDefinition(t *testing.T) {
	for _, c := range []struct {
		shape          Shape
		scales, angles int
		long           bool
	}{
		{shape: Shape{1, 3, 4}, scales: 1, angles: 1}, // 7 x 8, a prime and a power of 2
		{shape: Shape{2, 7, 5}, scales: 1, angles: 3},
		{shape: Shape{1, 8, 6}, scales: 2, angles: 4},
		{shape: Shape{3, 7, 12}, scales: 2, angles: 5},              // 15 x 20
		{shape: Shape{1, 9, 14}, scales: 3, angles: 2},              // 25 x 30
		{shape: Shape{1, 28, 28}, scales: 2, angles: 8, long: true}, // digits
	} {
		if c.long && testing.Short() {
			continue
		}
		transform, size := prepared(t, c.shape, c.scales, c.angles), c.shape.Planes*c.shape.Height*c.shape.Width
		rows := 10
		src := draw(7, rows*size)
		got := raw(transform, src, rows, 2)
		for _, row := range []int{0, 9} {
			var want []float64
			for p := range c.shape.Planes {
				x := make(plane, c.shape.Height)
				for r := range x {
					x[r] = src[row*size+(p*c.shape.Height+r)*c.shape.Width:][:c.shape.Width]
				}
				want = append(want, definition(x, c.scales, c.angles)...)
			}
			if len(want) != transform.Size() {
				t.Fatalf("%+v has %d features, want %d", c, transform.Size(), len(want))
			}
			for i, v := range want {
				if d := math.Abs(got[row*len(want)+i] - v); !(d < 1e-9) {
					t.Fatalf("%+v: feature %d of row %d is off by %g", c, i, row, d)
				}
			}
		}
	}
}

// Every kernel gives the same bits, for every number of workers, and a row the same beside any others.
func TestFeaturesOfARowAreTheSameBitsAnyhow(t *testing.T) {
	for _, c := range []struct {
		shape          Shape
		scales, angles int
	}{{Shape{1, 28, 28}, 2, 8}, {Shape{3, 7, 10}, 1, 3}, {Shape{1, 12, 9}, 3, 2}} {
		rows, size := 150, c.shape.Planes*c.shape.Height*c.shape.Width
		if c.scales == 2 || testing.Short() {
			rows = 20 // plain loops take 5 ms a digit
		}
		src := draw(3, rows*size)
		var want []float64
		eachKernel(func() {
			transform := prepared(t, c.shape, c.scales, c.angles)
			got := make([]float64, rows*transform.Size())
			transform.Apply(got, src, rows, 3)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v: kernels differ", c)
			}
		})
		transform := prepared(t, c.shape, c.scales, c.angles)
		for _, cut := range [][2]int{{0, rows}, {0, 1}, {5, 14}, {rows - 3, rows}} {
			got := make([]float64, (cut[1]-cut[0])*transform.Size())
			transform.Apply(got, src[cut[0]*size:cut[1]*size], cut[1]-cut[0], 1)
			if !slices.Equal(got, want[cut[0]*transform.Size():cut[1]*transform.Size()]) {
				t.Errorf("%+v: rows %v are other features on their own", c, cut)
			}
		}
	}
}

// A picture of zeros, with a spot of noise well inside, that moves by 2^scales pixels moves its features by one.
func TestAShiftedPictureHasShiftedFeatures(t *testing.T) {
	const side, spot, scales = 64, 4, 2
	transform := prepared(t, Shape{1, side, side}, scales, 4)
	noise := draw(5, spot*spot)
	put := func(row, column int) []float64 {
		x := make([]float64, side*side)
		for i, v := range noise {
			x[(row+i/spot)*side+column+i%spot] = v
		}
		return raw(transform, x, 1, 1)
	}
	kept := side >> scales
	a, b := put(28, 28), put(32, 24)
	for i, v := range a {
		row, column := i/kept%kept, i%kept
		if row > 2 && row < kept-3 && column > 2 && column < kept-3 && math.Abs(v-b[i+kept-1]) > 1e-9 {
			t.Fatalf("feature %d of channel %d is %g, shifted %g", i%(kept*kept), i/(kept*kept), v, b[i+kept-1])
		}
	}
}

// A square that is turned by a right angle has turned channels, of wavelets half of all angles on. Pixels 0, 4, ..., 16 of 17, which
// are kept, turn into each other.
func TestATurnedPictureHasTurnedFeatures(t *testing.T) {
	const side, scales, angles = 17, 2, 4
	transform := prepared(t, Shape{1, side, side}, scales, angles)
	x, turned := draw(6, side*side), make([]float64, side*side)
	for i, v := range x {
		turned[(side-1-i%side)*side+i/side] = v
	}
	a, b := raw(transform, x, 1, 1), raw(transform, turned, 1, 1)
	kept := transform.down.count
	turn := func(wavelet int) int { return wavelet/angles*angles + (wavelet%angles+angles/2)%angles }
	for channel := range transform.channels {
		to := channel
		switch first := scales * angles; {
		case channel > first: // one pair of scales
			pair := channel - 1 - first
			to = 1 + first + turn(pair/angles)*angles + (pair%angles+angles/2)%angles
		case channel > 0:
			to = 1 + turn(channel-1)
		}
		for i := range kept * kept {
			v, w := a[channel*kept*kept+i], b[to*kept*kept+(kept-1-i%kept)*kept+i/kept]
			if math.Abs(v-w) > 1e-9 {
				t.Fatalf("entry %d of channel %d is %g, turned %g in channel %d", i, channel, v, w, to)
			}
		}
	}
}

// Before they are normalised features scale with the picture. Where nothing varies only order 0 is not 0.
func TestFeaturesScaleAndConstantsHaveNone(t *testing.T) {
	transform := prepared(t, Shape{1, 12, 16}, 2, 8)
	x, constant := draw(8, 12*16), make([]float64, 12*16)
	larger := slices.Clone(x)
	for i := range x {
		larger[i] *= -4
		constant[i] = 2
	}
	a, b, c := raw(transform, x, 1, 1), raw(transform, larger, 1, 1), raw(transform, constant, 1, 1)
	for i, v := range a {
		factor, want := 4.0, 0.0
		if i < transform.pixel {
			factor, want = -4, 2
		}
		if b[i] != factor*v {
			t.Fatalf("feature %d is %g, of the larger picture %g", i, v, b[i])
		}
		if math.Abs(c[i]-want) > 1e-9 { // Gaussians at whole pixels sum to 1 but for 1e-21
			t.Fatalf("feature %d of a constant is %g, want %g", i, c[i], want)
		}
	}
}

// Groups have mean 0 and, but for what is added to it, variance 1. Those of a constant are finite.
func TestGroupsOfChannelsAreNormalised(t *testing.T) {
	for _, angles := range []int{8, 3, 1} { // 81, 16 and 4 channels: none is left over, one is
		transform := prepared(t, Shape{2, 12, 12}, 2, angles)
		x := draw(9, 2*12*12)
		before, after := raw(transform, x, 1, 1), make([]float64, transform.Size())
		transform.Apply(after, x, 1, 1)
		plane := transform.channels * transform.pixel
		for begin := 0; begin < len(after); {
			end := min(begin+3*transform.pixel, (begin/plane+1)*plane)
			_, variance := moments(before[begin:end])
			m, v := moments(after[begin:end])
			if math.Abs(m) > 1e-12 || math.Abs(v-variance/(variance+1e-5)) > 1e-12 {
				t.Errorf("%d angles: mean %g and variance %g from %d on", angles, m, v, begin)
			}
			begin = end
		}
		transform.Apply(after, make([]float64, 2*12*12), 1, 1)
		if slices.ContainsFunc(after, func(v float64) bool { return v != 0 }) {
			t.Error("features of an empty picture are not 0")
		}
	}
}

func TestShapesThatCannotBeAreRefused(t *testing.T) {
	for _, c := range []struct {
		shape          Shape
		scales, angles int
		want, hint     string
	}{
		{Shape{0, 28, 28}, 2, 8, "0 planes of colour, not 1 to 64", "3 for colour"},
		{Shape{1, 2, 28}, 1, 8, "2 x 28 pixels have a side that is not 3 to 256", "scale the pictures"},
		{Shape{1, 28, 257}, 1, 8, "28 x 257 pixels", "scale the pictures"},
		{Shape{1, 28, 28}, 2, 17, "angles 17 are not 1 to 16", "angles: 8"},
		{Shape{1, 28, 28}, 0, 8, "scales 0 are not 1 to 4", "scales: 2"},
		{Shape{1, 28, 28}, 5, 8, "scales 5 are not 1 to 4", "scales: 2"},
		{Shape{1, 4, 28}, 2, 8, "scales 2 are not 1 to 1: 2^scales stays below both sides", "scales: 1"},
	} {
		_, err := New(c.shape, c.scales, c.angles)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.Hint(err), c.hint) {
			t.Errorf("%+v: %v (%s)", c, err, fault.Hint(err))
		}
	}
}

// BenchmarkApply transforms digits of 28 x 28 pixels with one worker.
func BenchmarkApply(b *testing.B) {
	const rows = 128
	t := prepared(b, Shape{1, 28, 28}, 2, 8)
	src, dst := draw(1, rows*784), make([]float64, rows*t.Size())
	for b.Loop() {
		t.Apply(dst, src, rows, 1)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*rows)*1e6, "us/image")
}
