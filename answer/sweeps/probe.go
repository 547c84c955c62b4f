package sweeps

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sweep"
)

// probe opens the first cell of a sweep: it reads graph and data, and prices nothing. If that is refused, it opens the cells that
// differ from it in one field. A refusal that is the same for all of them is returned, before anything runs. If some are not
// refused, probe says once for which value the others are.
func probe(ctx context.Context, say io.Writer, fields []sweep.Field, open func(settings []string) error) error {
	first := make([]string, len(fields))
	for k, f := range fields {
		first[k] = f.Values[0]
	}
	try := func(values []string) error { return open(sweep.Cell{Values: values}.Settings(fields)) }
	refused := try(first)
	if refused == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	tried := 1
	for k, f := range fields {
		for _, value := range f.Values[1:] {
			values := slices.Clone(first)
			values[k] = value
			other := try(values)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case other == nil:
				fmt.Fprintf(say, "with %s=%s cells are refused that are not with %s: %v (%s)\n", f.Key, first[k], value, refused, fault.Hint(refused))
				return nil
			case other.Error() != refused.Error():
				return nil
			}
			tried++
		}
	}
	return fault.Wrap(refused, fmt.Sprintf("all of the %d cells that were tried first are refused", tried), fault.Hint(refused))
}

// opener returns a function that opens the spec of a cell.
func opener(ctx context.Context, path string, set []string) func(settings []string) error {
	return func(settings []string) error {
		s, err := experiment.Load(path, slices.Concat(set, settings)...)
		if err == nil {
			_, err = experiment.Open(ctx, s, nil)
		}
		return err
	}
}
