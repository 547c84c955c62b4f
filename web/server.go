package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Options configure a Server.
type Options struct {
	Dirs    []string
	Version string
	Now     func() time.Time

	// Explain describes in words how much one node of a run could learn about another. If Explain is
	// nil there are no explanations. Explain calls say at each stage. It may take minutes and must
	// stop when its context ends.
	Explain func(ctx context.Context, a Ask, say func(string)) (*Explanation, error)
	// Node returns the state of the participant with folder dir. If it is nil nodes are not
	// shown. It is called every few seconds while the page is open, and must return in
	// milliseconds.
	Node func(ctx context.Context, dir string) (*NodeView, error)
	// Docs answers requests below /docs/, without that prefix. If it is nil there is no documentation.
	Docs http.Handler
}

// A Server answers the requests of the page.
type Server struct {
	options Options
	places  []place
	jobs    *jobs
	cells   cells

	mu      sync.Mutex
	entries []Entry
	notes   []string
	known   map[string]Entry // by id; those that have been summarised
	scanned time.Time
	pause   time.Duration // least time between two searches

	lossMu sync.Mutex // one run's losses are read at a time
	losses []keptLosses
}

// New returns a Server. Close ends its background work.
func New(o Options) *Server {
	s := &Server{options: o, known: map[string]Entry{}, jobs: newJobs(o.Explain, o.Now)}
	for _, dir := range o.Dirs {
		s.places = append(s.places, place{dir})
	}
	return s
}

// Close ends running explanations.
func (s *Server) Close() { s.jobs.close() }

// Handler returns the handler of all requests. It does not check access (Guard).
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.pages(mux)
	api := func(path string, answer func(r *http.Request) (any, error)) {
		mux.HandleFunc("GET /api/"+path, func(w http.ResponseWriter, r *http.Request) {
			value, err := safely(func() (any, error) { return answer(r) })
			reply(w, r, value, err)
		})
	}
	api("list", s.list)
	api("run/{id}", of(s, Run, s.run))
	api("run/{id}/pairs", of(s, Run, s.pairs))
	api("run/{id}/observer/{node}", of(s, Run, s.observer))
	api("run/{id}/about/{node}", of(s, Run, s.about))
	api("run/{id}/explain", of(s, Run, s.explain))
	api("running/{id}", of(s, Running, func(_ *http.Request, e Entry) (any, error) { return readProgress(e) }))
	api("sweep/{id}", of(s, Sweep, s.sweep))
	api("study/{id}", of(s, Study, s.study))
	api("node/{id}", of(s, Node, s.node))
	api("compare", s.compare)
	mux.HandleFunc("GET /files/{id}/{name}", s.file)
	if s.options.Docs != nil {
		mux.Handle("GET /docs/", http.StripPrefix("/docs/", s.options.Docs))
	}
	mux.HandleFunc("GET /api/", func(w http.ResponseWriter, r *http.Request) { reply(w, r, nil, missing("there is no such question")) })
	return mux
}

// of returns a handler for requests about one entry of a kind.
func of(s *Server, kind Kind, answer func(*http.Request, Entry) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		e, err := s.entry(r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		if e.Kind != kind {
			return nil, missing(fmt.Sprintf("%s is no %s", e.Place, kind))
		}
		return answer(r, e)
	}
}

// missing is the error for something that does not exist.
type missing string

func (m missing) Error() string { return string(m) }

// safely converts a panic to an error, because files may hold anything.
func safely(do func() (any, error)) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, fmt.Errorf("what it holds is no whole result: %.200v", p)
		}
	}()
	return do()
}

// raw is a response that is not JSON.
type raw []byte

// reply writes a response, or 304 if the client has it already.
func reply(w http.ResponseWriter, r *http.Request, value any, err error) {
	code := http.StatusOK
	if err != nil {
		value = map[string]string{"error": clipped(err.Error(), 1000)}
		code = http.StatusUnprocessableEntity
		if m := missing(""); errors.As(err, &m) {
			code = http.StatusNotFound
		}
	}
	body, binary := value.(raw)
	if !binary {
		body, err = json.Marshal(value)
		if err != nil {
			code, body = http.StatusInternalServerError, []byte(`{"error":"this cannot be written as JSON"}`)
		}
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	if code == http.StatusOK && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if binary {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	w.WriteHeader(code)
	_, _ = w.Write(body) // the client may have gone
}

// listing is the data of the list.
type listing struct {
	Entries []Entry  `json:"entries"`
	Notes   []string `json:"notes"`
	Version string   `json:"version"`
	Dirs    []string `json:"dirs"`
}

func (s *Server) list(*http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return listing{Entries: append([]Entry{}, s.entries...), Notes: s.notes, Version: s.options.Version, Dirs: s.options.Dirs}, nil
}

// leastPause is the least time between two searches. The time is also at least ten times the
// duration of the last one.
const leastPause = time.Second

// mostSummary is the time for summarising results in one response. The rest comes with the
// next.
const mostSummary = time.Second

// refresh searches the folders again, unless the last search is recent. s.mu must be held.
func (s *Server) refresh() {
	began := s.options.Now()
	unread := false
	for _, e := range s.entries {
		unread = unread || e.Reading
	}
	if !unread && began.Sub(s.scanned) < max(leastPause, s.pause) {
		return
	}
	found, notes := find(s.places)
	took := s.options.Now().Sub(began)
	s.pause = 10 * took
	known := make(map[string]Entry, len(found))
	for i, e := range found {
		if old, ok := s.known[e.ID]; ok && old.mark == e.mark && old.Kind == e.Kind && old.Changed.Equal(e.Changed) {
			found[i] = old
		} else if s.options.Now().Sub(began)-took < mostSummary {
			found[i] = summary(e)
		}
		if !found[i].Reading {
			known[e.ID] = found[i]
		}
	}
	s.entries, s.notes, s.known, s.scanned = found, notes, known, began
}

// entry returns the entry with that id.
func (s *Server) entry(id string) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 2 {
		for _, e := range s.entries {
			if e.ID == id {
				return e, nil
			}
		}
		s.scanned = time.Time{} // it may be new
		s.refresh()
	}
	return Entry{}, missing("it is not in the folders any more")
}
