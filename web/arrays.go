package web

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// mostNodes is the largest number of nodes whose matrices a run writes (report.WriteDir).
const mostNodes = 4096

// An npz holds the square matrices of a NumPy archive by name, n x n, row by row.
type npz struct {
	n      int
	arrays map[string][]float64
}

// furtherMetric matches names of arrays in metrics other than the run's own, which are not
// shown.
var furtherMetric = regexp.MustCompile(`_(delta|order)_[0-9.e+-]+$`)

// readNPZ reads an archive of square float64 matrices of equal size. most bounds their bytes in
// memory.
func readNPZ(from io.ReaderAt, size, most int64) (*npz, error) {
	archive, err := zip.NewReader(from, size)
	if err != nil {
		return nil, fmt.Errorf("no archive of arrays: %w", err)
	}
	all := &npz{arrays: map[string][]float64{}}
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok || all.arrays[name] != nil {
			return nil, fmt.Errorf("%.40q is no array, or there twice", f.Name)
		}
		if furtherMetric.MatchString(name) {
			continue
		}
		if err := all.add(name, f, &most); err != nil {
			return nil, fmt.Errorf("%.40q: %w", f.Name, err)
		}
	}
	return all, nil
}

func (a *npz) add(name string, f *zip.File, left *int64) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<16)
	n, err := squareOf(r)
	if err != nil {
		return err
	}
	if a.n != 0 && n != a.n {
		return fmt.Errorf("%d rows, and others have %d", n, a.n)
	}
	if *left -= 8 * int64(n) * int64(n); *left < 0 {
		return fmt.Errorf("too many bytes to be looked at here")
	}
	a.n = n
	a.arrays[name], err = floats(r, n*n)
	return err
}

// npyHeader matches the header of a square matrix of little-endian float64, as NumPy and
// WriteDir write it.
var npyHeader = regexp.MustCompile(`^\{'descr': ?'<f8', ?'fortran_order': ?False, ?'shape': ?\((\d{1,5}), ?(\d{1,5}),?\),? ?\}\s*$`)

// squareOf reads the header of a .npy file and returns n.
func squareOf(r io.Reader) (int, error) {
	length, err := headerLength(r)
	if err != nil {
		return 0, err
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return 0, err
	}
	shape := npyHeader.FindSubmatch(text)
	if shape == nil || !bytes.Equal(shape[1], shape[2]) {
		return 0, fmt.Errorf("no square matrix of float64: %.80q", text)
	}
	n, err := strconv.Atoi(string(shape[1]))
	if err != nil || n < 1 || n > mostNodes {
		return 0, fmt.Errorf("%s rows; 1 to %d are read", shape[1], mostNodes)
	}
	return n, nil
}

// headerLength returns the length of the header's text. The length field has 2 bytes in version
// 1 of the format and 4 in version 2.
func headerLength(r io.Reader) (int, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil {
		return 0, err
	}
	length := uint32(binary.LittleEndian.Uint16(head[8:]))
	switch {
	case bytes.HasPrefix(head[:], []byte("\x93NUMPY\x01\x00")):
	case bytes.HasPrefix(head[:], []byte("\x93NUMPY\x02\x00")):
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return 0, err
		}
		length = binary.LittleEndian.Uint32(head[8:])
	default:
		return 0, fmt.Errorf("no array of version 1 or 2")
	}
	if length > 1024 {
		return 0, fmt.Errorf("a header of %d bytes", length)
	}
	return int(length), nil
}

// floats reads count float64 values. The memory is allocated at once, but the system provides
// it only as far as values arrive.
func floats(r io.Reader, count int) ([]float64, error) {
	const piece = 1 << 13
	values := make([]float64, 0, count)
	raw := make([]byte, 8*piece)
	for len(values) < count {
		part := raw[:8*min(piece, count-len(values))]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, err
		}
		for ; len(part) > 0; part = part[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(part)))
		}
	}
	return values, nil
}
