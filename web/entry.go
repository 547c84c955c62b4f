package web

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"time"

	"github.com/hearsay-dp/hearsay/report"
)

// A Kind is the kind of content of a folder.
type Kind string

// The kinds of folders.
const (
	Run     Kind = "run"     // hearsay run --out
	Running Kind = "running" // progress file of a run that is not finished
	Sweep   Kind = "sweep"   // hearsay sweep --out
	Node    Kind = "node"    // folder of a participant: hearsay node --dir
	Study   Kind = "study"   // hearsay papers run --out
	Other   Kind = "other"   // result of another command
)

// An Entry is one folder in the list.
type Entry struct {
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	Name    string    `json:"name"`
	Place   string    `json:"place"` // the folder, relative to the given ones
	Changed time.Time `json:"changed"`
	Problem string    `json:"problem,omitempty"` // why there is no summary
	Reading bool      `json:"reading,omitempty"` // not summarised yet

	Algorithm string   `json:"algorithm,omitempty"`
	Nodes     int      `json:"nodes,omitempty"`
	Score     string   `json:"score,omitempty"`
	Loss      string   `json:"loss,omitempty"` // mean and worst pair, by the best sound accountant
	Status    string   `json:"status,omitempty"`
	Unit      string   `json:"unit,omitempty"`
	Metric    string   `json:"metric,omitempty"`
	Facts     []string `json:"facts,omitempty"` // of other kinds, in words

	at   below
	mark stamp // of the file behind the summary
}

// idOf returns the id of a folder. The page refers to folders by id and never
// by path.
func idOf(b below) string {
	sum := sha256.Sum256([]byte(b.dir + "\x00" + b.path))
	return hex.EncodeToString(sum[:8])
}

// label returns the place of a folder as the list shows it.
func (b below) label() string {
	if b.path == "." {
		return filepath.Base(filepath.Clean(b.dir))
	}
	return path.Join(filepath.Base(filepath.Clean(b.dir)), b.path)
}

// clipped shortens a text to at most most characters.
func clipped(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

// mostName is the largest length of a name in the list.
const mostName = 120

// summarise fills in the list entry of a result.
func (e *Entry) summarise(r *report.Result) {
	e.Name, e.Algorithm, e.Nodes = clipped(r.Name, mostName), clipped(r.Algorithm, 40), r.Graph.Nodes
	shown := report.Show(r)
	if len(shown.Figures) > 0 {
		e.Score = shown.Figures[0].Label + " " + shown.Figures[0].Value
	}
	p := &r.Privacy
	e.Unit, e.Metric = clipped(p.Unit, 40), clipped(p.Metric, 60)
	if best := report.Best(p); best != nil {
		a := report.ShownOf(*best)
		e.Loss, e.Status = "mean "+a.Mean+", worst "+a.Max, string(a.Status)
	}
}
