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
	"github.com/hearsay-dp/hearsay/sweep/figure"
	"github.com/hearsay-dp/hearsay/trainer"
)

func (q *SweepQuestion) sweep(ask form.Asker, path string) error {
	set, out, queued, check := q.Set, q.Out, q.Queued, q.Check
	settings, fields, err := q.fields(ask, path)
	if err != nil {
		return err
	}
	if err := q.checkFigures(settings); err != nil {
		return err
	}
	base, err := sweepKey(path, set)
	if err != nil {
		return err
	}
	keys, files, name, err := cellKeys(ask, path, set, fields, programStamp(q.Model.Command))
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
	if q.Model.Command == "" {
		if err := probe(ctx, ask.Stderr, settings, opener(ctx, path, set)); err != nil {
			return err
		}
	}
	programs := form.Programs{Program: q.Model}
	defer programs.Close()
	key := func(values []string) string { return keys[strings.Join(values, "\x00")] }
	s := sweep.Sweep{Fields: fields, Folder: out, Key: key, Files: files, Workers: q.Workers, Run: func(ctx context.Context, values []string) (*report.Result, error) {
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
	progress := newCellProgress(fields)
	rows, err := s.Rows(ctx, func(r sweep.Row, again bool) { fmt.Fprintln(ask.Stderr, progress.line(r, again)) })
	if errors.Is(err, context.Canceled) && out != "" {
		return fault.Wrap(err, "sweep", fmt.Sprintf("the cells that have ended, %d of %d, are kept in %s; the same command goes on with the others", progress.ended, progress.cells, out))
	}
	if err != nil {
		return err
	}
	if q.Repeat > 1 {
		rows = sweep.Together(settings, rows, q.Repeat)
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), ".yaml")
	}
	return q.write(ask, name, settings, rows)
}

// statusOf returns the status of a row's losses, and whether a worker computed them.
func statusOf(r sweep.Row) string {
	if r.By != "" {
		return string(r.Status) + ": as a worker says"
	}
	return string(r.Status)
}

// sweepKey returns everything that cells depend on besides their settings: the program, the text of the spec, the
// place of its data, and the common settings.
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

// programStamp identifies a program. It changes when a file in its command changes.
func programStamp(command string) string {
	stamp := command
	words, _ := trainer.Words(strings.TrimPrefix(command, "unix:")) // errors are reported at the start of the program
	for _, word := range words {
		stamp += "\x00" + studies.Stamp(word)
	}
	return stamp
}

// checkTable creates the folder of a table, if one is requested. It refuses a folder that cannot be written to or
// holds another page, before the first cell runs and not after the last.
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

// write writes the results of the sweep.
func (q *SweepQuestion) write(ask form.Asker, name string, fields []sweep.Field, rows []sweep.Row) error {
	out := q.Out
	if out != "" {
		if err := writeTable(out, name, fields, rows); err != nil {
			return err
		}
	}
	if err := q.draw(ask, fields, rows); err != nil {
		return err
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

// checkFigures refuses figures that cannot be drawn or written, before the first cell runs and not after the last.
func (q *SweepQuestion) checkFigures(fields []sweep.Field) error {
	for _, path := range q.Figures {
		if err := figure.Check(path); err != nil {
			return err
		}
		if _, err := figure.New(fields, nil); err != nil {
			return err
		}
	}
	if q.TableColumns != "" {
		switch {
		case q.Table == "":
			return fault.New("--table-columns "+q.TableColumns+" is about a table", "say where with --table FILE.tex")
		case !slices.ContainsFunc(fields, func(f sweep.Field) bool { return f.Key == q.TableColumns }):
			return figure.NoColumns(fields, q.TableColumns)
		}
	}
	for _, path := range append(slices.Clone(q.Figures), q.Table) {
		if path == "" {
			continue
		}
		if err := form.TryFolder(filepath.Dir(path)); err != nil {
			return fault.Wrap(err, "cannot write "+path, "choose a folder that is there and that you may write to")
		}
	}
	return nil
}

// draw writes figures and the table for a paper.
func (q *SweepQuestion) draw(ask form.Asker, fields []sweep.Field, rows []sweep.Row) error {
	if len(q.Figures) > 0 {
		drawn, err := figure.New(fields, rows)
		if err != nil {
			return err
		}
		for _, path := range q.Figures {
			if err := regular.Write(path, 0o644, func(w io.Writer) error { return drawn.Write(w, path) }); err != nil {
				return fault.Wrap(err, "cannot write "+path, "choose a folder you may write to, with space left")
			}
		}
		fmt.Fprintf(ask.Stderr, "what a caption has to say: %s\n", strings.Join(drawn.Notes, " "))
	}
	if q.Table == "" {
		return nil
	}
	if err := regular.Write(q.Table, 0o644, func(w io.Writer) error { return q.table(w, fields, rows) }); err != nil {
		return fault.Wrap(err, "cannot write "+q.Table, "choose a folder you may write to, with space left")
	}
	return nil
}

// table writes the rows in the form that is asked for.
func (q *SweepQuestion) table(w io.Writer, fields []sweep.Field, rows []sweep.Row) error {
	if q.TableColumns != "" {
		return figure.Pivot(w, fields, rows, q.TableColumns)
	}
	return figure.WriteTable(w, fields, rows)
}

// A SweepQuestion holds the settings of `hearsay sweep`.
type SweepQuestion struct {
	Vary, Set []string
	Out       string
	Repeat    int // runs of each setting, each with its own seed
	Figures   []string
	Table     string // a file of LaTeX

	TableColumns string // key whose values are columns of Table; "": a row is a line
	Workers      int
	Cache        form.Cache
	Queued       QueueQuestion
	Check        checked
	Model        form.Program
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
	case q.Table != "" && !strings.EqualFold(filepath.Ext(q.Table), ".tex"):
		return fault.New(fmt.Sprintf("--table %s: the format is not known", q.Table), "give a name that ends in .tex; sweep.csv in --out is a table for other programs")
	case q.Model.Command != "" && q.Queued.Given():
		return fault.New("--model: workers of a queue start no program that somebody else names", "leave --queue and --nats out: the program's answers are computed here")
	}
	return q.sweep(ask, args[0])
}
