package dataset

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// The four hospitals of the heart disease study, in the order of groups.
var hospitals = [...]string{"cleveland", "hungarian", "switzerland", "va"}

// heartColumns names the 14 columns of the processed files.
func heartColumns() []string {
	return strings.Fields("age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal num")
}

// loadHeart reads the processed heart disease files (Janosi, Steinbrunn,
// Pfisterer and Detrano 1988) from a folder, or one of them. Hospitals are
// the natural groups; the label is +1 where num > 0. Columns in o.Drop are
// left out first, then rows with a missing value: with the default (slope,
// ca, thal) 740 rows stay. Cholesterol 0 means that it was not measured; the
// rows are kept, counted as missing, and a note says so. Columns in o.Categories
// become a feature for each of their values. Without a path it is a
// synthetic stand-in.
func loadHeart(o Options) (*Table, error) {
	if o.Path == "" {
		t := standInHeart(o.Drop)
		noteCholesterol(t)
		return t.withCategories(o.Categories)
	}
	all := &Table{Source: "heart", Target: "num", Task: Classification, Group: "hospital", Classes: []string{"healthy", "heart disease"}}
	for _, hospital := range hospitals {
		file := "processed." + hospital + ".data"
		if !isFolder(o.Path) && filepath.Base(o.Path) != file {
			continue
		}
		one, err := readHospital(locate(o.Path, file), o)
		if err != nil {
			return nil, err
		}
		appendGroup(all, one, hospital)
	}
	if len(all.GroupNames) == 0 {
		return nil, heartPathError(o.Path)
	}
	binarise(all.Y, func(num float64) bool { return num > 0 })
	noteCholesterol(all)
	return all.withCategories(o.Categories)
}

// readHospital reads one file.
func readHospital(path string, o Options) (*Table, error) {
	var t *Table
	file, err := readFile(path, func(r io.Reader, name string) (err error) {
		t, err = ReadCSV(r, name, CSV{Header: heartColumns(), Target: "num", Task: Regression, Drop: o.Drop, SkipMissing: true})
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Files = []FileRead{file}
	return t, nil
}

// appendGroup adds the rows of one as a group of all.
func appendGroup(all, one *Table, name string) {
	g := int32(len(all.GroupNames))
	for range one.Y {
		all.Groups = append(all.Groups, g)
	}
	all.GroupNames = append(all.GroupNames, name)
	all.Features = one.Features
	all.X = append(all.X, one.X...)
	all.Y = append(all.Y, one.Y...)
	all.Dropped += one.Dropped
	all.Files = append(all.Files, one.Files...)
	for _, m := range one.Missing {
		addMissing(all, m)
	}
}

// addMissing adds to the count of a column.
func addMissing(t *Table, m Missing) {
	for i := range t.Missing {
		if t.Missing[i].Column == m.Column {
			t.Missing[i].Rows += m.Rows
			return
		}
	}
	t.Missing = append(t.Missing, m)
}

// noteCholesterol counts the zeros that stand for "not measured" in the rows
// that were kept.
func noteCholesterol(t *Table) {
	j := t.column("chol")
	if j < 0 {
		return
	}
	zeros, byGroup := 0, make([]int, len(t.GroupNames))
	for i := range t.Y {
		if t.Row(i)[j] == 0 {
			zeros++
			byGroup[t.Groups[i]]++
		}
	}
	if zeros == 0 {
		return
	}
	addMissing(t, Missing{"chol", zeros})
	var where []string
	for g, n := range byGroup {
		if n > 0 {
			where = append(where, fmt.Sprintf("%s %d", t.GroupNames[g], n))
		}
	}
	t.Notes = append(t.Notes, fmt.Sprintf("chol is 0, which means not measured, in %d rows (%s); they are kept as 0, as "+
		"multi-site studies do. Drop the column to avoid it.", zeros, strings.Join(where, ", ")))
}

// heartPathError explains a path that is neither the folder nor a file of it.
func heartPathError(path string) error {
	if !isFolder(filepath.Dir(path)) {
		return absent(path, "heart")
	}
	return fault.New(path+" is not a heart disease file", "give the folder of processed.cleveland.data and its three sisters, or one of these files")
}
