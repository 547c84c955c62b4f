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

// A Record is a study that was run, as its folder keeps it: what was found, by which
// program, of which data and how fast.
type Record struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Source   string    `json:"source"`
	Key      string    `json:"key"` // of the program, its data folder and whether it is quick; another key is another result
	Quick    bool      `json:"quick"`
	Seconds  float64   `json:"seconds"`
	Findings *Findings `json:"findings"`

	study Study
}

// recordFile is the record in a study's folder, written last: a folder without it is not
// complete.
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

// Recall is the record of the study that folder has under key, nil if there is none.
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

// Place is where a study's record goes that is to be in folder: that itself, or a folder of its own in it where another study's record is.
func (s Study) Place(folder string) string {
	text, err := regular.Read(filepath.Join(folder, recordFile), regular.MostFile)
	other := &Record{}
	if err != nil || json.Unmarshal(text, other) != nil || other.ID == s.ID {
		return folder
	}
	return filepath.Join(folder, s.ID)
}

// Write keeps the record in folder: tables as CSV, figures as SVG, a page, and the record
// itself; each file whole or not at all.
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

// files are those of a record, itself last.
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

// figures are its charts, and that of its runs.
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
