// Command measure takes the measurements of bench/README.md, each beside its comparison, and records them. Run it from the top of
// the repository:
//
//	go run ./cmd/measure                    all of them, about ten minutes
//	go run ./cmd/measure walk gossip        these sittings alone
//	go run ./cmd/measure -list              lists the measurements
//	go run ./cmd/measure -stale             those whose code has changed since they were measured
//	go run ./cmd/measure -table             nothing is measured; tables and pictures are made anew
//	go run ./cmd/measure -drop              nothing is measured; numbers that are older than their code are forgotten
//
// bench/measurements.yaml lists the measurements, bench/measured.txt holds the results, which benchstat reads. The tables in
// bench/README.md and the picture docs/scale.svg are made of that file alone. A test holds them to it, and names each measurement
// that is older than its code.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

func main() {
	var o options
	flag.BoolVar(&o.list, "list", false, "say what there is to measure, and measure nothing")
	flag.BoolVar(&o.stale, "stale", false, "measure what was never measured, or whose code has changed since")
	flag.BoolVar(&o.table, "table", false, "measure nothing; make tables and pictures anew from what was measured")
	flag.BoolVar(&o.drop, "drop", false, "measure nothing; forget what is older than its code, and what is no longer in the list")
	flag.IntVar(&o.times, "times", 0, "take each measurement so often, whatever the list says")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ".", flag.Args(), o); err != nil {
		for _, one := range each(err) {
			fmt.Fprintf(os.Stderr, "error: %v\nhint: %s\n", one, hint(one))
		}
		stop()
		os.Exit(1)
	}
}

// options holds the flags of the command.
type options struct {
	list, stale, table, drop bool
	times                    int
}

// each returns the errors that err joins, or err alone.
func each(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func hint(err error) string {
	if own := fault.Hint(err); own != "" {
		return own
	}
	return "run it from the top of the repository, with the go command on the PATH"
}

// run carries out the options in the repository at top. If a sitting fails, its earlier results stay and the other sittings go on.
func run(ctx context.Context, top string, names []string, o options) error {
	list, err := read(top)
	if err != nil {
		return err
	}
	kept, err := readResults(top)
	if err != nil {
		return err
	}
	chosen, err := list.choose(names)
	if err != nil {
		return err
	}
	if o.stale {
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(s Sitting) bool { return kept[s.Name] != nil && fresh(top, s, kept) == nil })
	}
	if o.list {
		for _, s := range chosen {
			fmt.Println(s.line())
		}
		return nil
	}
	if o.drop {
		return errors.Join(list.drop(top, kept), list.publish(top, kept))
	}
	var failed error
	if !o.table {
		failed = measure(ctx, top, chosen, kept, o.times)
	}
	return errors.Join(failed, list.publish(top, kept))
}

// measure measures the chosen sittings in turn and writes the results after each. If times is above 0, it replaces their Times.
func measure(ctx context.Context, top string, chosen []Sitting, kept results, times int) error {
	began := time.Now()
	m, err := newMeter(ctx, top)
	if err != nil {
		return err
	}
	defer m.close()
	var failed []error
	for k, s := range chosen {
		if times > 0 {
			s.Times = times
		}
		m.prefix = fmt.Sprintf("%d/%d %s", k+1, len(chosen), s.Name)
		result, err := m.sit(s)
		if err == nil {
			kept[s.Name] = result
			err = kept.write(top)
		}
		if err != nil {
			failed = append(failed, err)
			fmt.Fprintf(os.Stderr, "%s: %v\n", m.prefix, err)
		}
		if ctx.Err() != nil {
			return errors.Join(append(failed, fault.New("interrupted", "what was measured before is kept; name the sittings that are left"))...)
		}
	}
	fmt.Fprintf(os.Stderr, "%d of %d measured in %s\n", len(chosen)-len(failed), len(chosen), time.Since(began).Round(time.Second))
	return errors.Join(failed...)
}

// line describes a sitting in one line.
func (s Sitting) line() string {
	var what []string
	for _, r := range s.Rows {
		what = append(what, r.What)
	}
	if len(s.Sizes) > 0 {
		what = append(what, s.Curve)
	}
	return fmt.Sprintf("%-12s %s", s.Name, strings.Join(what, "; "))
}

// drop deletes results that are older than their code, and results of sittings that are no longer in the list.
func (l *List) drop(top string, kept results) error {
	current := map[string]bool{}
	for _, s := range l.Sittings {
		current[s.Name] = fresh(top, s, kept) == nil
	}
	for name := range kept {
		if !current[name] {
			delete(kept, name)
			fmt.Fprintln(os.Stderr, "forgotten:", name)
		}
	}
	return kept.write(top)
}
