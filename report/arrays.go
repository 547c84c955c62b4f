package report

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"io"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// npzWriter writes NumPy arrays into one .npz file, which is a zip of .npy.
type npzWriter struct{ zip *zip.Writer }

func newNPZ(w io.Writer) *npzWriter {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed)
	})
	return &npzWriter{zip: z}
}

// add writes an array: a slice of numbers or a *mat.Dense.
func (n *npzWriter) add(name string, array any) error {
	entry, err := n.zip.Create(name + ".npy")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(entry, lineBuffer)
	if err := npy.Write(out, array); err != nil {
		return err
	}
	return out.Flush()
}

// writeLossArrays writes privacy.npz. For each accountant it holds an n x n
// float64 array named as the CSV column, row = whose data, column = observer. For
// each further metric it holds an array whose name continues with _delta_ or
// _order_. The array distance is n x n float64 in hops, -1 for unknown or
// unreachable, 0 on the diagonal.
func writeLossArrays(w io.Writer, s *survey) error {
	npz := newNPZ(w)
	for k, name := range columns(s.losses) {
		if err := npz.add(name, mat.NewDense(s.n, s.n, s.all.eps[k])); err != nil {
			return err
		}
		for _, also := range s.losses[k].Also {
			if err := npz.add(name+also.suffix(), also.table(s.n)); err != nil {
				return err
			}
		}
	}
	if s.distances.known() {
		if err := npz.add("distance", s.all.distances()); err != nil {
			return err
		}
	}
	return npz.zip.Close()
}

// table returns the n x n matrix of losses from row towards column, 0 on the
// diagonal.
func (a *AlsoLosses) table(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for u := range n {
		for v := range n {
			if u != v {
				m.Set(u, v, a.At(u, v))
			}
		}
	}
	return m
}

// distances returns the n x n matrix of hops from row to column. It is float64,
// because the array library writes only that in two dimensions.
func (d *dense) distances() *mat.Dense {
	m := mat.NewDense(d.n, d.n, nil)
	for v := range d.n {
		for u := range d.n {
			if u != v {
				m.Set(u, v, float64(d.hops[v*d.n+u]))
			}
		}
	}
	return m
}

// writeModelArrays writes model.npz: parameters, trials x parameters float64 (the
// intercept last), and seeds, trials uint64. Names are in model.json.
func writeModelArrays(w io.Writer, r *Result) error {
	npz := newNPZ(w)
	if err := npz.add("parameters", parameters(r.Trials)); err != nil {
		return err
	}
	seeds := make([]uint64, len(r.Trials))
	for i, t := range r.Trials {
		seeds[i] = t.Seed
	}
	if err := npz.add("seeds", seeds); err != nil {
		return err
	}
	return npz.zip.Close()
}

// parameters stacks the models of all trials, which have the same length. It
// returns an empty list for no trials.
func parameters(trials []Trial) any {
	if len(trials) == 0 || len(trials[0].Model) == 0 {
		return []float64{}
	}
	m := mat.NewDense(len(trials), len(trials[0].Model), nil)
	for i, t := range trials {
		m.SetRow(i, t.Model)
	}
	return m
}
