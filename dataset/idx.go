package dataset

import (
	"errors"
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/fault"
)

// IDX is an array of unsigned bytes in the format of the MNIST files.
type IDX struct {
	Shape []int  // sizes, slowest first
	Data  []byte // product of Shape values
}

// maxIDX bounds the bytes of one array.
const maxIDX = 1 << 30

// ReadIDX reads an array of unsigned bytes: two zeros, the type 8, the number
// of dimensions, their sizes as big-endian 32-bit numbers, and the values.
// name stands for r in messages.
func ReadIDX(r io.Reader, name string) (IDX, error) {
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return IDX{}, idxShort(name, err)
	}
	if magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || magic[3] == 0 || magic[3] > 4 {
		return IDX{}, fault.New(fmt.Sprintf("%s starts with %x, which is no IDX array of bytes", name, magic),
			"give the MNIST file as it was published, compressed or not")
	}
	a := IDX{Shape: make([]int, magic[3])}
	size := 1
	for i := range a.Shape {
		var word [4]byte
		if _, err := io.ReadFull(r, word[:]); err != nil {
			return IDX{}, idxShort(name, err)
		}
		a.Shape[i] = int(word[0])<<24 | int(word[1])<<16 | int(word[2])<<8 | int(word[3])
		if a.Shape[i] == 0 || a.Shape[i] > maxIDX/size {
			return IDX{}, fault.New(fmt.Sprintf("%s: shape %v is empty or above %d values", name, a.Shape[:i+1], maxIDX), "give the MNIST file as it was published")
		}
		size *= a.Shape[i]
	}
	return a, a.fill(r, name, size)
}

// fill reads exactly size values. Memory grows with the bytes that arrive, not with
// the size that the header states.
func (a *IDX) fill(r io.Reader, name string, size int) error {
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	switch {
	case err != nil:
		return readError(name, err)
	case len(data) < size:
		return fault.New(fmt.Sprintf("%s ends after %d of %d values", name, len(data), size), "the file is cut short: fetch it again")
	case len(data) > size:
		return fault.New(fmt.Sprintf("%s goes on after its %d values", name, size), "the file is damaged: fetch it again")
	}
	a.Data = data
	return nil
}

// idxShort explains a header that ends early.
func idxShort(name string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(name+" ends inside its header", "the file is cut short: fetch it again")
	}
	return readError(name, err)
}
