package web

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// A studyView is the study of a paper in a folder (findings.json).
type studyView struct {
	Entry
	Title   string       `json:"title"`
	Source  string       `json:"source"`
	Quick   bool         `json:"quick"`
	Seconds float64      `json:"seconds"`
	Checks  []studyCheck `json:"checks"`
	Tables  []studyTable `json:"tables"`
	Files   []fileView   `json:"files"`
}

type studyCheck struct {
	Claim    string `json:"claim"`
	Basis    string `json:"basis"`
	Holds    bool   `json:"holds"`
	Measured string `json:"measured"`
}

type studyTable struct {
	Name   string     `json:"name"`
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
}

// mostStudyRows is the largest number of rows of a table that are shown.
const mostStudyRows = 200

func readStudy(b below) (*studyView, error) {
	text, err := b.read("findings.json", mostResult)
	if err != nil {
		return nil, err
	}
	var file struct {
		ID, Title, Source string
		Quick             bool
		Seconds           float64
		Findings          struct {
			Tables []studyTable
			Checks []studyCheck
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("findings.json: %w", err)
	}
	v := &studyView{Title: clipped(file.Title, 300), Source: clipped(file.Source, 300), Quick: file.Quick, Seconds: file.Seconds,
		Checks: file.Findings.Checks, Tables: file.Findings.Tables}
	v.Name = clipped(file.ID, mostName)
	for i, t := range v.Tables {
		v.Tables[i].Rows = t.Rows[:min(len(t.Rows), mostStudyRows)]
	}
	return v, nil
}

func (s *Server) study(_ *http.Request, e Entry) (any, error) {
	v, err := readStudy(e.at)
	if err != nil {
		return nil, err
	}
	e.Name = v.Name
	v.Entry, v.Files = e, filesOf(e)
	return v, nil
}

func (e *Entry) lookStudy() error {
	v, err := readStudy(e.at)
	if err != nil {
		return err
	}
	e.Name = v.Name
	holds := 0
	for _, c := range v.Checks {
		if c.Holds {
			holds++
		}
	}
	e.Facts = []string{v.Title, fmt.Sprintf("%d of %d claims hold", holds, len(v.Checks))}
	return nil
}
