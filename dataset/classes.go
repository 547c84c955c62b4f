package dataset

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// declared sets labels to those of the classes named in the target column.
// The classes are listed in advance: two are -1 and +1, more are 0, 1, ...
func (p *csvParser) declared(labels []float64, target string, classes []string) error {
	known, err := legendOf(classes)
	if err != nil {
		return err
	}
	for i, code := range p.classes {
		text := p.labels.names[code]
		at, is := known.codes[text]
		if !is {
			return fault.New(fmt.Sprintf("%s: the target %q holds %q in data row %d", p.name, target, clip(text), i+1), "the spec knows the labels "+list(classes))
		}
		labels[i] = labelOf(int(at), len(classes))
	}
	return nil
}

// legendOf numbers classes in the order in which they are listed.
func legendOf(classes []string) (*legend, error) {
	known := newLegend()
	for i, class := range classes {
		if at := int(known.number(class)); at != i {
			return nil, fault.New(fmt.Sprintf("classes: %s and %s are the same", classes[at], class), "give different labels")
		}
	}
	return known, nil
}

// ClassIndex returns the number of a class by its name. Names are compared as labels in
// files are: 1, +1 and 1.0 are the same. It returns -1 if there is no class of the name.
func ClassIndex(classes []string, name string) int {
	known, err := legendOf(classes)
	if err != nil {
		return -1
	}
	of := newLegend()
	of.number(name)
	if at, is := known.codes[of.names[0]]; is {
		return int(at)
	}
	return -1
}

// Numeric reads a field of a column of numbers.
func Numeric(field string) (v float64, known bool) {
	v, why := finite(field)
	return v, why == ""
}
