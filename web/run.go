package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/hearsay-dp/hearsay/report"
)

// summary summarises a folder for the list.
func summary(e Entry) Entry {
	e.Reading = false
	_, err := safely(func() (any, error) { return nil, e.look() })
	if err != nil {
		e.Problem = clipped(err.Error(), 300)
	}
	return e
}

// look fills in the summary by kind.
func (e *Entry) look() error {
	switch e.Kind {
	case Run:
		r, err := readResult(e.at)
		if err != nil {
			return err
		}
		if r.Algorithm == "" {
			e.Kind = Other
			return nil
		}
		e.summarise(r)
		return nil
	case Running:
		p, err := readProgress(*e)
		if err == nil && p.Name != "" {
			e.Name = p.Name
		}
		return err
	case Sweep:
		return e.lookSweep()
	case Study:
		return e.lookStudy()
	case Node:
		return e.lookNode()
	}
	return nil
}

// readResult returns the result of the run in a folder.
func readResult(b below) (*report.Result, error) {
	text, err := b.read("result.json", mostResult)
	if err != nil {
		return nil, err
	}
	r := &report.Result{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("result.json is no whole result: %w", err)
	}
	for i := range r.Trials {
		r.Trials[i].Model = nil // it may be long and is not shown
	}
	return r, nil
}

// A runView is the data of the page of a run.
type runView struct {
	Entry
	Shown    report.Shown      `json:"shown"`
	Curve    []report.Point    `json:"curve"`
	Scores   bool              `json:"scores"`    // the curve has test accuracies
	Goals    bool              `json:"goals"`     // the curve has the objective
	Settled  bool              `json:"consensus"` // the curve has the distance between nodes
	Trials   int               `json:"trials"`
	Model    string            `json:"model"`
	Data     report.Data       `json:"data"`
	Graph    report.Graph      `json:"graph"`
	Brackets []report.Bracket  `json:"brackets"`
	Notes    []string          `json:"run_notes"`
	Versions map[string]string `json:"versions"`
	Spec     string            `json:"spec"`
	Files    []fileView        `json:"files"`
	Pairs    bool              `json:"pairs"` // losses of pairs can be queried
}

func (s *Server) run(_ *http.Request, e Entry) (any, error) {
	r, err := readResult(e.at)
	if err != nil {
		return nil, err
	}
	e.summarise(r)
	v := runView{
		Entry: e, Shown: report.Show(r), Curve: r.Curve, Scores: r.Final.TestAccuracy != nil, Goals: r.Final.Objective != nil, Settled: r.Final.Consensus != nil,
		Trials: len(r.Trials), Model: r.Model, Data: r.Data, Graph: r.Graph, Brackets: r.Privacy.Brackets, Notes: r.Notes, Versions: r.Versions, Files: filesOf(e),
	}
	if spec, err := e.at.read("spec.yaml", mostSmall); err == nil {
		v.Spec = string(spec)
	}
	_, v.Pairs = e.at.stampOf("privacy.npz")
	return v, nil
}

// pairsView is the data of the page's part about pairs, in the format of the report's script.
type pairsView struct {
	Nodes       int                `json:"nodes"`
	Names       []string           `json:"names"` // null: node 0, node 1, ...
	File        string             `json:"file"`
	Delta       float64            `json:"delta"`
	Order       float64            `json:"order"`
	Record      string             `json:"record,omitempty"`
	Palette     []string           `json:"palette"`
	Accountants []account          `json:"accountants"`
	Lead        int                `json:"lead"` // index of the leading accountant
	About       int                `json:"about"`
	Observer    int                `json:"observer"`
	Distances   bool               `json:"distances"`
	Picture     *picture           `json:"picture"` // null: the graph is not known
	Each        *report.NodeLosses `json:"each"`
}

func (s *Server) pairs(_ *http.Request, e Entry) (any, error) {
	l, err := s.lossesOf(e)
	if err != nil {
		return nil, err
	}
	r, err := readResult(e.at)
	if err != nil {
		return nil, err
	}
	if r.Graph.Nodes != l.n {
		return nil, fmt.Errorf("privacy.npz is of %d nodes, result.json of %d", l.n, r.Graph.Nodes)
	}
	v := pairsView{
		Nodes: l.n, Names: namesOf(e.at, l.n), File: "privacy.csv", Delta: r.Privacy.Delta, Order: r.Privacy.Order, Record: r.Privacy.OneRecord(),
		Palette: report.Palette(), Accountants: l.accounts, Distances: l.hops != nil, Picture: l.picture, Each: r.Privacy.Nodes,
	}
	v.Lead, v.About, v.Observer = l.worst()
	return v, nil
}

func (s *Server) observer(r *http.Request, e Entry) (any, error) {
	return s.lossList(r, e, (*losses).toward)
}

func (s *Server) about(r *http.Request, e Entry) (any, error) {
	return s.lossList(r, e, (*losses).from)
}

func (s *Server) lossList(r *http.Request, e Entry, list func(*losses, int) []byte) (any, error) {
	l, err := s.lossesOf(e)
	if err != nil {
		return nil, err
	}
	node, err := strconv.Atoi(r.PathValue("node"))
	if err != nil || node < 0 || node >= l.n {
		return nil, missing(fmt.Sprintf("nodes are 0 to %d", l.n-1))
	}
	return raw(list(l, node)), nil
}

// A keptLosses holds the cached losses of one version of one run.
type keptLosses struct {
	id   string
	mark stamp
	*losses
}

// mostKept is the largest size in bytes of cached losses besides the last ones.
const mostKept = 256 << 20

// lossesOf returns the losses of a run, from the cache if possible.
func (s *Server) lossesOf(e Entry) (*losses, error) {
	s.lossMu.Lock()
	defer s.lossMu.Unlock()
	mark, there := e.at.stampOf("privacy.npz")
	if !there {
		return nil, missing("the losses of single pairs were not written for this run (privacy.npz, up to 4096 nodes)")
	}
	for _, k := range s.losses {
		if k.id == e.ID && k.mark == mark {
			return k.losses, nil
		}
	}
	l, err := readLosses(e.at)
	if err != nil {
		return nil, err
	}
	kept, size := []keptLosses{{e.ID, mark, l}}, int64(0)
	for _, k := range s.losses {
		if size += k.bytes(); k.id != e.ID && size <= mostKept {
			kept = append(kept, k)
		}
	}
	s.losses = kept
	return l, nil
}

// namesOf returns the names of nodes (nodes.csv). It returns nil if they are only numbers.
func namesOf(b below, n int) []string {
	file, err := b.file("nodes.csv", mostTable)
	if err != nil {
		return nil
	}
	defer file.Close()
	in := csv.NewReader(io.LimitReader(file, mostTable))
	in.ReuseRecord, in.FieldsPerRecord = true, -1
	names, own := make([]string, 0, n), false
	for i := -1; ; i++ {
		record, err := in.Read()
		switch {
		case err == io.EOF && len(names) == n && own:
			return names
		case err != nil || len(record) < 2 || len(names) > n:
			return nil
		case i < 0: // the header
			continue
		}
		own = own || record[1] != fmt.Sprintf("node %d", i)
		names = append(names, clipped(record[1], mostName))
	}
}
