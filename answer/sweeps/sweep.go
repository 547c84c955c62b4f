package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/studies"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/sweep"
	"github.com/hearsay-dp/hearsay/sweep/cells"
	"github.com/hearsay-dp/hearsay/sweep/columnar"
	"github.com/hearsay-dp/hearsay/trainer"
)

func (q *SweepQuestion) sweep(ask form.Asker, path string) error {
	set, out, queued, check := q.Set, q.Out, q.Queued, q.Check
	var fields []sweep.Field
	for _, text := range q.Vary {
		f, err := sweep.ReadField(text)
		if err != nil {
			return err
		}
		fields = append(fields, f)
	}
	stamps, err := checkCells(ask, path, set, fields)
	if err != nil {
		return err
	}
	if queued.Given() && out == "" {
		return fault.New("a sweep that is given out keeps its cells in a folder", "give --out FOLDER")
	}
	if err := checkTable(out); err != nil {
		return err
	}
	ctx, err := q.Cache.Watched(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	base, err := sweepKey(path, set)
	if err != nil {
		return err
	}
	base += programStamp(q.Model.Command)
	programs := form.Programs{Program: q.Model}
	defer programs.Close()
	key := func(values []string) string { return base + "\x00" + stamps[strings.Join(values, "\x00")] }
	s := sweep.Sweep{Fields: fields, Folder: out, Key: key, Workers: q.Workers, Run: func(ctx context.Context, values []string) (*report.Result, error) {
		given, err := experiment.Load(path, append(append([]string{}, set...), values...)...)
		if err != nil {
			return nil, err
		}
		if err := programs.Attach(ask, given); err != nil {
			return nil, err
		}
		priced, err := experiment.Prepare(ctx, given, nil)
		if err != nil {
			return nil, err
		}
		terminal.PulseOf(ask.Stderr).Enter("training")
		bundle, err := priced.Run(ctx, nil)
		if err != nil {
			return nil, err
		}
		return bundle.Result, nil
	}}
	if queued.Given() {
		if check.Price {
			s.Priced = func(values []string, r *report.Result) (bool, error) {
				own, err := priceCell(ctx, path, set, values)
				return err == nil && cells.SameLosses(own, r), err
			}
		}
		s.Away = awayCells(ask, queued, path, set, out, crewFlags{q.Workers, q.Cache}, base, check.by(s.Run))
	}
	ended, grid := 0, 1
	for _, f := range fields {
		grid *= len(f.Values)
	}
	rows, err := s.Rows(ctx, func(r sweep.Row, again bool) {
		ended++
		fmt.Fprintln(ask.Stderr, cellLine(ended, grid, r, again, fields))
	})
	if errors.Is(err, context.Canceled) && out != "" {
		return fault.Wrap(err, "sweep", fmt.Sprintf("the cells that have ended, %d of %d, are kept in %s; the same command goes on with the others", ended, grid, out))
	}
	if err != nil {
		return err
	}
	return writeSweep(ask, strings.TrimSuffix(filepath.Base(path), ".yaml"), out, fields, rows)
}

// checkCells reads the spec of every cell, so that a key that does not exist is an error at
// once and not one in every row. It returns what the files are like that each cell reads.
func checkCells(ask form.Asker, path string, set []string, fields []sweep.Field) (stamps map[string]string, err error) {
	grid, err := sweep.Grid(fields)
	if err != nil {
		return nil, err
	}
	stamps = map[string]string{}
	bad := 0
	for _, c := range grid {
		values := c.Settings(fields)
		s, failed := form.LoadSpec(ask.Context, path, append(append([]string{}, set...), values...)...)
		if stamps[strings.Join(values, "\x00")] = ""; failed == nil {
			stamps[strings.Join(values, "\x00")] = studies.Stamp(s.Data.Path) + studies.Stamp(s.Graph)
			continue
		}
		if bad++; err == nil {
			err = failed
		}
	}
	if bad == len(grid) {
		return nil, err
	}
	return stamps, nil
}

func cellLine(ended, cells int, r sweep.Row, again bool, fields []sweep.Field) string {
	text := fmt.Sprintf("%d of %d  %s: ", ended, cells, r.Cell.Name(fields))
	switch {
	case r.Error != "":
		return text + r.Why()
	case r.Classifies:
		text += fmt.Sprintf("accuracy %.4g", float64(r.Score))
	default:
		text += fmt.Sprintf("test loss %.4g", float64(r.Score))
	}
	text += fmt.Sprintf(", mean loss %s (%s)", form.Loss(r.Mean, r.Status), statusOf(r))
	if again {
		text += ", from an earlier run"
	}
	return text
}

// statusOf is the status of a row's losses, and whether they are a worker's word.
func statusOf(r sweep.Row) string {
	if r.By != "" {
		return string(r.Status) + ": as a worker says"
	}
	return string(r.Status)
}

// sweepKey is all that cells depend on besides their settings: the program, the text of the
// spec, where it reads its data from, and what is set of it.
func sweepKey(path string, set []string) (string, error) {
	program, err := studies.ProgramHash()
	if err != nil {
		return "", err
	}
	text, err := regular.Read(path, spec.Largest)
	if err != nil {
		return "", fault.Wrap(err, "cannot read "+path, "check the name of the spec")
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", fault.Wrap(err, "cannot tell where "+path+" is", "give its whole path")
	}
	return strings.Join(append([]string{program, filepath.Dir(whole), string(text)}, set...), "\x00"), nil
}

// programStamp tells a program from another, and from itself before a file that its command names was changed.
func programStamp(command string) string {
	stamp := command
	words, _ := trainer.Words(strings.TrimPrefix(command, "unix:")) // what is wrong with it is said when it is started
	for _, word := range words {
		stamp += "\x00" + studies.Stamp(word)
	}
	return stamp
}

// checkTable makes the folder of a table, if one is wanted, and refuses one that cannot be written to or has a page
// of something else: before the first cell runs and not after the last.
func checkTable(out string) error {
	if out == "" {
		return nil
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
	}
	_, table := os.Stat(filepath.Join(out, "sweep.csv"))
	if _, err := os.Stat(filepath.Join(out, "index.html")); err == nil && table != nil {
		return fault.New(fmt.Sprintf("output folder %s has an index.html that is not of a sweep", out), "choose a new folder")
	}
	if err := form.TryFolder(out); err != nil {
		return fault.Wrap(err, "cannot write to the output folder", "choose a folder you may write to")
	}
	return nil
}

// writeTable writes the table and the page.
func writeTable(out, name string, fields []sweep.Field, rows []sweep.Row) error {
	for file, write := range map[string]func(io.Writer) error{
		"sweep.csv":     func(w io.Writer) error { return sweep.WriteCSV(w, fields, rows) },
		"sweep.parquet": func(w io.Writer) error { return columnar.Write(w, sweep.Columns(fields, rows)) },
		"index.html":    func(w io.Writer) error { return sweep.WritePage(w, name, fields, rows) },
	} {
		if err := regular.Write(filepath.Join(out, file), 0o644, write); err != nil {
			return fault.Wrap(err, "cannot write "+file, "check the space left and your rights in "+out)
		}
	}
	return nil
}

func writeSweep(ask form.Asker, name, out string, fields []sweep.Field, rows []sweep.Row) error {
	if out != "" {
		if err := writeTable(out, name, fields, rows); err != nil {
			return err
		}
	}
	failed := 0
	for _, r := range rows {
		if r.Error != "" {
			failed++
		}
	}
	var err error
	if ask.JSON {
		err = ask.Value(sweep.WithNames(fields, rows))
	} else {
		err = sweep.WriteText(ask.Stdout, fields, rows)
	}
	if err == nil && failed == len(rows) && failed > 1 && !slices.ContainsFunc(rows, func(r sweep.Row) bool { return r.Error != rows[0].Error }) {
		return fault.New(fmt.Sprintf("all %d cells fail: %s", failed, rows[0].Error), rows[0].Hint)
	}
	if err == nil && failed > 0 {
		return fault.New(fmt.Sprintf("%d of %d cells failed", failed, len(rows)), "the rows say why; the same command runs them again")
	}
	return err
}

// A SweepQuestion holds the settings of `hearsay sweep`.
type SweepQuestion struct {
	Vary, Set []string
	Out       string
	Workers   int
	Cache     form.Cache
	Queued    QueueQuestion
	Check     checked
	Model     form.Program
}

// Sweep runs a spec over a grid of settings.
func (q *SweepQuestion) Sweep(ask form.Asker, args []string) error {
	switch {
	case q.Workers < 0:
		return fault.New(fmt.Sprintf("--workers %d", q.Workers), "give how many cells run side by side, such as 2")
	case !(q.Check.Share >= 0 && q.Check.Share <= 1):
		return fault.New(fmt.Sprintf("--verify %g", q.Check.Share), "give a share of the cells from 0 to 1, such as 0.1")
	case (q.Check.Share > 0 || q.Check.Price) && !q.Queued.Given():
		return fault.New("--verify and --price are for cells that others run", "leave them out, or give --queue or --nats")
	case q.Model.Command != "" && q.Queued.Given():
		return fault.New("--model: workers of a queue start no program that somebody else names", "leave --queue and --nats out: the program's answers are computed here")
	}
	return q.sweep(ask, args[0])
}
