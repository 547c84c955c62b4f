package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Handler does jobs of one kind. Data are checked against their hashes. Everything else in a job is untrusted
// text.
type Handler func(ctx context.Context, data Data, j Job) ([]byte, error)

// Data returns data by hash, at most most bytes of them.
type Data interface {
	Get(ctx context.Context, h Hash, most int64) ([]byte, error)
	GetFile(ctx context.Context, h Hash, most int64, path string) error
}

// A Worker takes jobs of every run of its own program on a server, one at a time.
type Worker struct {
	Name     string // name in its answers
	Program  Program
	Handlers map[string]Handler
	Say      func(format string, what ...any)
}

// Run works until the context ends. It then returns the job that it holds to the queue.
func (w *Worker) Run(ctx context.Context, nc *nats.Conn) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	at := &working{Worker: w, js: js, runs: map[string]*joined{}, refused: map[string]bool{}, server: host(nc)}
	for ctx.Err() == nil {
		if err := at.find(ctx); err != nil {
			return err
		}
		if !at.turn(ctx) {
			at.idle(ctx)
		}
	}
	return nil
}

// working is the state of a running worker.
type working struct {
	*Worker
	js      jetstream.JetStream
	server  string
	runs    map[string]*joined // by name of the stream
	refused map[string]bool
	looked  time.Time
	waiting bool // the waiting message has been printed
}

// joined is a run from which a worker takes jobs.
type joined struct {
	id    string
	jobs  jetstream.Stream
	from  jetstream.Consumer
	lease time.Duration
	store
	long store
}

// lookTime is the interval at which a worker looks for other runs.
const lookTime = 2 * time.Second

// find looks for runs from time to time. It returns an error only if a retry cannot help.
func (w *working) find(ctx context.Context) error {
	if time.Since(w.looked) < lookTime && len(w.runs) > 0 {
		return nil
	}
	w.looked = time.Now()
	once, end := context.WithTimeout(ctx, 5*time.Second)
	defer end()
	list := w.js.StreamNames(once, jetstream.WithStreamListSubject(anyJob))
	there := map[string]bool{}
	for name := range list.Name() {
		there[name] = true
		if w.runs[name] == nil && !w.refused[name] && strings.HasPrefix(name, jobsPrefix) {
			w.join(once, name)
		}
	}
	switch err := list.Err(); {
	case err == nil || errors.Is(err, jetstream.ErrEndOfData):
	case ctx.Err() == nil && final(err):
		return err
	default:
		return nil // the list of streams is not known
	}
	for name := range w.runs {
		if !there[name] {
			delete(w.runs, name)
		}
	}
	return nil
}

// join joins a run of the same program.
func (w *working) join(ctx context.Context, name string) {
	stream, err := w.js.Stream(ctx, name)
	if err != nil {
		return
	}
	about := stream.CachedInfo().Config.Metadata
	if about[programKey] != w.Program.Digest {
		w.refused[name] = true
		w.Say("run %.16s is of another program (%s, %.12s), whose results may differ from those of this one (%s, %.12s): its jobs are not taken; start workers from the same file "+
			"on processors of one kind", clean(strings.TrimPrefix(name, jobsPrefix)), clean(about[versionKey]), clean(about[programKey]), w.Program.Version, w.Program.Digest)
		return
	}
	consumer, err := stream.Consumer(ctx, workers)
	if err != nil {
		return // its coordinator has not created the consumer yet
	}
	id := strings.TrimPrefix(name, jobsPrefix)
	data, err := w.js.Stream(ctx, dataPrefix+id)
	if err != nil {
		return
	}
	long, err := w.js.Stream(ctx, longPrefix+id)
	if err != nil {
		return
	}
	w.runs[name] = &joined{id: id, jobs: stream, from: consumer, lease: consumer.CachedInfo().Config.AckWait,
		store: store{w.js, data, dataSubjects(id)}, long: store{w.js, long, longSubjects(id)}}
	w.waiting = false
}

// idle reports once that there is nothing to do, and waits.
func (w *working) idle(ctx context.Context) {
	if len(w.runs) > 0 {
		return // turn has already waited for a job
	}
	if !w.waiting {
		w.waiting = true
		w.Say("waiting for work on %s", w.server)
	}
	select {
	case <-ctx.Done():
	case <-time.After(lookTime / 10):
	}
}

// turn takes a job of each run in turn, and reports whether there was any.
func (w *working) turn(ctx context.Context) (some bool) {
	wait := lookTime
	if len(w.runs) > 1 {
		wait = 50 * time.Millisecond
	}
	for _, name := range slices.Sorted(maps.Keys(w.runs)) {
		r := w.runs[name]
		for first := true; first || len(w.runs) == 1; first = false {
			batch, err := r.from.Fetch(1, jetstream.FetchContext(limit(ctx, wait)))
			if err != nil {
				w.off(ctx, name, err)
				break
			}
			took := false
			for m := range batch.Messages() {
				took, some = true, true
				w.do(ctx, r, m)
			}
			if err := batch.Error(); err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
				w.off(ctx, name, err)
				break
			}
			if !took || ctx.Err() != nil || time.Since(w.looked) > lookTime {
				break
			}
		}
	}
	return some
}

// limit returns a context that ends after wait. Its resources are freed at that time.
func limit(ctx context.Context, wait time.Duration) context.Context {
	ctx, stop := context.WithTimeout(ctx, wait)
	context.AfterFunc(ctx, stop)
	return ctx
}

// off forgets a run that does not answer. If the run still exists, find finds it again.
func (w *working) off(ctx context.Context, name string, _ error) {
	delete(w.runs, name)
	w.looked = time.Time{}
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// answering is a job that is being answered.
type answering struct {
	*joined
	given
	m jetstream.Msg
}

// do answers one job.
func (w *working) do(ctx context.Context, r *joined, m jetstream.Msg) {
	about, err := m.Metadata()
	if err != nil {
		return
	}
	a := &answering{joined: r, m: m}
	if json.Unmarshal(m.Data(), &a.given) != nil {
		a.given = given{} // its answer is ignored
	}
	if about.NumDelivered > Attempts {
		w.answer(ctx, a, died, nil)
		return
	}
	held, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.hold(held, stop, m)
	}()
	o, text := w.handle(held, r, a.Job)
	gone := held.Err() != nil && ctx.Err() == nil
	stop()
	<-ended
	switch {
	case gone: // the run is gone
	case ctx.Err() != nil:
		last, end := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer end()
		w.answer(last, a, returned, nil)
	default:
		w.answer(ctx, a, o, text)
	}
}

// hold renews the lease of the job, and calls stop when the run is gone.
func (r *joined) hold(ctx context.Context, stop func(), m jetstream.Msg) {
	beat := time.NewTicker(max(r.lease/3, 10*time.Millisecond))
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		_ = m.InProgress() // if this is lost, another worker takes the job too
		if _, err := r.jobs.Info(limit(ctx, 5*time.Second)); errors.Is(err, jetstream.ErrStreamNotFound) {
			stop()
			return
		}
	}
}

func (w *working) handle(ctx context.Context, r *joined, j Job) (outcome, []byte) {
	do := w.Handlers[j.Kind]
	if do == nil {
		return failed, newFailure(fmt.Errorf("a job of kind %.80q, which there is not", j.Kind))
	}
	answer, err := do(ctx, r.store, j)
	switch {
	case err != nil:
		return failed, newFailure(err)
	case len(answer) > mostAnswer:
		return failed, newFailure(fmt.Errorf("its result has %d bytes, where %d may be", len(answer), mostAnswer))
	}
	return done, answer
}

// answer sends an answer until the server has stored it, and then removes the job from the queue.
func (w *working) answer(ctx context.Context, a *answering, o outcome, text []byte) {
	r, m := a.joined, a.m
	number := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		answer, err := message(ctx, r.long, w.Program.Digest, answerSubject(r.id, number), o, text)
		if err == nil {
			answer.Header.Set(workerHeader, clean(w.Name))
			answer.Header.Set(sealHeader, a.Ticket.seal(answer.Header, answer.Data))
			_, err = w.js.PublishMsg(ctx, answer)
		}
		if err == nil {
			break
		}
		if _, gone := r.jobs.Info(limit(ctx, 5*time.Second)); ctx.Err() != nil || errors.Is(gone, jetstream.ErrStreamNotFound) {
			return // the run is gone
		}
		_ = m.InProgress()
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
	_ = m.Ack() // if this is lost, the same answer arrives twice
}
