package spec

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
)

// Ranges maps names of columns to their public ranges. A name such as x{01..30} stands for thirty columns.
type Ranges map[string]Range

// mostNamed is the largest number of columns that one name may stand for.
const mostNamed = 1 << 18

// UnmarshalYAML takes a mapping and writes out names that stand for several.
func (r *Ranges) UnmarshalYAML(unmarshal func(any) error) error {
	var given map[string]Range
	if err := unmarshal(&given); err != nil {
		return err
	}
	if given == nil {
		*r = nil
		return nil
	}
	*r = make(Ranges, len(given))
	for name, bounds := range given {
		columns, err := spelled(name)
		if err != nil {
			return err
		}
		for _, column := range columns {
			if _, twice := (*r)[column]; twice {
				return fault.New(fmt.Sprintf("data.ranges: column %q is named twice", column), "give each column one range")
			}
			(*r)[column] = bounds
		}
	}
	return nil
}

// span matches a name with a counter in it, such as {00..27}.
var span = regexp.MustCompile(`^(.*?)\{([0-9]{1,6})\.\.([0-9]{1,6})\}(.*)$`)

// spelled returns the names that a name stands for. Numbers are written with at least as many digits as the first has.
func spelled(name string) ([]string, error) {
	parts := span.FindStringSubmatch(name)
	if parts == nil {
		return []string{name}, nil
	}
	first, _ := strconv.Atoi(parts[2])
	last, _ := strconv.Atoi(parts[3])
	rest, err := spelled(parts[4])
	switch count := last - first + 1; {
	case err != nil:
		return nil, err
	case count < 1 || count > mostNamed/len(rest):
		return nil, fault.New(fmt.Sprintf("data.ranges: %q stands for no column, or for more than %d", name, mostNamed), `count upwards, such as ranges: {"x{01..30}": [0, 1]}`)
	}
	var names []string
	for k := first; k <= last; k++ {
		for _, end := range rest {
			names = append(names, fmt.Sprintf("%s%0*d%s", parts[1], len(parts[2]), k, end))
		}
	}
	return names, nil
}
