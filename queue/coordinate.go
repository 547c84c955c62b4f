package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hearsay-dp/hearsay/fault"
)

// Callbacks tell the caller of a coordinator about events. They are called one at a time.
type Callbacks struct {
	// Accept checks an answer and makes it durable. Job i is done when Accept returns nil. A refused answer (Refuse)
	// counts as a failure of the job. Any other error ends the run. worker is the name that the worker gives itself.
	Accept func(i int, worker string, answer []byte) error
	// Failed is called with the reason why a job is not done.
	Failed func(i int, err error)
	// Progress is called with the number of jobs left, jobs that workers hold, and workers that wait for a job.
	Progress func(left, inHand, idle int)
	// Unasked is called for an answer to an open job by a worker that has not taken it. The answer is ignored. Unasked
	// may be nil.
	Unasked func(worker string)
}

// Refuse returns an error that says that an answer is malformed.
func Refuse(err error) error { return fmt.Errorf("%w: %w", errRefused, err) }

// Distrust returns an error that says that an answer is false. Do ends with this error and names the worker that sent
// the answer.
func Distrust(err error) error { return fmt.Errorf("%w%w", errDistrusted, err) }

var errDistrusted = errors.New("")

// Do gives out jobs until each has been accepted or has failed. A nil job counts as done.
func (r *Run) Do(ctx context.Context, jobs []*Job, c Callbacks) error {
	issued, number, err := issue(r.Key, jobs)
	if err != nil {
		return err
	}
	d := &giving{Run: r, Callbacks: c, jobs: issued, number: number, open: map[int]bool{}, aside: map[int]bool{}}
	for i, j := range jobs {
		if j != nil {
			d.open[i] = true
		}
	}
	for before := -1; d.heardSoFar != before && !d.over(); { // answers that an earlier coordinator did not receive
		before = d.heardSoFar
		if err := d.hear(ctx, pollTime/10); err != nil {
			return err
		}
	}
	if err := d.giveOut(ctx); err != nil {
		return err
	}
	for !d.over() {
		before := d.heardSoFar
		if err := d.hear(ctx, pollTime); err != nil {
			return err
		}
		if d.heardSoFar == before && !d.over() {
			if err := d.look(ctx); err != nil {
				return err
			}
		}
	}
	for i := range d.aside {
		d.Failed(i, setAside())
	}
	return nil
}

// pollTime is the time to wait for answers before looking at the queue.
const pollTime = 500 * time.Millisecond

func setAside() error {
	return fault.New(fmt.Sprintf("set aside: %d workers ended while they had it", Attempts),
		"it may need more memory than they have; run it alone to see what it does")
}

// giving is the state of a run whose jobs are being given out.
type giving struct {
	*Run
	Callbacks
	jobs        []issued
	number      map[string]int // index in jobs, by the name of the job
	open, aside map[int]bool   // not done yet; given out too often
	heardSoFar  int
	silent      time.Time // since when the server has not answered; zero: it answers
}

func (d *giving) over() bool { return len(d.open) == len(d.aside) }

// giveOut publishes the open jobs that are not in the queue.
func (d *giving) giveOut(ctx context.Context) error {
	var sent []jetstream.PubAckFuture
	for i := range d.jobs {
		if !d.open[i] || d.aside[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		future, err := d.js.PublishMsgAsync(&nats.Msg{Subject: d.jobSubject(d.jobs[i].name), Data: d.jobs[i].text})
		if err != nil {
			break // missing jobs are given out when the queue is empty
		}
		sent = append(sent, future)
	}
	for _, future := range sent {
		select {
		case <-future.Ok():
		case <-future.Err(): // it is already in the queue, or is given out again later
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// hear processes the answers that arrive within wait.
func (d *giving) hear(ctx context.Context, wait time.Duration) error {
	batch, err := d.heard.Fetch(256, jetstream.FetchMaxWait(wait))
	if err != nil {
		return d.unheard(ctx, err)
	}
	for m := range batch.Messages() {
		d.heardSoFar++
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.take(ctx, m); err != nil {
			return err
		}
		if d.over() {
			return nil
		}
	}
	if err := batch.Error(); err != nil {
		return d.unheard(ctx, err)
	}
	return ctx.Err()
}

// mostSilence is the time without servers after which a coordinator gives up.
const mostSilence = 10 * time.Minute

// unheard waits a little if the server did not answer.
func (d *giving) unheard(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrConsumerDeleted), errors.Is(err, jetstream.ErrStreamNotFound):
		return fault.Wrap(err, "the queue is gone from the server", "the same command goes on from what was kept")
	case errors.Is(err, jetstream.ErrNoHeartbeat), errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return nil // look reports more
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// take processes one answer. An error ends the run.
func (d *giving) take(ctx context.Context, m jetstream.Msg) error {
	i, known := d.number[m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]]
	if known && d.open[i] {
		if err := d.settle(ctx, i, m); err != nil {
			return err
		}
	}
	// An answer that is not acknowledged arrives again. Its job is no longer open then.
	_ = m.Ack()
	return nil
}

func (d *giving) settle(ctx context.Context, i int, m jetstream.Msg) error {
	if m.Headers().Get(programHeader) != d.Program.Digest {
		return nil // from another program, which this run did not ask: the job stays open
	}
	worker := clean(m.Headers().Get(workerHeader))
	if !d.jobs[i].sealed(m.Headers(), m.Data()) {
		if d.Unasked != nil {
			d.Unasked(worker)
		}
		return nil
	}
	switch o := outcome(m.Headers().Get(outcomeHeader)); o {
	case returned:
		return d.again(ctx, i)
	case died:
		d.aside[i] = true
		return nil
	case failed:
		d.settled(i)
		d.Failed(i, readFailure(m.Data()))
		return nil
	case done:
		answer, err := d.answer(ctx, m)
		if err == nil {
			err = d.Accept(i, worker, answer)
		}
		switch {
		case errors.Is(err, errRefused) || errors.Is(err, jetstream.ErrMsgNotFound):
			d.settled(i)
			d.Failed(i, fault.Wrap(err, "its worker sent no result", "see who may take part; the same command runs it again"))
			return nil
		case errors.Is(err, errDistrusted):
			return fault.Wrap(err, fmt.Sprintf("the worker that calls itself %.100q", worker), fault.Hint(err))
		case err != nil:
			return err
		}
		d.settled(i)
		if h := m.Headers().Get(dataHeader); h != "" {
			d.long.remove(ctx, Hash(h))
		}
	}
	return nil
}

func (d *giving) settled(i int) {
	delete(d.open, i)
	delete(d.aside, i)
}

// answer returns the text of an answer.
func (d *giving) answer(ctx context.Context, m jetstream.Msg) ([]byte, error) {
	h := Hash(m.Headers().Get(dataHeader))
	if h == "" {
		return m.Data(), nil
	}
	return d.long.Get(ctx, h, mostAnswer)
}

// again gives out a job that a worker returned.
func (d *giving) again(ctx context.Context, i int) error {
	_, err := d.js.PublishMsg(ctx, &nats.Msg{Subject: d.jobSubject(d.jobs[i].name), Data: d.jobs[i].text})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil // a job that was not published is given out when the queue is empty
}

// look checks the queue when no answers arrive. It gives out lost jobs again.
func (d *giving) look(ctx context.Context) error {
	once, end := context.WithTimeout(ctx, 5*time.Second)
	defer end()
	// The order matters. A worker answers before its job leaves the queue, and an answer leaves when it is accepted.
	jobs, err := d.Run.jobs.Info(once)
	var answers *jetstream.StreamInfo
	if err == nil {
		answers, err = d.answers.Info(once)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return d.unheard(ctx, err)
	case err != nil && d.silent.IsZero():
		d.silent = time.Now()
		return nil
	case err != nil && time.Since(d.silent) > mostSilence:
		return fault.Wrap(err, "the servers do not answer", "the same command goes on from what was kept")
	case err != nil:
		return nil
	}
	d.silent = time.Time{}
	if jobs.State.Msgs == 0 && answers.State.Msgs == 0 {
		return d.giveOut(ctx)
	}
	if info, err := d.taking.Info(once); err == nil && d.Progress != nil {
		d.Progress(len(d.open)-len(d.aside), info.NumAckPending, info.NumWaiting)
	}
	return nil
}
