package dataset

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// A record of CIFAR-10 is a label and then 1024 bytes each of red, green and blue.
const cifarPixels, cifarRecord = 3 * 32 * 32, 1 + 3*32*32

// loadCIFAR10 reads small pictures of ten kinds of things (Krizhevsky 2009) in the
// binary layout: one file, or all of a folder. The folder's test_batch.bin, if it is there, is
// the source's own test part. Pixels are divided by 255.
func loadCIFAR10(o Options) (*Table, error) {
	paths, err := cifarFiles(o.Path)
	if err != nil {
		return nil, err
	}
	t := &Table{Source: "cifar10", Target: o.Target, Task: Classification, Features: cifarFeatures(),
		Classes: strings.Fields("airplane automobile bird cat deer dog frog horse ship truck")}
	for _, path := range paths {
		before := len(t.Y)
		file, err := readFile(path, func(r io.Reader, name string) error { return readCIFAR10(r, name, t) })
		if err != nil {
			return nil, err
		}
		if cifarTest(path) {
			t.OwnTest = len(t.Y) - before
		}
		t.Files = append(t.Files, file)
	}
	return t, nil
}

// cifarFiles returns the files to read, the test part last.
func cifarFiles(path string) ([]string, error) {
	if !isFolder(path) {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, openError(path, err)
	}
	var train, test []string
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		switch plain := strings.TrimSuffix(e.Name(), ".gz"); {
		case filepath.Ext(plain) != ".bin":
		case cifarTest(name):
			test = append(test, name)
		default:
			train = append(train, name)
		}
	}
	if len(train) == 0 {
		return nil, fault.New("no CIFAR-10 file in "+path, "give the folder that holds data_batch_1.bin and so on, or one such file")
	}
	slices.Sort(train)
	return append(train, test[:min(1, len(test))]...), nil
}

func cifarTest(path string) bool {
	return strings.TrimSuffix(filepath.Base(path), ".gz") == "test_batch.bin"
}

// readCIFAR10 adds the records of one file to t.
func readCIFAR10(r io.Reader, name string, t *Table) error {
	record := make([]byte, cifarRecord)
	for {
		n, err := io.ReadFull(r, record)
		switch {
		case err == io.EOF:
			if len(t.Y) == 0 {
				return fault.New(name+" is empty", "give a file of records of 3073 bytes, as CIFAR-10's binary version has them")
			}
			return nil
		case err == io.ErrUnexpectedEOF:
			return fault.New(fmt.Sprintf("%s ends after %d of %d bytes of a record", name, n, cifarRecord), "give CIFAR-10's binary version, whole")
		case err != nil:
			return readError(name, err)
		case record[0] > 9:
			return fault.New(fmt.Sprintf("%s: record %d has the label %d, which is none of 0 to 9", name, len(t.Y), record[0]), "give CIFAR-10's binary version")
		}
		if err := checkCells(name, len(t.Y)+1, cifarPixels); err != nil {
			return err
		}
		t.Y = append(t.Y, float64(record[0]))
		for _, b := range record[1:] {
			t.X = append(t.X, float64(b)/255)
		}
	}
}

// cifarFeatures names pixels by colour, row and column.
func cifarFeatures() []string {
	names := make([]string, 0, cifarPixels)
	for _, colour := range []string{"red", "green", "blue"} {
		for r := range 32 {
			for c := range 32 {
				names = append(names, fmt.Sprintf("%s r%02dc%02d", colour, r, c))
			}
		}
	}
	return names
}
