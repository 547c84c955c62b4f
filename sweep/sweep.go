package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
)

// A Sweep is a grid and the way in which its cells are run.
type Sweep struct {
	Fields  []Field
	Folder  string                         // stores results of cells; "": they are not stored
	Key     func(settings []string) string // of everything that a cell's result depends on
	Files   []string                       // absolute paths that results may hold; stored results name them relative to their folder
	Workers int                            // number of cells run in parallel
	// Run runs a cell with its settings. It must be safe for concurrent use.
	Run func(ctx context.Context, settings []string) (*report.Result, error)
	// Away, if not nil, runs cells elsewhere instead.
	Away Away
	// Priced, if not nil, reports whether the losses of a stored result that a worker sent are also computed here. A
	// cell with other losses is run again.
	Priced func(settings []string, r *report.Result) (bool, error)
}

// kept is the file of a cell. Its result is raw JSON for writing and decoded for reading.
type kept[R json.RawMessage | *report.Result] struct {
	Key      string   `json:"key"`
	Settings []string `json:"settings"`
	By       string   `json:"by,omitempty"` // name of the worker that computed the losses; "": they were computed here
	Result   R        `json:"result"`
}

// Rows runs every cell that is not stored. It calls done with each row, one at a time. A failed cell has a row with the
// error and is run again the next time. The rows are in the order of the grid, with the Pareto front marked. Rows fails
// only if the context ends, the grid is invalid, a result cannot be stored, or Away or Priced fails.
func (s Sweep) Rows(ctx context.Context, done func(r Row, again bool)) ([]Row, error) {
	cells, err := Grid(s.Fields)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(cells))
	if s.Away != nil {
		if err := s.away(ctx, cells, rows, done); err != nil {
			return nil, err
		}
		Frontier(rows, LossAxis(s.Fields))
		return rows, nil
	}
	var one sync.Mutex
	err = sim.Each(ctx, len(cells), s.Workers, func(ctx context.Context, i int) error {
		row, again, err := s.row(ctx, cells[i])
		if err != nil {
			return err
		}
		one.Lock()
		defer one.Unlock()
		rows[i] = row
		done(row, again)
		return nil
	})
	if err != nil {
		return nil, err
	}
	Frontier(rows, LossAxis(s.Fields))
	return rows, nil
}

func (s Sweep) row(ctx context.Context, c Cell) (row Row, again bool, err error) {
	settings := c.Settings(s.Fields)
	r, by, err := s.known(settings)
	if err != nil {
		return row, false, err
	}
	if r != nil {
		return NewRow(c, r).as(by), true, nil
	}
	r, err = s.Run(ctx, settings)
	switch {
	case ctx.Err() != nil:
		return row, false, ctx.Err()
	case err != nil:
		return Row{Cell: c, Values: c.Values, Error: err.Error(), Hint: fault.Hint(err)}, false, nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return row, false, err
	}
	return NewRow(c, r), false, s.keep(settings, "", text)
}

// path returns the file of a cell. Its name depends on everything that the result depends on.
func (s Sweep) path(settings []string) string {
	sum := sha256.Sum256([]byte(s.Key(settings)))
	return filepath.Join(s.Folder, "cells", fmt.Sprintf("%x.json", sum[:16]))
}

// known returns a stored result that need not be run again, and the worker that sent it.
func (s Sweep) known(settings []string) (r *report.Result, by string, err error) {
	if r, by = s.recall(settings); r == nil || by == "" || s.Priced == nil {
		return r, by, nil
	}
	if same, err := s.Priced(settings, r); err != nil || !same {
		return nil, "", err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, "", err
	}
	return r, "", s.keep(settings, "", text)
}

// recall returns a stored result and the worker that sent it.
func (s Sweep) recall(settings []string) (r *report.Result, by string) {
	if s.Folder == "" {
		return nil, ""
	}
	text, err := regular.Read(s.path(settings), regular.MostFile)
	if err != nil {
		return nil, ""
	}
	var k kept[*report.Result]
	if json.Unmarshal(text, &k) != nil || k.Key != s.Key(settings) {
		return nil, ""
	}
	return k.Result, k.By
}

// keep stores the result of a cell, as JSON, and the worker that sent it.
func (s Sweep) keep(settings []string, by string, result json.RawMessage) error {
	if s.Folder == "" {
		return nil
	}
	path := s.path(settings)
	result, err := s.named(filepath.Dir(path), result)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Wrap(err, "cannot make the folder of cells", "choose a folder you may write to")
	}
	err = regular.Write(path, 0o644, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(kept[json.RawMessage]{s.Key(settings), settings, by, result})
	})
	if err != nil {
		return fault.Wrap(err, "cannot keep a cell", "check the space left and your rights in "+s.Folder)
	}
	return nil
}

// named returns a result whose file names are relative to folder, so that publishing it does not reveal its author's
// folders. A file on another volume keeps its path.
func (s Sweep) named(folder string, result json.RawMessage) (json.RawMessage, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return nil, fault.Wrap(err, "cannot tell where "+folder+" is", "give its whole path")
	}
	var pairs []string
	for _, path := range s.Files {
		name, err := filepath.Rel(from, path)
		if path == "" || err != nil {
			continue
		}
		pairs = append(pairs, inJSON(path), inJSON(filepath.ToSlash(name)))
	}
	return json.RawMessage(strings.NewReplacer(pairs...).Replace(string(result))), nil
}

// inJSON returns a text as a JSON string.
func inJSON(text string) string {
	written, err := json.Marshal(text)
	if err != nil {
		panic("sweep: " + err.Error()) // a text
	}
	return string(written)
}
