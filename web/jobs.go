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
	Dir             string // folder of the run
	Place           string // the shown folder that holds it
	About, Observer int
}

// An Explanation describes how much one node could learn about another, in the words of hearsay
// privacy explain.
type Explanation struct {
	Text []Paragraph `json:"text"`
}

// A Paragraph is a paragraph of an explanation.
type Paragraph struct {
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// explained is the state of an explanation.
type explained struct {
	State string       `json:"state"` // working, done or failed
	Said  []string     `json:"said"`  // stages; the last one is running
	Error string       `json:"error,omitempty"`
	Of    *Explanation `json:"of,omitempty"`
}

type jobKey struct {
	id              string
	mark            stamp
	about, observer int
}

// jobs computes explanations, one at a time. The page repeats its question until the answer is
// there. A new question cancels one that has not been repeated for a while.
type jobs struct {
	explain func(context.Context, Ask, func(string)) (*Explanation, error)
	clock   func() time.Time

	mu     sync.Mutex
	done   map[jobKey]explained
	order  []jobKey // of done, oldest first
	now    jobKey
	asked  time.Time // time of the last question
	going  *explained
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

func newJobs(explain func(context.Context, Ask, func(string)) (*Explanation, error), clock func() time.Time) *jobs {
	return &jobs{explain: explain, clock: clock, done: map[jobKey]explained{}, cancel: func() {}}
}

// patience is the time without a repeated question after which another question may cancel a
// job.
const patience = 5 * time.Second

// mostDone is the largest number of cached explanations.
const mostDone = 200

// ask returns the answer so far. If there is none it starts to compute one.
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

// close cancels the running job and waits for it.
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
