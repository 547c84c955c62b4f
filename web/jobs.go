package web

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// An Ask is a question about a pair of nodes of a run.
type Ask struct {
	Dir             string // the run's folder
	Place           string // one of the folders that are shown, in which it is
	About, Observer int
}

// An Explanation is what one node could tell about another, as hearsay privacy explain says it.
type Explanation struct {
	Text []Paragraph `json:"text"`
}

// A Paragraph of an explanation.
type Paragraph struct {
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// explained is how far an explanation is.
type explained struct {
	State string       `json:"state"` // working, done or failed
	Said  []string     `json:"said"`  // stages, the last one going on
	Error string       `json:"error,omitempty"`
	Of    *Explanation `json:"of,omitempty"`
}

type jobKey struct {
	id              string
	mark            stamp
	about, observer int
}

// jobs works explanations out, one at a time: a question is asked again and again until
// the answer is there. A new question ends one that nobody has asked for in a while.
type jobs struct {
	explain func(context.Context, Ask, func(string)) (*Explanation, error)
	clock   func() time.Time

	mu     sync.Mutex
	done   map[jobKey]explained
	order  []jobKey // of done, oldest first
	now    jobKey
	asked  time.Time // when it was asked for last
	going  *explained
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

func newJobs(explain func(context.Context, Ask, func(string)) (*Explanation, error), clock func() time.Time) *jobs {
	return &jobs{explain: explain, clock: clock, done: map[jobKey]explained{}, cancel: func() {}}
}

// patience is how long an explanation is worked out that nobody asks for any more while
// another one is asked for.
const patience = 5 * time.Second

// mostDone is how many explanations are kept.
const mostDone = 200

// ask is the answer so far; it begins to work one out where there is none.
func (j *jobs) ask(k jobKey, a Ask) explained {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e, ok := j.done[k]; ok {
		return e
	}
	now := j.clock()
	switch {
	case j.going != nil && j.now == k:
		j.asked = now
		return explained{State: "working", Said: append([]string{}, j.going.Said...)}
	case j.going != nil && now.Sub(j.asked) < patience:
		return explained{State: "working", Said: []string{"another explanation is being worked out first"}}
	}
	j.asked = now
	j.cancel()
	j.begin(k, a)
	return explained{State: "working"}
}

func (j *jobs) begin(k jobKey, a Ask) {
	ctx, cancel := context.WithCancel(context.Background())
	mine := &explained{State: "working"}
	j.now, j.going, j.cancel = k, mine, cancel
	j.ended.Add(1)
	go func() {
		defer j.ended.Done()
		defer cancel()
		value, err := safely(func() (any, error) {
			return j.explain(ctx, a, func(what string) {
				j.mu.Lock()
				defer j.mu.Unlock()
				mine.Said = append(mine.Said, clipped(what, 200))
			})
		})
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.going == mine {
			j.going = nil
		}
		if ctx.Err() != nil {
			return
		}
		end := explained{State: "done"}
		if err != nil {
			end = explained{State: "failed", Error: clipped(err.Error(), 1000)}
		} else {
			end.Of, _ = value.(*Explanation)
		}
		j.keep(k, end)
	}()
}

func (j *jobs) keep(k jobKey, e explained) {
	if len(j.order) >= mostDone {
		delete(j.done, j.order[0])
		j.order = j.order[1:]
	}
	j.done[k] = e
	j.order = append(j.order, k)
}

// close ends what is going on.
func (j *jobs) close() {
	j.mu.Lock()
	j.cancel()
	j.mu.Unlock()
	j.ended.Wait()
}

func (s *Server) explain(r *http.Request, e Entry) (any, error) {
	if s.options.Explain == nil {
		return nil, missing("explanations are not to be had here")
	}
	about, err1 := strconv.Atoi(r.URL.Query().Get("about"))
	observer, err2 := strconv.Atoi(r.URL.Query().Get("observer"))
	mark, there := e.at.stampOf("spec.yaml")
	if err1 != nil || err2 != nil || !there {
		return nil, missing("an explanation is of ?about=U&observer=V of a run that has its spec.yaml")
	}
	return s.jobs.ask(jobKey{e.ID, mark, about, observer}, Ask{Dir: e.at.at(""), Place: e.at.dir, About: about, Observer: observer}), nil
}
