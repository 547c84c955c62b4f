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

// fileView is a file that can be downloaded or opened.
type fileView struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Page  bool   `json:"page"` // opened in the browser, not saved
}

// mostFile is the largest number of bytes of a file that are sent.
const mostFile = 1 << 30

// handed lists the files of each kind that are served, besides the files of runs.
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

// filesOf returns the existing files of an entry.
func filesOf(e Entry) (list []fileView) {
	for _, name := range handedOf(e.Kind) {
		if at, there := e.at.stampOf(name); there {
			list = append(list, fileView{name, at.size, path.Ext(name) == ".html"})
		}
	}
	return list
}

// pagePolicy is the policy for pages that runs wrote. Their scripts may draw, but run in
// an opaque origin that cannot query this server.
const pagePolicy = "sandbox allow-scripts allow-downloads; default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

// file serves a file of an entry.
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
	_, _ = io.Copy(w, io.LimitReader(file, mostFile)) // the client may have gone
}

// savedAs returns the name of a file with the name of its folder, in plain characters.
func savedAs(e Entry, name string) string {
	plain := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}
	return clipped(strings.Map(plain, path.Base(e.Place)), 60) + "-" + name
}
