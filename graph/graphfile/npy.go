package graphfile

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

// An array is the content of a .npy file: numbers, or a text.
type array struct {
	shape   []int
	fortran bool // columns are contiguous
	values  []float64
	text    string
}

// mostNumbers bounds the total count of numbers in the arrays of a file.
const mostNumbers = 1 << 24

// npyHeader matches the header dictionary that NumPy writes.
var npyHeader = regexp.MustCompile(`^\{'descr': ?'([<|])([fiuSU])(\d{1,2})', ?'fortran_order': ?(False|True), ?'shape': ?\(((?:\d{1,9}(?:, ?\d{1,9})?)?),?\),? ?\}\s*$`)

// openArray reads an array of an archive. left is the count of numbers that may still be read.
func openArray(f *zip.File, left *int) (*array, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readArray(bufio.NewReaderSize(in, 1<<16), left)
}

// readArray reads an array of at most two dimensions.
func readArray(r io.Reader, left *int) (*array, error) {
	text, err := npyText(r)
	if err != nil {
		return nil, err
	}
	parts := npyHeader.FindSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("no array of numbers of one or two dimensions: %.80q", text)
	}
	a, count := &array{fortran: string(parts[4]) == "True"}, 1
	for _, side := range strings.FieldsFunc(string(parts[5]), func(r rune) bool { return r == ',' || r == ' ' }) {
		k, err := strconv.Atoi(side)
		if err != nil {
			return nil, err
		}
		if a.shape = append(a.shape, k); k > mostNumbers {
			return nil, fmt.Errorf("%d numbers; at most %d are read", k, mostNumbers)
		}
		count *= k
	}
	if *left -= count; *left < 0 {
		return nil, fmt.Errorf("more than %d numbers", mostNumbers)
	}
	if kind := string(parts[2]); kind == "S" || kind == "U" {
		return a, a.readText(r, kind, string(parts[3]))
	}
	width, numberOf := decoder(string(parts[2]) + string(parts[3]))
	if numberOf == nil {
		return nil, fmt.Errorf("numbers of the type %s%s", parts[2], parts[3])
	}
	a.values, err = readNumbers(r, count, width, numberOf)
	return a, err
}

// readText reads one short word.
func (a *array) readText(r io.Reader, kind, width string) error {
	size, err := strconv.Atoi(width)
	if err != nil || len(a.shape) != 0 {
		return fmt.Errorf("a list of words")
	}
	if kind == "U" {
		size *= 4
	}
	raw := make([]byte, size)
	if _, err := io.ReadFull(r, raw); err != nil {
		return err
	}
	a.text = string(bytes.ReplaceAll(raw, []byte{0}, nil))
	return nil
}

// readNumbers reads count numbers in pieces, so that memory grows only with the data that arrives.
func readNumbers(r io.Reader, count, width int, numberOf func([]byte) float64) ([]float64, error) {
	const piece = 1 << 13
	var values []float64
	raw := make([]byte, width*piece)
	for len(values) < count {
		part := raw[:width*min(piece, count-len(values))]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, err
		}
		for ; len(part) > 0; part = part[width:] {
			values = append(values, numberOf(part))
		}
	}
	return values, nil
}

// decoder returns the width of a number type in bytes and a function that decodes it. The function
// is nil if the type is not supported.
func decoder(of string) (width int, read func([]byte) float64) {
	little := binary.LittleEndian
	switch of {
	case "f8":
		return 8, func(b []byte) float64 { return math.Float64frombits(little.Uint64(b)) }
	case "f4":
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(little.Uint32(b))) }
	case "i8":
		return 8, func(b []byte) float64 { return float64(int64(little.Uint64(b))) }
	case "i4":
		return 4, func(b []byte) float64 { return float64(int32(little.Uint32(b))) }
	}
	return 0, nil
}

// npyText returns the header of a .npy file. Its length field has 2 bytes in version 1 of the
// format and 4 in version 2.
func npyText(r io.Reader) ([]byte, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil {
		return nil, err
	}
	length := uint32(binary.LittleEndian.Uint16(head[8:]))
	switch {
	case bytes.HasPrefix(head[:], []byte("\x93NUMPY\x01\x00")):
	case bytes.HasPrefix(head[:], []byte("\x93NUMPY\x02\x00")):
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return nil, err
		}
		length = binary.LittleEndian.Uint32(head[8:])
	default:
		return nil, fmt.Errorf("no array of version 1 or 2")
	}
	if length > 1024 {
		return nil, fmt.Errorf("a header of %d bytes", length)
	}
	text := make([]byte, length)
	_, err := io.ReadFull(r, text)
	return text, err
}
