package web

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
)

// mostCells is the largest number of cells that are shown.
const mostCells = 20_000

// A sweepView is the data of the page of a sweep.
type sweepView struct {
	Entry
	Keys   []string   `json:"keys"`
	Rows   []sweepRow `json:"rows"`
	Failed int        `json:"failed"`
	Ended  bool       `json:"ended"` // its table is written; otherwise cells are shown as they end
	Notes  []string   `json:"sweep_notes"`
	Files  []fileView `json:"files"`
}

// A sweepRow is a row with its losses as text.
type sweepRow struct {
	sweep.Row
	MeanText string `json:"mean_text"`
	MaxText  string `json:"max_text"`
}

func rowsShown(rows []sweep.Row) []sweepRow {
	list := make([]sweepRow, len(rows))
	for i, r := range rows {
		list[i] = sweepRow{Row: r}
		if r.Error == "" {
			list[i].MeanText, list[i].MaxText = report.Bound(float64(r.Mean), r.Status), report.Bound(float64(r.Max), r.Status)
		}
		for k, v := range r.Values {
			list[i].Values[k] = clipped(v, mostName)
		}
		list[i].Error, list[i].Hint = clipped(r.Error, 500), clipped(r.Hint, 500)
	}
	return list
}

func (s *Server) sweep(_ *http.Request, e Entry) (any, error) {
	v := sweepView{Entry: e, Files: filesOf(e)}
	keys, rows, ended, err := s.cellsOf(e)
	if err != nil {
		return nil, err
	}
	v.Keys, v.Rows, v.Ended = keys, rowsShown(rows), ended
	for _, r := range rows {
		if r.Error != "" {
			v.Failed++
		}
	}
	if len(rows) == mostCells {
		v.Notes = append(v.Notes, fmt.Sprintf("The first %d cells are shown.", mostCells))
	}
	return v, nil
}

// cellsOf returns the rows of a sweep: from its table, or from the existing cells while it
// runs.
func (s *Server) cellsOf(e Entry) (keys []string, rows []sweep.Row, ended bool, err error) {
	names := e.cellNames()
	keys, rows, err = tableOf(e.at)
	good := 0
	for _, r := range rows {
		if r.Error == "" {
			good += max(1, r.Repeats) // a row of repeats stands for that many cells
		}
	}
	if err == nil && len(names) <= good {
		return keys, rows, true, nil
	}
	if len(names) == 0 {
		return nil, nil, false, err
	}
	keys, rows = s.cells.rows(e.at, names)
	sweep.Frontier(rows, sweep.LossAxis(sweep.FieldsOf(keys, rows)))
	return keys, rows, false, nil
}

// tableOf reads sweep.csv.
func tableOf(b below) ([]string, []sweep.Row, error) {
	file, err := b.file("sweep.csv", mostTable)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	return sweep.ReadCSV(io.LimitReader(file, mostTable), mostCells)
}

// cellNames returns the files of the existing cells.
func (e *Entry) cellNames() (names []string) {
	root, err := e.at.open()
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, err := list(root.FS(), path.Join(e.at.path, "cells"))
	if err != nil {
		return nil
	}
	for name, at := range entries {
		if strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") && at.Type()&fs.ModeType == 0 && len(names) < mostCells {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (e *Entry) lookSweep() error {
	names := e.cellNames()
	keys, rows, err := tableOf(e.at)
	if err != nil && len(names) == 0 {
		return err
	}
	e.Nodes = 0
	switch {
	case err != nil:
		e.Facts = append(e.Facts, fmt.Sprintf("%d cells so far", len(names)))
	case len(keys) > 0:
		e.Facts = append(e.Facts, fmt.Sprintf("%d cells over %s", len(rows), clipped(strings.Join(keys, ", "), 80)))
	default:
		e.Facts = append(e.Facts, fmt.Sprintf("%d rows", len(rows)))
	}
	best := 0
	for _, r := range rows {
		if r.Best {
			best++
		}
	}
	if best > 0 {
		e.Facts = append(e.Facts, fmt.Sprintf("%d on the frontier", best))
	}
	return nil
}

// compareView is the comparison of several runs.
type compareView struct {
	Keys   []string      `json:"keys"`
	Rows   []sweepRow    `json:"rows"`
	Runs   []comparedRun `json:"runs"`
	Differ string        `json:"differ,omitempty"` // why their losses cannot be compared
}

type comparedRun struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Place string         `json:"place"`
	Curve []report.Point `json:"curve"`
	Shown report.Shown   `json:"shown"`
	Score bool           `json:"scores"`
}

// mostCompared is the largest number of runs in a comparison.
const mostCompared = 12

func (s *Server) compare(r *http.Request) (any, error) {
	ids := r.URL.Query()["run"]
	if len(ids) < 2 || len(ids) > mostCompared {
		return nil, missing(fmt.Sprintf("choose 2 to %d runs", mostCompared))
	}
	v := compareView{}
	var places []string
	var results []*report.Result
	metrics := map[string]bool{}
	for _, id := range ids {
		e, err := s.entry(id)
		if err != nil {
			return nil, err
		}
		if e.Kind != Run {
			return nil, missing(e.Place + " is no run")
		}
		result, err := readResult(e.at)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s", e.Place), err)
		}
		places, results = append(places, e.Place), append(results, result)
		metrics[result.Privacy.Metric+", unit: "+result.Privacy.Unit] = true
		v.Runs = append(v.Runs, comparedRun{id, clipped(result.Name, mostName), e.Place, result.Curve, report.Show(result), result.Final.TestAccuracy != nil})
	}
	fields, rows, err := sweep.Compare(places, results)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		v.Keys = append(v.Keys, f.Key)
	}
	v.Rows = rowsShown(rows)
	if len(metrics) > 1 {
		v.Differ = "Their losses are in different metrics or units of privacy: they are not to be compared."
	}
	return v, nil
}
