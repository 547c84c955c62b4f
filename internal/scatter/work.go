package scatter

// Pictures are lanes of one computation. A point holds a complex number of each: their real parts, then the imaginary ones.
const (
	lanes = 8
	point = 2 * lanes
)

// A work is scratch memory for as many planes as there are lanes. A map is a padded plane of points, pixels or frequencies, whose
// rows are an odd number of points apart, so that points of a column do not compete for one line of a cache.
type work struct {
	t        *Transform
	stride   int          // of rows, in points
	maps     [3][]float64 // the spectrum of the picture, that of a first modulus, and a second modulus
	partial  []float64    // low along columns: kept rows, all columns, lanes
	low      []float64    // a kept row, lanes
	fold     []float64
	source   []int // where in a plane the pixel of a position comes from
	dst      []float64
	pictures int
}

func (t *Transform) newWork() *work {
	height, width := t.rows.length, t.columns.length
	w := &work{t: t, stride: width | 1, fold: make([]float64, (max(height, width)+2)*point),
		partial: make([]float64, 4*t.down.blocks*width*lanes), low: make([]float64, 4*t.across.blocks*lanes)}
	for i := range w.maps {
		w.maps[i] = make([]float64, height*w.stride*point)
	}
	for _, row := range t.rows.pixel {
		for _, column := range t.columns.pixel {
			w.source = append(w.source, reflected(row, t.scales, t.shape.Height)*t.shape.Width+reflected(column, t.scales, t.shape.Width))
		}
	}
	return w
}

// reflected returns the pixel of a side that a pixel of the padded side mirrors. The outermost pixels are mirrors.
func reflected(pixel, scales, side int) int {
	pixel -= 1 << scales
	if pixel < 0 {
		return -pixel
	}
	return min(pixel, 2*(side-1)-pixel)
}

// at returns the index at which the point of a row and a column of positions begins.
func (w *work) at(row, column int) int { return (row*w.stride + column) * point }

// scatter sets dst to all channels of the planes in src, of which there are as many as lanes or fewer.
func (w *work) scatter(dst, src []float64) {
	t := w.t
	w.dst, w.pictures = dst, len(dst)/(t.channels*t.pixel)
	w.load(src)
	w.columns(w.maps[0], false, true)
	w.emit(0)
	w.rows(w.maps[0])
	second := 1 + len(t.filters)
	for a, filter := range t.filters {
		larger := (a/t.angles + 1) * t.angles // the first wavelet of a larger scale
		w.filter(w.maps[1], w.maps[0], filter)
		w.columns(w.maps[1], true, larger < len(t.filters))
		w.emit(1 + a)
		if larger == len(t.filters) {
			continue
		}
		w.rows(w.maps[1])
		for _, filter := range t.filters[larger:] {
			w.filter(w.maps[2], w.maps[1], filter)
			w.columns(w.maps[2], true, false)
			w.emit(second)
			second++
		}
	}
}

// load pads the planes of src into the first map; lanes without a picture are 0.
func (w *work) load(src []float64) {
	plane, width := len(src)/w.pictures, w.t.columns.length
	for i, from := range w.source {
		at := w.at(i/width, i%width)
		clear(w.maps[0][at : at+point])
		for lane := range w.pictures {
			w.maps[0][at+lane] = src[lane*plane+from]
		}
	}
}

// filter sets rows of a map to those of a spectrum times a filter, transformed back.
func (w *work) filter(to, from, filter []float64) {
	a := w.t.columns
	for row := range w.t.rows.length {
		begin, end := w.at(row, 0), w.at(row, a.length)
		scale(to[begin:end], from[begin:end], filter[row*a.length:])
		a.transform(to[begin:end], 1, true, w.fold)
	}
}

// rows transforms the rows of a map.
func (w *work) rows(x []float64) {
	for row := range w.t.rows.length {
		w.t.columns.transform(x[w.at(row, 0):w.at(row, w.t.columns.length)], 1, false, w.fold)
	}
}

// columns processes each column of a map while it is in the cache. It takes the inverse transform and the modulus if modulus is
// set, low along the column, and the transform if more is set.
func (w *work) columns(x []float64, modulus, more bool) {
	a, width := w.t.rows, w.t.columns.length
	for column := range width {
		line := x[w.at(0, column):w.at(a.length-1, column+1)]
		if modulus {
			a.transform(line, w.stride, true, w.fold)
			moduli(line, a.length, w.stride)
		}
		mix(w.partial[column*lanes:], width, line, w.stride*point, a.length, &w.t.down)
		if more {
			a.transform(line, w.stride, false, w.fold)
		}
	}
}

// emit applies low along the rows to the result of columns, and writes a channel of each picture.
func (w *work) emit(channel int) {
	t, width := w.t, w.t.columns.length
	size := t.channels * t.pixel
	for row := range t.down.count {
		mix(w.low, 1, w.partial[row*width*lanes:(row+1)*width*lanes], lanes, width, &t.across)
		at := channel*t.pixel + row*t.across.count
		for lane := range w.pictures {
			to := w.dst[lane*size+at:][:t.across.count]
			for i := range to {
				to[i] = w.low[i*lanes+lane]
			}
		}
	}
}
