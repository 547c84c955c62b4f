package experiment

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// loadData reads the data of a spec and spreads it over the nodes.
func loadData(g family.Ground) (*family.Holdings, error) {
	options, err := dataOptions(g.Spec)
	if err != nil {
		return nil, err
	}
	options.Names, options.Kept = g.OwnNames(), g.Rows
	if g.Spec.Records() {
		if err := keepRecordsApart(&g.Spec.Data, &options); err != nil {
			return nil, err
		}
	}
	if options.Split == "index" && !dataset.Synthetic(options.Source) {
		return loadSplits(g, options)
	}
	federation, err := dataset.Build(options, g.Spec.Seed)
	if err != nil {
		return nil, err
	}
	showDefaults(&g.Spec.Data, options)
	return hold(g, federation), nil
}

// loadSplits loads data as loadData does, if a row's place and a seed alone decide whether the row is
// kept for testing. Every trial can then keep others, as many of each node.
func loadSplits(g family.Ground, o dataset.Options) (*family.Holdings, error) {
	table, err := dataset.Load(o)
	if err != nil {
		return nil, err
	}
	federation, err := dataset.Federate(table, o, g.Spec.Seed)
	if err != nil {
		return nil, err
	}
	showDefaults(&g.Spec.Data, o)
	h := hold(g, federation)
	h.Resplit = func(seed uint64) (*family.Holdings, error) {
		again, err := dataset.Federate(table, o, seed)
		if err != nil {
			return nil, err
		}
		return hold(g, again), nil
	}
	return h, nil
}

// hold puts rows on their nodes.
func hold(g family.Ground, f *dataset.Federation) *family.Holdings {
	shards, test := f.Shards, f.Test
	slab := &sim.Slab{Features: shards.Features, X: shards.X, Y: shards.Y, Offsets: shards.Offsets}
	return &family.Holdings{
		Ground: g, Federation: f, Examples: slab, Train: slab.All(), Test: model.Examples{Features: test.Features, X: test.X, Y: test.Y},
	}
}

// dataOptions returns the source's defaults, overridden by the spec.
func dataOptions(s *spec.Spec) (dataset.Options, error) {
	d := &s.Data
	o, err := dataset.Defaults(d.Source)
	if err != nil {
		return o, err
	}
	o.Path, o.Nodes = d.Path, s.Nodes
	setIf(&o.Target, d.Target)
	setIf(&o.Task, dataset.Task(d.Task))
	setIf(&o.Scale, d.Scale)
	setIf(&o.Split, d.Split)
	setIf(&o.Normalise, d.Normalise)
	setIf(&o.Partition, d.Partition)
	setIf(&o.Rows, d.Rows)
	o.Validate = d.Validation
	setIf(&o.Features, d.Features.Count)
	o.Encoding = s.Encoding
	setIf(&o.Support, d.Support)
	if o.TrainRows, o.TestRows = d.TrainRows, d.TestRows; o.TestRows > 0 {
		o.Test = dataset.OwnTest
	}
	o.Notation, o.Persons = d.Notation(), dataset.Persons{Column: d.Person, Rows: d.RowsPerPerson}
	o.Missing, o.Categories, o.Fill, o.Classes, o.Threshold = d.Missing, d.Categories, fillOf(d), d.Classes, d.Threshold
	if d.Drop != nil {
		o.Drop = d.Drop
	}
	if d.Centre != nil {
		o.Centre = *d.Centre
	}
	if d.Variance != nil {
		o.Variance = *d.Variance
	}
	if d.Ranges != nil {
		o.Ranges = make(map[string][2]float64, len(d.Ranges))
		for name, r := range d.Ranges {
			o.Ranges[name] = r
		}
	}
	switch {
	case d.Test == nil:
	case d.Test.Own:
		o.Test = dataset.OwnTest
	default:
		o.Test = d.Test.Share
	}
	return o, nil
}

// fillOf returns the public values that stand for missing ones. It returns nil if there are none.
func fillOf(d *spec.Data) map[string]string {
	if d.Fill == nil {
		return nil
	}
	fill := make(map[string]string, len(d.Fill))
	for column, value := range d.Fill {
		fill[column] = string(value)
	}
	return fill
}

// keepRecordsApart ensures that no row influences the scaling of others if one record is the unit
// of privacy. If a source is standardised by default, public ranges replace that.
func keepRecordsApart(d *spec.Data, o *dataset.Options) error {
	if o.Scale != "standardise" {
		return nil
	}
	if len(d.Ranges) == 0 {
		return fault.New(fmt.Sprintf("data.scale: %s is usually standardised, by means and deviations of all rows, which one record moves for all others", d.Source),
			"give scale: ranges with the public range of each feature, or scale: none")
	}
	o.Scale = "ranges"
	return nil
}

// setIf sets dst unless value is the zero value.
func setIf[T comparable](dst *T, value T) {
	var zero T
	if value != zero {
		*dst = value
	}
}

// showDefaults writes the options used back into the spec.
func showDefaults(d *spec.Data, o dataset.Options) {
	d.Target, d.Task, d.Drop = o.Target, string(o.Task), o.Drop
	d.Scale, d.Normalise, d.Partition, d.Rows = o.Scale, o.Normalise, o.Partition, o.Rows
	if d.Test = (&spec.Test{Share: o.Test}); o.Test == dataset.OwnTest {
		d.Test = &spec.Test{Own: true}
	}
	if dataset.Synthetic(o.Source) {
		d.Features.Count, d.Support, d.Centre, d.Variance = o.Features, o.Support, &o.Centre, &o.Variance
	}
}
