package scatter

import "github.com/hearsay-dp/hearsay/internal/math"

// turns is the number of times that filters are wound around the padded plane, to each side.
const turns = 2

// A morlet is a wavelet: a wave along an angle, in radians a pixel, under a Gaussian. The Gaussian's deviation in pixels is
// deviation along the angle and deviation/slant across it.
type morlet struct{ cos, sin, wave, deviation, slant float64 }

// wavelet returns wavelet i, of a scale j and an angle: 3 pi/4 2^-j radians a pixel, 0.8 2^j pixels.
func (t *Transform) wavelet(i int) morlet {
	octave := float64(int(1) << (i / t.angles))
	sin, cos := math.Sincos(float64((t.angles-2)/2-i%t.angles) * math.Pi / float64(t.angles))
	return morlet{cos, sin, 3 * math.Pi / 4 / octave, 0.8 * octave, 4 / float64(t.angles)}
}

// at returns the Gaussian and the wave under it, summed over all turns, at a pixel of the padded plane.
func (m morlet) at(row, column, height, width int) (gauss, re, im float64) {
	for i := -turns; i <= turns; i++ {
		for j := -turns; j <= turns; j++ {
			x, y := float64(signed(row, height)+i*height), float64(signed(column, width)+j*width)
			along := float64(m.cos*x) + float64(m.sin*y)
			across := m.slant * (float64(m.cos*y) - float64(m.sin*x))
			exponent := -(float64(along*along) + float64(across*across)) / (2 * m.deviation * m.deviation)
			if exponent < -100 {
				continue
			}
			part := float64(m.slant / (2 * math.Pi * m.deviation * m.deviation) * math.Exp(exponent))
			sin, cos := math.Sincos(m.wave * along)
			gauss, re, im = gauss+part, re+float64(part*cos), im+float64(part*sin)
		}
	}
	return gauss, re, im
}

// signed returns the signed distance in pixels from pixel 0, the shorter way round.
func signed(pixel, length int) int {
	if 2*pixel > length {
		return pixel - length
	}
	return pixel
}

// morlets returns the Fourier transforms of all wavelets, which are real. A multiple of each Gaussian is subtracted so that the
// wavelets sum to 0.
func (t *Transform) morlets() [][]float64 {
	w := t.newWork()
	height, width := t.rows.length, t.columns.length
	filters := make([][]float64, t.scales*t.angles)
	for first := 0; first < len(filters); first += lanes {
		some := filters[first:min(len(filters), first+lanes)]
		for lane := range some {
			t.wavelet(first+lane).spread(w, lane)
		}
		x := w.maps[0]
		w.columns(x, false, true)
		w.rows(x)
		share := 1 / float64(height*width)
		for lane := range some {
			some[lane] = make([]float64, height*width)
			for at := range some[lane] {
				some[lane][at] = x[w.at(at/width, at%width)+lane] * share
			}
		}
	}
	return filters
}

// spread writes a wavelet into a lane of the first map.
func (m morlet) spread(w *work, lane int) {
	rows, columns, x := w.t.rows, w.t.columns, w.maps[0]
	under := make([]float64, 0, rows.length*columns.length)
	var all, wave float64
	for p, row := range rows.pixel {
		for q, column := range columns.pixel {
			gauss, re, im := m.at(row, column, rows.length, columns.length)
			at := w.at(p, q) + lane
			x[at], x[at+lanes], under = re, im, append(under, gauss)
			all, wave = all+gauss, wave+re
		}
	}
	for i, gauss := range under {
		x[w.at(i/columns.length, i%columns.length)+lane] -= float64(gauss * (wave / all))
	}
}
