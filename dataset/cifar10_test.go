package dataset

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// The pictures of the stored part of CIFAR-10 have the labels and means that are
// published of it.
func TestCIFAR10IsRead(t *testing.T) {
	o, err := Defaults("cifar10")
	if err != nil {
		t.Fatal(err)
	}
	o.Path, o.Nodes = testdata.Shared(t, "data/cifar10"), 4
	table, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, v := range table.X {
		sum += v
	}
	if mean := sum / float64(len(table.X)); table.Rows() != 4000 || table.Y[0] != 6 || table.Y[9] != 3 || len(table.Classes) != 10 || mean < 0.46 || mean > 0.49 {
		t.Errorf("%d rows, labels %v, mean %g", table.Rows(), table.Y[:10], mean)
	}
}

// A folder's test batch is its own test part, and what is cut short, mislabelled or
// missing is an error.
func TestCIFAR10Files(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, labels ...byte) {
		var text []byte
		for _, label := range labels {
			text = append(append(text, label), make([]byte, cifarPixels)...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := loadCIFAR10(Options{Path: dir})
	expectFault(t, err, "no CIFAR-10 file")
	write("test_batch.bin", 1)
	write("data_batch_1.bin", 2, 3)
	write("batches.meta.txt", 0)
	table, err := loadCIFAR10(Options{Path: dir})
	if err != nil || table.OwnTest != 1 || table.Rows() != 3 || table.Y[2] != 1 {
		t.Errorf("%+v, %v", table, err)
	}
	write("data_batch_2.bin", 12)
	_, err = loadCIFAR10(Options{Path: dir})
	expectFault(t, err, "label 12")
	if err := os.WriteFile(filepath.Join(dir, "data_batch_2.bin"), []byte{1, 2}, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = loadCIFAR10(Options{Path: dir})
	expectFault(t, err, "ends after 2 of 3073")
}
