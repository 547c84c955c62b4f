package web

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/report"
)

// fileView is a file that can be had.
type fileView struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Page  bool   `json:"page"` // it is opened, not saved
}

// mostFile is how many bytes of a file are handed on.
const mostFile = 1 << 30

// handed are the files that each kind hands on, besides reports' own.
var handed = map[Kind][]string{
	Sweep: {"sweep.csv", "index.html"},
	Study: {"index.html", "findings.json"},
	Node:  {"report.html", "report.json", "statement.json", "statement.txt", "model.json", "spec.yaml"},
	Other: {"report.html", "result.json"},
}

func handedOf(k Kind) []string {
	if k == Run {
		return report.FileNames()
	}
	return handed[k]
}

// filesOf are the files of an entry that are there.
func filesOf(e Entry) (list []fileView) {
	for _, name := range handedOf(e.Kind) {
		if at, there := e.at.stampOf(name); there {
			list = append(list, fileView{name, at.size, path.Ext(name) == ".html"})
		}
	}
	return list
}

// pagePolicy is for pages that runs wrote: their own script may draw, in an origin of its
// own that can ask this server nothing.
const pagePolicy = "sandbox allow-scripts allow-downloads; default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

// file hands on a file of an entry.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	e, err := s.entry(r.PathValue("id"))
	name := r.PathValue("name")
	if err == nil && !slices.Contains(handedOf(e.Kind), name) {
		err = missing("there is no such file to be had")
	}
	if err != nil {
		reply(w, r, nil, err)
		return
	}
	file, err := e.at.file(name, mostFile)
	if err != nil {
		reply(w, r, nil, missing(err.Error()))
		return
	}
	defer file.Close()
	switch path.Ext(name) {
	case ".html":
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", savedAs(e, name)))
	}
	_, _ = io.Copy(w, io.LimitReader(file, mostFile)) // who asked may have gone
}

// savedAs is the name of a file with that of its folder, of plain characters.
func savedAs(e Entry, name string) string {
	plain := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}
	return clipped(strings.Map(plain, path.Base(e.Place)), 60) + "-" + name
}
