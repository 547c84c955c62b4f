package fetch

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// housesColumns lists the columns of houses.csv, in the order of StatLib, with
// their place in the archived table.
var housesColumns = []struct {
	name string
	from int
}{
	{"median_house_value", 8}, {"median_income", 7}, {"housing_median_age", 2}, {"total_rooms", 3}, {"total_bedrooms", 4},
	{"population", 5}, {"households", 6}, {"latitude", 1}, {"longitude", 0},
}

// unpackHouses writes the table inside a tar.gz archive to part as houses.csv.
// On failure there is no part.
func unpackHouses(archive, part string, a dataset.Archive, want dataset.KnownFile) (err error) {
	in, err := regular.Open(archive)
	if err != nil {
		return fault.Wrap(err, "cannot read "+archive, "fetch it again")
	}
	defer in.Close()
	table, err := member(in, a.Member)
	if err != nil {
		return fault.Wrap(err, a.Name, "remove it and fetch it again")
	}
	out, err := os.Create(part)
	if err != nil {
		return writeError(part, want, err)
	}
	defer func() {
		_ = out.Close() // install reads the file back
		if err != nil {
			_ = os.Remove(part) // the error to report is err
		}
	}()
	buffered := bufio.NewWriter(out)
	if err := convertHouses(buffered, table); err != nil {
		return fault.Wrap(err, a.Member, "remove "+archive+" and fetch it again")
	}
	if err := buffered.Flush(); err != nil {
		return writeError(part, want, err)
	}
	return nil
}

// member finds a file inside a tar.gz archive.
func member(archive io.Reader, name string) (io.Reader, error) {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("no %s inside", name)
		}
		if err != nil {
			return nil, err
		}
		if header.Name == name {
			return files, nil
		}
	}
}

// convertHouses reorders the columns of the archived table, adds a header and
// writes every number in its shortest form.
func convertHouses(w io.Writer, r io.Reader) error {
	out, in := csv.NewWriter(w), csv.NewReader(r)
	in.FieldsPerRecord = len(housesColumns)
	row := make([]string, len(housesColumns))
	for j, column := range housesColumns {
		row[j] = column.name
	}
	for {
		if err := out.Write(row); err != nil {
			return err
		}
		old, err := in.Read()
		if errors.Is(err, io.EOF) {
			out.Flush()
			return out.Error()
		}
		if err != nil {
			return err
		}
		for j, column := range housesColumns {
			v, err := strconv.ParseFloat(old[column.from], 64)
			if err != nil {
				return err
			}
			row[j] = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
}
