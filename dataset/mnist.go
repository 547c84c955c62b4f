package dataset

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// digits is one part of MNIST as it is stored.
type digits struct {
	images, labels IDX
	files          []FileRead
}

// loadMNIST reads the handwritten digits (LeCun, Cortes and Burges) from a
// folder: 60000 training images and, as the source's own test part, 10000
// more. Pixels are divided by 255. The target "digit" has the classes 0..9;
// "even", or one digit such as "7", makes it +1 against the rest.
func loadMNIST(o Options) (*Table, error) {
	label, classes, err := digitLabel(o.Target)
	if err != nil {
		return nil, err
	}
	if !isFolder(o.Path) {
		return nil, mnistPathError(o.Path)
	}
	train, err := readDigits(o.Path, "train")
	if err != nil {
		return nil, err
	}
	test, err := readDigits(o.Path, "t10k")
	if err != nil {
		return nil, err
	}
	if train.pixels() != test.pixels() {
		return nil, fault.New(fmt.Sprintf("%s: training images have %d pixels, test images %d", o.Path, train.pixels(), test.pixels()),
			"keep only the original MNIST files in the folder")
	}
	t := &Table{Source: "mnist", Target: o.Target, Task: Classification, Classes: classes, Features: pixelNames(train.images.Shape),
		OwnTest: len(test.labels.Data), Files: append(train.files, test.files...)}
	fillDigits(t, label, train, test)
	return t, nil
}

// readDigits reads the images and labels of one part.
func readDigits(folder, part string) (digits, error) {
	var d digits
	for _, half := range []struct {
		into *IDX
		name string
		dims int
	}{{&d.images, part + "-images-idx3-ubyte", 3}, {&d.labels, part + "-labels-idx1-ubyte", 1}} {
		file, err := readFile(locate(folder, half.name), func(r io.Reader, name string) (err error) {
			*half.into, err = ReadIDX(r, name)
			if err == nil && len(half.into.Shape) != half.dims {
				err = fault.New(fmt.Sprintf("%s has %d dimensions instead of %d", name, len(half.into.Shape), half.dims), "give the MNIST file as it was published")
			}
			return err
		})
		if err != nil {
			return digits{}, err
		}
		d.files = append(d.files, file)
	}
	return d, d.check(folder, part)
}

// check reports parts that do not belong together.
func (d digits) check(folder, part string) error {
	if n, m := d.images.Shape[0], d.labels.Shape[0]; n != m {
		return fault.New(fmt.Sprintf("%s: %d %s images but %d labels", folder, n, part, m), "keep only the original MNIST files in the folder")
	}
	for i, label := range d.labels.Data {
		if label > 9 {
			return fault.New(fmt.Sprintf("%s: %s label %d is %d, which is no digit", folder, part, i, label), "fetch the file again")
		}
	}
	return nil
}

// pixels returns the length of an image.
func (d digits) pixels() int { return d.images.Shape[1] * d.images.Shape[2] }

// fillDigits converts bytes to numbers in one slab.
func fillDigits(t *Table, label func(byte) float64, parts ...digits) {
	rows := 0
	for _, p := range parts {
		rows += len(p.labels.Data)
	}
	var grey [256]float64
	for i := range grey {
		grey[i] = float64(i) / 255
	}
	t.X, t.Y = make([]float64, rows*len(t.Features)), make([]float64, 0, rows)
	x := t.X
	for _, p := range parts {
		for i, b := range p.images.Data {
			x[i] = grey[b]
		}
		x = x[len(p.images.Data):]
		for _, b := range p.labels.Data {
			t.Y = append(t.Y, label(b))
		}
	}
}

// digitLabel returns the label of a digit and the meaning of the classes.
func digitLabel(target string) (label func(byte) float64, classes []string, err error) {
	sign := func(positive bool) float64 {
		if positive {
			return 1
		}
		return -1
	}
	if target == "digit" {
		return func(b byte) float64 { return float64(b) }, strings.Split("0123456789", ""), nil
	}
	if target == "even" {
		return func(b byte) float64 { return sign(b%2 == 0) }, []string{"odd", "even"}, nil
	}
	if n, err := strconv.Atoi(target); err == nil && n >= 0 && n <= 9 {
		return func(b byte) float64 { return sign(int(b) == n) }, []string{"not " + target, target}, nil
	}
	return nil, nil, fault.New(fmt.Sprintf("mnist has no target %q", target), `use digit, even, or one digit such as "7"`)
}

// pixelNames names pixels by row and column, so that the order of names is that of pixels.
func pixelNames(shape []int) []string {
	names := make([]string, 0, shape[1]*shape[2])
	for r := range shape[1] {
		for c := range shape[2] {
			names = append(names, fmt.Sprintf("r%02dc%02d", r, c))
		}
	}
	return names
}

// mnistPathError asks for the folder.
func mnistPathError(path string) error {
	switch {
	case path == "":
		return openError(path, fs.ErrNotExist)
	case !isFolder(filepath.Dir(path)):
		return absent(path, "mnist")
	}
	return fault.New(path+" is not a folder", "mnist has four files: give the folder that holds them")
}
