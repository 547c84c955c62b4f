package graphfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
)

// weightsOfArchive reads an npz: a matrix that scipy.sparse.save_npz wrote in csr, csc or coo format, or one
// square NumPy array.
func weightsOfArchive(text []byte, n int) ([]graph.Entry, error) {
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, fmt.Errorf("no archive of arrays: %w", err)
	}
	if len(archive.File) > mostArrays {
		return nil, fmt.Errorf("%d arrays; a matrix has at most %d", len(archive.File), mostArrays)
	}
	arrays, left := map[string]*array{}, mostNumbers
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok || arrays[name] != nil {
			return nil, fmt.Errorf("%.40q is no array, or there twice", f.Name)
		}
		if arrays[name], err = openArray(f, &left); err != nil {
			return nil, fmt.Errorf("%.40q: %w", f.Name, err)
		}
	}
	if arrays["data"] != nil && arrays["shape"] != nil {
		return sparseEntries(arrays, n)
	}
	if len(arrays) != 1 {
		return nil, fmt.Errorf("%d arrays, and none are named as scipy.sparse.save_npz does", len(arrays))
	}
	for _, a := range arrays {
		return arrayEntries(a, n)
	}
	return nil, nil
}

// mostArrays is the largest number of arrays in an archive.
const mostArrays = 8

// arrayEntries returns the nonzero entries of a square array.
func arrayEntries(a *array, n int) ([]graph.Entry, error) {
	if len(a.shape) != 2 {
		return nil, fmt.Errorf("an array of %d dimensions, not of 2", len(a.shape))
	}
	if err := checkOrder(a.shape[0], a.shape[1], n); err != nil {
		return nil, err
	}
	down, right := n, 1
	if a.fortran {
		down, right = 1, n
	}
	return fullEntries(n, numbered(n), func(i, j int) float64 { return a.values[i*down+j*right] }), nil
}

// sparseEntries returns the entries of a SciPy matrix. It refuses repeated entries, as for other formats.
func sparseEntries(arrays map[string]*array, n int) ([]graph.Entry, error) {
	shape, err := wholes(arrays["shape"], 2, maxNodes)
	if err != nil {
		return nil, fmt.Errorf("shape: %w", err)
	}
	if err := checkOrder(shape[0], shape[1], n); err != nil {
		return nil, err
	}
	data := arrays["data"].values
	form := ""
	if f := arrays["format"]; f != nil {
		form = f.text
	}
	var rows, columns []int
	switch form {
	case "coo":
		rows, err = wholes(arrays["row"], len(data), n-1)
		if err == nil {
			columns, err = wholes(arrays["col"], len(data), n-1)
		}
	case "csr", "csc":
		rows, columns, err = compressed(arrays, len(data), n)
		if form == "csc" {
			rows, columns = columns, rows
		}
	default:
		return nil, fmt.Errorf("the form %.20q; write w.tocsr()", form)
	}
	if err != nil {
		return nil, fmt.Errorf("row and column numbers: %w", err)
	}
	entries := make([]graph.Entry, len(data))
	for k, x := range data {
		entries[k] = graph.Entry{From: rows[k], To: columns[k], Value: x}
	}
	return entries, nil
}

// compressed returns the row and the column of each entry of compressed rows.
func compressed(arrays map[string]*array, count, n int) (rows, columns []int, err error) {
	if columns, err = wholes(arrays["indices"], count, n-1); err != nil {
		return nil, nil, err
	}
	starts, err := wholes(arrays["indptr"], n+1, count)
	if err != nil {
		return nil, nil, err
	}
	if !slices.IsSorted(starts) || starts[0] != 0 || starts[n] != count {
		return nil, nil, fmt.Errorf("rows do not begin one after the other")
	}
	for u := range n {
		for range starts[u+1] - starts[u] {
			rows = append(rows, u)
		}
	}
	return rows, columns, nil
}

// maxNodes is the largest number of rows that shape may give.
const maxNodes = 1 << 31

// wholes returns the values of an array of count integers from 0 to most.
func wholes(a *array, count, most int) ([]int, error) {
	if a == nil || len(a.values) != count {
		return nil, fmt.Errorf("not %d numbers, or none", count)
	}
	all := make([]int, count)
	for i, x := range a.values {
		if !(x >= 0 && x <= float64(most)) || x != float64(int(x)) {
			return nil, fmt.Errorf("%g is not a whole number from 0 to %d", x, most)
		}
		all[i] = int(x)
	}
	return all, nil
}
