package dataset

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Load reads the source at o.Path into memory. It uses Source, Path, Target,
// Task, Drop and, for a CSV file partitioned by a column, Partition; it
// computes no statistic but the threshold of a label that needs one. Reading
// is not for synthetic sources: see Generate.
func Load(o Options) (*Table, error) {
	t, err := load(o)
	if err != nil {
		return nil, err
	}
	for _, f := range t.Files {
		if known, state := Recognise(f); state == Differs {
			t.Notes = append(t.Notes, fmt.Sprintf("%s is not the published file of that name (sha256 %s...): results may differ from the papers'.",
				known.Name, f.SHA256[:12]))
		}
	}
	return t, nil
}

// load calls the reader of the source.
func load(o Options) (*Table, error) {
	if err := o.checkSource(); err != nil {
		return nil, err
	}
	switch o.Source {
	case "houses":
		return loadHouses(o)
	case "heart":
		return loadHeart(o)
	case "adult":
		return loadAdult(o)
	case "mnist":
		return loadMNIST(o)
	case "cifar10":
		return loadCIFAR10(o)
	case External:
		return o.numbered(), nil
	case "csv", "libsvm":
		return loadFile(o)
	}
	return nil, unknown("source", o.Source, Sources())
}

// loadFile reads one file in a general format.
func loadFile(o Options) (*Table, error) {
	var t *Table
	file, err := readFile(o.Path, func(r io.Reader, name string) (err error) {
		if o.Source == "libsvm" {
			t, err = ReadLIBSVM(r, name, o.Features, o.Task)
		} else {
			t, err = ReadCSV(r, name, CSV{Target: o.Target, Task: o.Task, Flags: o.Flags, Group: groupColumn(o), Person: o.Persons.Column, Drop: o.Drop, Classes: o.Classes,
				SkipMissing: o.Missing == "drop", Categories: o.Categories, Fill: o.Fill, Notation: o.Notation})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Files = []FileRead{file}
	read := "which columns, classes and rows there are"
	if o.Classes != nil {
		read = "which columns and rows there are"
	}
	t.Grounds = append(t.Grounds, read+" is public: they are read from the data")
	return t, nil
}

// groupColumn returns the column of a CSV file that says where rows live. It is
// no feature.
func groupColumn(o Options) string {
	if kind, name := partitionKind(o.Partition); kind == "column" {
		return name
	}
	return ""
}

// KnownState says whether a file's bytes are those of a published one.
type KnownState string

// The states.
const (
	Matches KnownState = "matches" // the bytes of the published file
	Differs KnownState = "differs" // the name of a published file, other bytes
	Unknown KnownState = "unknown" // no published file Hearsay knows
)

// Recognise looks a file up in the Catalogue: by checksum, then by name.
func Recognise(f FileRead) (KnownFile, KnownState) {
	state, found := Unknown, KnownFile{}
	base := strings.TrimSuffix(filepath.Base(f.Path), ".gz")
	for _, set := range Catalogue() {
		for _, k := range set.Files {
			if k.SHA256 == f.SHA256 || (k.Plain != "" && k.Plain == f.SHA256) {
				return k, Matches
			}
			if strings.TrimSuffix(k.Name, ".gz") == base {
				state, found = Differs, k
			}
		}
	}
	return found, state
}
