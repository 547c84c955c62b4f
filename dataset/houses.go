package dataset

import (
	"fmt"
	"io"
)

// loadHouses reads the StatLib table of California block groups (Pace and
// Barry 1997). As a classification, +1 means that the target lies below its
// mean over the whole file. With the target longitude this is the task of
// OpenML 823, which the papers use (8914 rows are +1); with
// median_house_value 12255 rows are +1. A public threshold, if given, replaces
// the mean. As a regression the target is kept
// as it is, which with median_house_value is OpenML 537. The other eight
// columns are the features.
func loadHouses(o Options) (*Table, error) {
	var t *Table
	file, err := readFile(locate(o.Path, "houses.csv"), func(r io.Reader, name string) (err error) {
		t, err = ReadCSV(r, name, CSV{Target: o.Target, Task: Regression, Drop: o.Drop})
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Source, t.Files = "houses", []FileRead{file}
	if t.Task = o.Task; o.Task == Classification {
		t.compare(o)
	}
	return t, nil
}

// compare makes classes of the target: +1 where it is below a number. Their names tell that number, and where it is the mean
// every row has a part in all labels.
func (t *Table) compare(o Options) {
	with := average(t.Y)
	if o.Threshold != nil {
		with = *o.Threshold
	} else {
		t.Notes = append(t.Notes, fmt.Sprintf("Labels compare %s with its mean over the whole file, test rows included.", o.Target))
		t.Grounds = append(t.Grounds, fmt.Sprintf("%s: the mean of %s over all rows, with which labels are compared and which the classes are named after, "+
			"a release that is not charged (data.threshold takes a public number instead)", preprocessing, o.Target))
	}
	binarise(t.Y, func(v float64) bool { return v < with })
	t.Classes = []string{fmt.Sprintf("%s at least %.6g", o.Target, with), fmt.Sprintf("%s below %.6g", o.Target, with)}
}
