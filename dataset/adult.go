package dataset

import (
	"io"
	"os"
)

// adultFeatures is the dimension of Platt's binary encoding of Adult. It must
// be fixed: no row of a9a.t has the last feature.
const adultFeatures = 123

// loadAdult reads a9a, and a9a.t beside it as the source's own test part. The
// label is +1 for an income above 50,000 dollars.
func loadAdult(o Options) (*Table, error) {
	path := locate(o.Path, "a9a")
	t, err := readAdult(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path + ".t"); err == nil {
		test, err := readAdult(path + ".t")
		if err != nil {
			return nil, err
		}
		appendOwnTest(t, test)
	}
	t.Source, t.Target, t.Classes = "adult", "income", []string{"at most 50K", "above 50K"}
	return t, nil
}

// readAdult reads one file.
func readAdult(path string) (*Table, error) {
	var t *Table
	file, err := readFile(path, func(r io.Reader, name string) (err error) {
		t, err = ReadLIBSVM(r, name, adultFeatures, Classification)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Files = []FileRead{file}
	return t, nil
}

// appendOwnTest adds the rows of test, which has the same columns, as t's own
// test part.
func appendOwnTest(t, test *Table) {
	t.X = append(t.X, test.X...)
	t.Y = append(t.Y, test.Y...)
	t.OwnTest = test.Rows()
	t.Files = append(t.Files, test.Files...)
	t.Dropped += test.Dropped
	for _, m := range test.Missing {
		addMissing(t, m)
	}
}
