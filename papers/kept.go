package papers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A Record is a finished study as its folder keeps it: the findings, the program, the data and the duration.
type Record struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Source   string    `json:"source"`
	Key      string    `json:"key"` // of the program, its data folder and whether it is quick; results are valid for one key only
	Quick    bool      `json:"quick"`
	Seconds  float64   `json:"seconds"`
	Findings *Findings `json:"findings"`

	study Study
}

// recordFile is the record in a study's folder. It is written last, so a folder without it is incomplete.
const recordFile = "findings.json"

// Make runs the study, or its quick version.
func (s Study) Make(ctx context.Context, data string, quick bool, say func(string)) (*Record, error) {
	if quick {
		s = s.Quick()
	}
	begun := time.Now()
	found, err := s.Findings(ctx, data, say)
	if err != nil {
		return nil, err
	}
	if quick {
		found.noteNotAsked(s.ID)
	}
	return &Record{ID: s.ID, Title: s.Title, Source: s.Source, Quick: quick, Seconds: time.Since(begun).Seconds(), Findings: found, study: s}, nil
}

// Recall returns the record of the study in folder under key. It returns nil if there is none.
func (s Study) Recall(folder, key string) *Record {
	text, err := regular.Read(filepath.Join(folder, recordFile), regular.MostFile)
	if err != nil {
		return nil
	}
	r := &Record{study: s}
	if json.Unmarshal(text, r) != nil || r.Key != key || r.ID != s.ID || r.Findings == nil {
		return nil
	}
	return r
}

// Place returns the folder of a study's record: folder itself, or a folder in it if it holds another study's record.
func (s Study) Place(folder string) string {
	text, err := regular.Read(filepath.Join(folder, recordFile), regular.MostFile)
	other := &Record{}
	if err != nil || json.Unmarshal(text, other) != nil || other.ID == s.ID {
		return folder
	}
	return filepath.Join(folder, s.ID)
}

// Write writes the record to folder: tables as CSV, figures as SVG, a page, and the record itself. Each file appears
// complete or not at all.
func (r *Record) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
	}
	for _, f := range r.files() {
		if err := regular.Write(filepath.Join(folder, f.name), 0o644, f.write); err != nil {
			return fault.Wrap(err, "cannot write "+f.name, "check the space left and the rights of "+folder)
		}
	}
	return nil
}

type file struct {
	name  string
	write func(io.Writer) error
}

// files returns the files of a record, the record itself last.
func (r *Record) files() (list []file) {
	for _, t := range r.Findings.Tables {
		list = append(list, file{t.Name + ".csv", t.WriteCSV})
	}
	for _, f := range r.figures() {
		list = append(list, file{f.name + ".svg", func(w io.Writer) error { _, err := w.Write(f.svg); return err }})
	}
	return append(list, file{"index.html", r.writePage}, file{recordFile, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	}})
}

type figure struct {
	name string
	svg  []byte
}

// figures returns the charts of a record, and the chart of its runs.
func (r *Record) figures() (list []figure) {
	draw := func(name string, write func(io.Writer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			panic(fmt.Sprintf("drawing %s into memory: %v", name, err))
		}
		list = append(list, figure{name, b.Bytes()})
	}
	if len(r.Findings.Outcomes) > 0 {
		draw("figure", func(w io.Writer) error { return r.study.WriteChart(w, r.Findings.Outcomes) })
	}
	for _, c := range r.Findings.Charts {
		draw(c.Name, c.WriteSVG)
	}
	return list
}
