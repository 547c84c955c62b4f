package trainer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/safetensors"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// version is the version of the protocol.
const version = "1"

// Options configure the program and its time limits.
type Options struct {
	Command  string        // words as in a shell, or unix:PATH of a running program
	Seed     uint64        // public; sent to the program
	Deadline time.Duration // longest silence during a question; 0: ten minutes
	Stderr   io.Writer     // receives the output of the program; nil: discarded
	Retries  int           // restarts for one question; below 0: none, 0: three
}

// A Trainer is a program that computes a model. It is safe for concurrent use. Questions run one at a time.
type Trainer struct {
	command  string
	seed     uint64
	deadline time.Duration
	stderr   io.Writer
	retries  int
	last     lines

	hello Hello

	asking sync.Mutex // held while a question is answered
	link   *link      // nil: none
	block  block
	theta  []byte
	rows   []byte

	classes int // number of classes; 0: not known

	state  sync.Mutex // guards the following fields
	err    error
	closed chan struct{}
}

// Open starts a program and asks for its description.
func Open(ctx context.Context, o Options) (*Trainer, error) {
	t := &Trainer{command: o.Command, seed: o.Seed, deadline: o.Deadline, stderr: o.Stderr, retries: o.Retries, closed: make(chan struct{})}
	if t.deadline == 0 {
		t.deadline = 10 * time.Minute
	}
	if t.stderr == nil {
		t.stderr = io.Discard
	}
	switch {
	case t.retries == 0:
		t.retries = 3
	case t.retries < 0:
		t.retries = 0
	}
	watch := context.AfterFunc(ctx, t.Close)
	defer watch()
	if err := t.begin(ctx, true); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, t.explain(err)
	}
	return t, nil
}

// Hello returns the description that the program gave of itself.
func (t *Trainer) Hello() Hello { return t.hello }

// Initial returns the initial parameters in the order of the layout. The caller must not change them.
func (t *Trainer) Initial() []float64 { return t.hello.Initial }

// Rows returns the number of training rows and of test rows.
func (t *Trainer) Rows() (train, test int) { return t.hello.TrainRows, t.hello.TestRows }

// Tensors returns the tensors of the model in the order of the layout.
func (t *Trainer) Tensors() []report.Tensor { return t.hello.Layout.Tensors }

// Err implements model.Program.
func (t *Trainer) Err() error {
	t.state.Lock()
	defer t.state.Unlock()
	return t.err
}

// Close ends the program. Open and later questions fail.
func (t *Trainer) Close() {
	t.state.Lock()
	select {
	case <-t.closed:
		t.state.Unlock()
		return
	default:
		close(t.closed)
	}
	l := t.link
	t.state.Unlock()
	if l != nil {
		_ = l.conn.SetDeadline(time.Now().Add(time.Second)) // a pending question gets an error
		t.asking.Lock()
		defer t.asking.Unlock()
		_ = safetensors.New(map[string]string{"ask": "bye"}).Write(l.conn)
		t.drop()
	}
}

// drop ends the link.
func (t *Trainer) drop() {
	t.state.Lock()
	l := t.link
	t.link = nil
	t.state.Unlock()
	if l != nil {
		l.stop()
	}
}

// begin connects and asks for the description. A restarted program must be the same as before.
func (t *Trainer) begin(ctx context.Context, first bool) error {
	l, err := t.connect(ctx)
	if err != nil {
		return err
	}
	t.state.Lock()
	t.link = l
	t.state.Unlock()
	hello, plan, err := t.greet(l)
	switch {
	case err != nil:
		t.drop()
		return err
	case !first && !hello.same(t.hello):
		t.drop()
		return t.fail(fault.New("--model: the program that was started again has another model or other rows than before", "have it hold the same every time it is started"))
	}
	t.hello, t.block.plan = hello, plan
	return nil
}

// greet asks a program for its description.
func (t *Trainer) greet(l *link) (Hello, *plan, error) {
	err := t.tell(l, safetensors.New(map[string]string{"ask": "hello", "version": version, "seed": strconv.FormatUint(t.seed, 10), "deadline": t.deadline.String()}))
	if err != nil {
		return Hello{}, nil, err
	}
	m, err := t.hear(l, 4*mostParameters)
	if err != nil {
		return Hello{}, nil, err
	}
	return helloOf(m)
}

// tell sends a message before the deadline.
func (t *Trainer) tell(l *link, m *safetensors.Message) error {
	if err := t.extend(l); err != nil {
		return err
	}
	return m.Write(l.conn)
}

// hear returns the next message, before the deadline.
func (t *Trainer) hear(l *link, most int64) (*safetensors.Message, error) {
	if err := t.extend(l); err != nil {
		return nil, err
	}
	m, err := l.in.Read(most)
	if err != nil {
		return nil, err
	}
	if m.Says["answer"] == "trouble" {
		return nil, t.fail(fault.New(fmt.Sprintf("the program that answers for the model says: %.300s", oneLine(m.Says["what"])), "mend it; what it printed stands above"))
	}
	return m, nil
}

// extend restarts the deadline.
func (t *Trainer) extend(l *link) error {
	select {
	case <-t.closed:
		return net.ErrClosed
	default:
		return l.conn.SetDeadline(time.Now().Add(t.deadline))
	}
}

// fail stores an error that a restart of the program cannot cure.
func (t *Trainer) fail(err error) error {
	t.state.Lock()
	defer t.state.Unlock()
	if t.err == nil {
		t.err = err
	}
	return t.err
}

// question asks until it is answered. It restarts the program after each failure but the last.
func (t *Trainer) question(ask func(l *link) error) error {
	t.asking.Lock()
	defer t.asking.Unlock()
	for attempt := 0; ; attempt++ {
		if err := t.Err(); err != nil {
			return err
		}
		err := t.once(ask)
		if err == nil {
			return nil
		}
		t.drop()
		select {
		case <-t.closed:
			return t.fail(errors.New("the program that answers for the model was ended"))
		default:
		}
		if attempt == t.retries || t.Err() != nil {
			return t.fail(t.explain(err))
		}
		fmt.Fprintf(t.stderr, "the program that answers for the model failed (%v): it is started again\n", short(err))
		select {
		case <-t.closed:
		case <-time.After(time.Second << attempt):
		}
	}
}

func (t *Trainer) once(ask func(l *link) error) error {
	if t.link == nil {
		if err := t.begin(context.Background(), false); err != nil {
			return err
		}
	}
	return ask(t.link)
}

// explain returns an error with advice for the user.
func (t *Trainer) explain(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	what := fmt.Sprintf("--model: the program failed: %v", short(err))
	if said := oneLine(t.last.last()); said != "" {
		what = fmt.Sprintf("%s; its last line: %.200s", what, said)
	}
	return fault.New(what, "run it by itself to see why, or ask hearsay model check --model PROGRAM")
}

// short describes how a program ended.
func short(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ended in the middle of a question")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("it said nothing until its deadline")
	}
	return err
}

// Gradients implements model.Program.
func (t *Trainer) Gradients(theta []float64, rows []int, begin func(), take func(model.Block)) error {
	return t.question(func(l *link) error {
		begin()
		if err := t.tell(l, t.of("gradients", theta, rows)); err != nil {
			return err
		}
		for came := 0; came < len(rows); {
			m, err := t.hear(l, t.mostBytes())
			if err != nil {
				return err
			}
			if m.Says["answer"] != "block" {
				return safetensors.Malformed("%.40q after %d of %d rows", m.Says["answer"], came, len(rows))
			}
			if err := t.block.take(m, came, len(rows)); err != nil {
				return err
			}
			came += t.block.rows
			take(&t.block)
		}
		m, err := t.hear(l, 0)
		if err != nil {
			return err
		}
		if m.Says["answer"] != "end" || m.Says["count"] != strconv.Itoa(len(rows)) {
			return safetensors.Malformed("%.40q of %.40q where all %d rows have come", m.Says["answer"], m.Says["count"], len(rows))
		}
		return nil
	})
}

// mostBlock is the largest size in bytes of the numbers of one block.
const mostBlock = 1 << 30

func (t *Trainer) mostBytes() int64 { return mostBlock }

// of returns a question about rows at theta.
func (t *Trainer) of(ask string, theta []float64, rows []int) *safetensors.Message {
	m := safetensors.New(map[string]string{"ask": ask})
	t.theta, t.rows = safetensors.Singles(t.theta[:0], theta), safetensors.Whole(t.rows[:0], rows)
	m.Put("theta", "F32", []int{len(theta)}, t.theta)
	m.Put("rows", "I64", []int{len(rows)}, t.rows)
	return m
}
