package tables

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// A MakeGraphQuestion holds the settings of `hearsay graph make`.
type MakeGraphQuestion struct {
	Seed uint64
	Out  string
}

// MakeGraph makes a graph and writes it.
func (q *MakeGraphQuestion) MakeGraph(ask form.Asker, args []string) error {
	var g *graph.Graph
	err := experiment.Within(ask.Context, func() (err error) {
		g, err = gen.Parse(args[0], q.Seed)
		return err
	})
	if err != nil {
		return err
	}
	return MakeGraph(ask, g, q.Out)
}

// A GraphInfoQuestion holds the settings of `hearsay graph info`.
type GraphInfoQuestion struct {
	Seed     uint64
	Weights  string
	Directed bool // of a file, used if the flag was given
}

// Describe describes a graph.
func (q *GraphInfoQuestion) Describe(ask form.Asker, args []string) error {
	var info *GraphInfo
	err := experiment.Within(ask.Context, func() error {
		g, err := graphfile.OpenAs(args[0], q.Seed, ask.GivenBool("directed", q.Directed))
		if err == nil {
			info, err = DescribeGraph(g, q.Weights)
		}
		return err
	})
	if err != nil {
		return err
	}
	if ask.JSON {
		return ask.Value(info)
	}
	return info.Print(ask.Stdout)
}

// A DataInfoQuestion holds the settings of `hearsay data info`.
type DataInfoQuestion struct {
	Path, Target, Task, Group, Missing string
	Drop, Categories, Fill             []string
	Table                              textfile.Notation
}

// DescribeData describes a data source.
func (q *DataInfoQuestion) DescribeData(ask form.Asker, args []string) error {
	o, err := q.options(ask, args[0])
	if err != nil {
		return err
	}
	return Describe(ask, o)
}

// options returns the options of a source, given by its name or as a file.
func (q *DataInfoQuestion) options(ask form.Asker, source string) (o dataset.Options, err error) {
	if o, err = InfoOptions(source, q.Path, q.Target != "" || q.Group != ""); err != nil {
		return o, err
	}
	Override(&o.Target, q.Target)
	Override((*string)(&o.Task), q.Task)
	if q.Group != "" {
		o.Partition = "column:" + q.Group
	}
	if ask.Given("drop") {
		o.Drop = q.Drop
	}
	o.Missing, o.Notation, o.Flags = q.Missing, q.Table, true
	if o.Categories, err = ColumnLists(q.Categories); err != nil {
		return o, err
	}
	o.Fill, err = ColumnValues(q.Fill)
	return o, err
}

// A FetchQuestion holds the settings of `hearsay data fetch`.
type FetchQuestion struct {
	Dir, Url string
}

// Fetch downloads a public data set.
func (q *FetchQuestion) Fetch(ask form.Asker, args []string) error {
	set, err := dataset.KnownSetByName(args[0])
	if err != nil {
		return err
	}
	if q.Dir == "" {
		q.Dir = filepath.Join("data", set.Name)
	}
	if mirror := os.Getenv("HEARSAY_MIRROR"); q.Url == "" && mirror != "" {
		q.Url = strings.TrimSuffix(mirror, "/") + "/" + set.Name
	}
	return FetchSet(ask, set, q.Dir, q.Url)
}

// A SplitQuestion holds the settings of `hearsay data split`.
type SplitQuestion struct {
	Source      DataInfoQuestion
	Dir         string
	Parts, Rows int    // deal Rows rows, 0: as many as there are, to each of Parts parts; 0 parts: write the natural groups
	Seed        uint64 // of the parts
}

// Split writes one file for each group of a source. It returns an error for generated data.
func (q *SplitQuestion) Split(ask form.Asker, args []string) error {
	o, err := q.Source.options(ask, args[0])
	if err != nil {
		return err
	}
	if dataset.Synthetic(o.Source) {
		return fault.New(o.Source+" is generated, not read", "name a source that is read, such as heart")
	}
	if o.Source == args[0] { // a name and no file: without a path heart is its stand-in
		o.Path = q.Source.Path
	}
	return q.write(ask, o)
}
