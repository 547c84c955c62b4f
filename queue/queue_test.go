package queue_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/queue/server"
)

var program = queue.Program{Digest: "one", Version: "test"}

// TestMain is a worker, too, where it is told so: a process that can be killed.
func TestMain(m *testing.M) {
	if url := os.Getenv("QUEUE_WORKER"); url != "" {
		if err := work(url, os.Getenv("QUEUE_SECRET")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func quiet(string, ...any) {}

func work(url, secret string) error {
	nc, err := queue.Server{URL: url, Secret: secret}.Connect("test", quiet)
	if err != nil {
		return err
	}
	defer nc.Close()
	return (&queue.Worker{Program: program, Handlers: handlers(), Say: quiet}).Run(context.Background(), nc)
}

// handlers double texts, and do what tests need besides.
func handlers() map[string]queue.Handler {
	return map[string]queue.Handler{
		"double": func(_ context.Context, _ queue.Data, j queue.Job) ([]byte, error) {
			return bytes.Repeat(j.Body, 2), nil
		},
		"long": func(context.Context, queue.Data, queue.Job) ([]byte, error) {
			return bytes.Repeat([]byte("long"), 400_000), nil
		},
		"no":  func(context.Context, queue.Data, queue.Job) ([]byte, error) { return nil, errors.New("no\x1b[2J") },
		"die": func(context.Context, queue.Data, queue.Job) ([]byte, error) { os.Exit(3); return nil, nil },
		"once": func(_ context.Context, _ queue.Data, j queue.Job) ([]byte, error) { // kills the first who takes it, as the system does where there is no memory
			if os.Mkdir(string(j.Body), 0o700) != nil {
				return []byte("second"), nil
			}
			own, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = own.Kill()
			}
			return nil, err
		},
		"data": func(ctx context.Context, data queue.Data, j queue.Job) ([]byte, error) {
			return data.Get(ctx, j.Setup, 1<<20)
		},
	}
}

// start is a server and a connection to it as its coordinator.
func start(t testing.TB) (*server.Server, *nats.Conn) {
	t.Helper()
	s, err := server.Start(server.Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, connect(t, s.URL, s.Coordinator)
}

func connect(t testing.TB, url, secret string) *nats.Conn {
	t.Helper()
	nc, err := queue.Server{URL: url, Secret: secret}.Connect("test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func open(t testing.TB, nc *nats.Conn, lease time.Duration) *queue.Run {
	t.Helper()
	r, err := queue.Open(t.Context(), nc, queue.Work{ID: "ab12", Program: program, Lease: lease, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// employ starts a worker in this process, after something, until the test ends.
func employ(t testing.TB, s *server.Server, p queue.Program, say func(string, ...any), after ...<-chan struct{}) {
	t.Helper()
	nc := connect(t, s.URL, s.Secret)
	ctx, stop := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		for _, c := range after {
			<-c
		}
		if err := (&queue.Worker{Name: "one of the test", Program: p, Handlers: handlers(), Say: say}).Run(ctx, nc); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); ended.Wait() })
}

// process starts a worker as a process, again whenever it dies, until the test ends.
func process(t testing.TB, s *server.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), "QUEUE_WORKER="+s.URL, "QUEUE_SECRET="+s.Secret)
			_ = cmd.Run()
		}
	})
	t.Cleanup(func() { stop(); ended.Wait() })
}

// collect does jobs and keeps what comes in.
func collect(t testing.TB, r *queue.Run, jobs []*queue.Job) (answers map[int]string, failed map[int]error) {
	t.Helper()
	answers, failed = map[int]string{}, map[int]error{}
	err := r.Do(t.Context(), jobs, queue.Callbacks{
		Accept: func(i int, _ string, answer []byte) error {
			if _, twice := answers[i]; twice {
				t.Errorf("job %d is accepted twice", i)
			}
			answers[i] = string(answer)
			return nil
		},
		Failed: func(i int, err error) { failed[i] = err },
	})
	if err != nil {
		t.Fatal(err)
	}
	return answers, failed
}

func kinds(kind string, bodies ...string) (jobs []*queue.Job) {
	for _, b := range bodies {
		jobs = append(jobs, &queue.Job{Kind: kind, Body: []byte(b)})
	}
	return jobs
}

// Every job is answered once, short or long; one that fails says why, in one line; data are found by their content.
func TestJobsAreAnswered(t *testing.T) {
	s, nc := start(t)
	for range 3 {
		employ(t, s, program, quiet)
	}
	r := open(t, nc, time.Minute)
	h, err := r.Put(t.Context(), []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*queue.Job
	for i := range 50 {
		jobs = append(jobs, kinds("double", fmt.Sprint(i))...)
	}
	jobs = append(jobs, nil, &queue.Job{Kind: "long"}, &queue.Job{Kind: "no"}, &queue.Job{Kind: "another"}, &queue.Job{Kind: "data", Setup: h},
		&queue.Job{Kind: "data", Setup: "../../etc/passwd"}, &queue.Job{Kind: "data", Setup: queue.HashOf([]byte("other"))})
	answers, failed := collect(t, r, jobs)
	for i := range 50 {
		if answers[i] != fmt.Sprint(i, i)[:len(fmt.Sprint(i))]+fmt.Sprint(i) {
			t.Errorf("job %d: %q", i, answers[i])
		}
	}
	if len(answers) != 52 || len(answers[51]) != 1_600_000 || answers[54] != "data" {
		t.Errorf("%d answers, %d bytes of the long one, data %q", len(answers), len(answers[51]), answers[54])
	}
	for i, want := range map[int]string{52: "no [2J", 53: `kind "another"`, 55: "no SHA-256", 56: "not found"} {
		if failed[i] == nil || !strings.Contains(failed[i].Error(), want) {
			t.Errorf("job %d: %v", i, failed[i])
		}
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A job whose worker is killed is done by another; one that kills every worker is set aside.
func TestJobsOutliveWorkers(t *testing.T) {
	s, nc := start(t)
	r := open(t, nc, time.Second)
	marker := filepath.Join(t.TempDir(), "taken")
	process(t, s)
	process(t, s)
	jobs := append(kinds("double", "a", "b", "c"), &queue.Job{Kind: "once", Body: []byte(marker)}, &queue.Job{Kind: "die"})
	answers, failed := collect(t, r, append(jobs, kinds("double", "d", "e")...))
	if len(answers) != 6 || answers[3] != "second" {
		t.Error(answers)
	}
	if len(failed) != 1 || failed[4] == nil || !strings.Contains(failed[4].Error(), "set aside: 3 workers ended") {
		t.Errorf("%v", failed)
	}
}

// Workers of another program take nothing and say why.
func TestOtherProgramsAreRefused(t *testing.T) {
	s, nc := start(t)
	r := open(t, nc, time.Minute)
	said := make(chan string, 10)
	employ(t, s, queue.Program{Digest: "two", Version: "other"}, func(format string, what ...any) { said <- fmt.Sprintf(format, what...) })
	if text := <-said; !strings.Contains(text, "of another program (test, one)") || !strings.Contains(text, "(other, two)") {
		t.Error(text)
	}
	employ(t, s, program, quiet)
	if answers, _ := collect(t, r, kinds("double", "a")); answers[0] != "aa" {
		t.Error(answers)
	}
}

// A coordinator that comes back finds what was answered meanwhile.
func TestACoordinatorComesBack(t *testing.T) {
	s, nc := start(t)
	first := open(t, nc, time.Minute)
	ctx, stop := context.WithCancel(t.Context())
	jobs := kinds("double", "a", "b", "c", "d")
	for range 2 {
		employ(t, s, program, quiet)
	}
	err := first.Do(ctx, jobs, queue.Callbacks{Accept: func(int, string, []byte) error { stop(); return nil }, Failed: func(int, error) {}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if answers, failed := collect(t, open(t, connect(t, s.URL, s.Coordinator), time.Minute), jobs); len(answers)+len(failed) < 3 || len(failed) > 0 {
		t.Error(answers, failed)
	}
}

// What the queue loses is given out again.
func TestLostJobsAreGivenOutAgain(t *testing.T) {
	s, nc := start(t)
	r := open(t, nc, time.Minute)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	lost := make(chan struct{})
	go func() {
		for !lose(t.Context(), js) {
			time.Sleep(time.Millisecond)
		}
		close(lost)
	}()
	employ(t, s, program, quiet, lost)
	if answers, _ := collect(t, r, kinds("double", "a", "b", "c")); len(answers) != 3 {
		t.Error(answers)
	}
}

// lose takes out of the queue what was given out, and reports whether that was anything.
func lose(ctx context.Context, js jetstream.JetStream) bool {
	jobs, err := js.Stream(ctx, "hearsay-jobs-ab12")
	return err == nil && jobs.CachedInfo().State.Msgs == 3 && jobs.Purge(ctx) == nil
}

// hostile is somebody who has the secret of workers, and sends what it likes.
type hostile struct {
	t  *testing.T
	js jetstream.JetStream
}

func newHostile(t *testing.T, s *server.Server) *hostile {
	t.Helper()
	js, err := jetstream.New(connect(t, s.URL, s.Secret))
	if err != nil {
		t.Fatal(err)
	}
	return &hostile{t, js}
}

// message is one with headers: those whose values are not empty.
func answerOf(subject, outcome, data, text string) *nats.Msg {
	m := nats.NewMsg("hearsay.ab12." + subject)
	m.Data = []byte(text)
	for k, v := range map[string]string{"Hearsay-Program": program.Digest, "Hearsay-Outcome": outcome, "Hearsay-Data": data, "Hearsay-Worker": "evil [2J"} {
		if v != "" {
			m.Header.Set(k, v)
		}
	}
	return m
}

// send sends within a moment: what may not be sent is not acknowledged.
func (h *hostile) send(m *nats.Msg, wait time.Duration) error {
	ctx, end := context.WithTimeout(h.t.Context(), wait)
	defer end()
	_, err := h.js.PublishMsg(ctx, m)
	return err
}

func (h *hostile) must(m *nats.Msg) {
	h.t.Helper()
	if err := h.send(m, 10*time.Second); err != nil {
		h.t.Fatal(err)
	}
}

// A taken job is what a worker learns of one by taking it.
type taken struct {
	name   string
	Body   []byte
	Ticket []byte
}

// takes takes jobs until it has so many.
func (h *hostile) takes(n int) (all []taken) {
	h.t.Helper()
	ctx := h.t.Context()
	for len(all) < n {
		stream, err := h.js.Stream(ctx, "hearsay-jobs-ab12")
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		consumer, err := stream.Consumer(ctx, "workers")
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		batch, err := consumer.Fetch(n-len(all), jetstream.FetchMaxWait(time.Second))
		if err != nil {
			h.t.Fatal(err)
		}
		for m := range batch.Messages() {
			one := taken{name: m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]}
			if err := json.Unmarshal(m.Data(), &one); err != nil || len(one.Ticket) != 32 {
				h.t.Fatalf("%s: %v", m.Data(), err)
			}
			all = append(all, one)
		}
	}
	return all
}

// seal seals an answer as package queue does, by what its comments say.
func (j taken) seal(m *nats.Msg) *nats.Msg {
	sum := hmac.New(sha256.New, j.Ticket)
	fmt.Fprint(sum, "hearsay queue, answer\n")
	for _, name := range []string{"Hearsay-Outcome", "Hearsay-Program", "Hearsay-Worker", "Hearsay-Data"} {
		fmt.Fprintf(sum, "%s\n", m.Header.Get(name))
	}
	sum.Write(m.Data)
	m.Header.Set("Hearsay-Seal", hex.EncodeToString(sum.Sum(nil)))
	return m
}

// Who has the secret of workers and has taken a job makes that job fail at most, and its answer is of no other: answers to jobs that
// there are not, to the same job again, of no outcome, with data that are not there, are too long or are not what their hash says.
func TestAnswersOfHostileWorkers(t *testing.T) {
	s, nc := start(t)
	r := open(t, nc, time.Second)
	h := newHostile(t, s)
	long, wrong := string(queue.HashOf([]byte("long"))), string(queue.HashOf([]byte("wrong")))
	go func() {
		jobs := map[string]taken{}
		for _, j := range h.takes(9) {
			jobs[string(j.Body)] = j
		}
		send := func(body, outcome, data, text string) {
			h.must(jobs[body].seal(answerOf("answer."+jobs[body].name, outcome, data, text)))
		}
		stolen := func(of, by, text string) { // of one job, by who has taken another
			h.must(jobs[by].seal(answerOf("answer."+jobs[of].name, "done", "", text)))
		}
		for _, number := range []string{"99", "-1", "x", "007", "0", "18446744073709551616"} {
			h.must(jobs["a"].seal(answerOf("answer."+number, "done", "", "of "+number)))
		}
		for _, of := range []string{"a", "h", "i"} {
			stolen(of, "b", "stolen")
			h.must(answerOf("answer."+jobs[of].name, "done", "", "unsealed"))
			m := jobs[of].seal(answerOf("answer."+jobs[of].name, "done", "", "sealed"))
			m.Data = []byte("another text")
			h.must(m)
			m = jobs[of].seal(answerOf("answer."+jobs[of].name, "returned", "", "returned"))
			m.Header.Set("Hearsay-Outcome", "done")
			h.must(m)
		}
		send("a", "nonsense", "", "no outcome")
		send("a", "", "", "")
		send("b", "done", "", "first")
		send("b", "done", "", "second")
		send("c", "failed", "", `{"error":"red \u001b[31m\nlines","hint":"`+strings.Repeat("x", 100_000)+`"}`)
		send("d", "done", "../../secret", "")
		send("e", "done", string(queue.HashOf([]byte("nowhere"))), "")
		put := func(subject, text, size string) {
			m := nats.NewMsg("hearsay.ab12.long." + subject)
			m.Data = []byte(text)
			if size != "" {
				m.Header.Set("Hearsay-Size", size)
			}
			h.must(m)
		}
		put(long+".size", "", "4611686018427387904")
		send("f", "done", long, "")
		put(wrong+".size", "", "5")
		put(wrong+".0", "other", "")
		send("g", "done", wrong, "")
		for range 20 {
			send("i", "returned", "", "")
		}
		for _, m := range []*nats.Msg{answerOf("answer."+jobs["a"].name, "done", "", strings.Repeat("x", 2<<20)), answerOf("job.0", "", "", "a job"), answerOf("data."+long+".0", "", "", "x")} {
			if h.send(m, 200*time.Millisecond) == nil {
				t.Error("a worker may send two megabytes, jobs or data")
			}
		}
		employ(t, s, program, quiet)
	}()
	answers, failed := collect(t, r, kinds("double", "a", "b", "c", "d", "e", "f", "g", "h", "i"))
	if len(answers) != 4 || answers[0] != "aa" || answers[1] != "first" || answers[7] != "hh" || answers[8] != "ii" {
		t.Errorf("%.200v", answers)
	}
	for i, want := range map[int]string{2: "red  [31m lines", 3: "no SHA-256", 4: "not found", 5: "may be", 6: "data of hash"} {
		if failed[i] == nil || !strings.Contains(failed[i].Error(), want) || len(fault.Hint(failed[i])) > 2100 {
			t.Errorf("job %d: %.200v", i, failed[i])
		}
	}
}

// Who has the secret of workers and takes no job reads none, and answers none.
func TestWhoTakesNoJobAnswersNone(t *testing.T) {
	s, nc := start(t)
	r := open(t, nc, time.Minute)
	h := newHostile(t, s)
	unasked := make(chan string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var names map[string]uint64
		for len(names) < 3 { // names of jobs are no secrets
			if stream, err := h.js.Stream(t.Context(), "hearsay-jobs-ab12"); err == nil {
				if info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter("hearsay.ab12.job.>")); err == nil {
					names = info.State.Subjects
				}
				ctx, end := context.WithTimeout(t.Context(), 200*time.Millisecond)
				if m, err := stream.GetMsg(ctx, 1); err == nil {
					t.Errorf("who takes no job reads one: %s", m.Data)
				}
				end()
			}
		}
		for name := range names {
			m := answerOf("answer."+name[strings.LastIndexByte(name, '.')+1:], "done", "", "of nobody")
			h.must(m)
			m = taken{Ticket: make([]byte, 32)}.seal(m)
			h.must(m)
		}
		<-unasked
		employ(t, s, program, quiet)
	}()
	answers := map[int]string{}
	err := r.Do(t.Context(), kinds("double", "a", "b", "c"), queue.Callbacks{
		Accept: func(i int, worker string, answer []byte) error {
			answers[i] = worker + ": " + string(answer)
			return nil
		},
		Failed:  func(i int, err error) { t.Errorf("job %d: %v", i, err) },
		Unasked: func(worker string) { unasked <- worker },
	})
	<-ended
	if err != nil || len(answers) != 3 || answers[0] != "one of the test: aa" {
		t.Errorf("%v, %v", err, answers)
	}
}

// Who has the secret of workers hears nothing that is sent to others.
func TestWorkersHearNothingOfOthers(t *testing.T) {
	s, nc := start(t)
	for _, name := range []string{"test", "test at _INBOX.>", "test at _INBOX." + strings.Repeat("00", 15), "test at >"} {
		own, err := os.ReadFile(s.Secret)
		if err != nil {
			t.Fatal(err)
		}
		user, password, _ := strings.Cut(strings.TrimSpace(string(own)), ":")
		if c, err := nats.Connect(s.URL, nats.UserInfo(user, password), nats.Name(name)); err == nil {
			c.Close()
			t.Errorf("a worker is let in as %q", name)
		}
	}
	snoop := connect(t, s.URL, s.Secret)
	heard := make(chan *nats.Msg, 1000)
	for _, subject := range []string{">", "_INBOX.>", "_INBOX.*.*", "hearsay.>", "hearsay.*.job.*", "$JS.>"} {
		if _, err := snoop.ChanSubscribe(subject, heard); err != nil {
			t.Fatal(err)
		}
	}
	if err := snoop.Flush(); err != nil {
		t.Fatal(err)
	}
	employ(t, s, program, quiet)
	if answers, _ := collect(t, open(t, nc, time.Minute), kinds("double", "a", "b")); len(answers) != 2 {
		t.Error(answers)
	}
	if err := snoop.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(heard) > 0 {
		t.Errorf("%d messages to others are heard, the first: %q", len(heard), (<-heard).Data)
	}
}

// A coordinator that comes back with other jobs takes no answer to an earlier one for an answer to them.
func TestAnswersToEarlierJobsAreOfThose(t *testing.T) {
	s, nc := start(t)
	h := newHostile(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var before []taken
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		before = h.takes(3)
		stop()
	}()
	if err := open(t, nc, time.Minute).Do(ctx, kinds("double", "a", "b", "c"), queue.Callbacks{Failed: func(int, error) {}}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	<-ended
	for _, j := range before {
		h.must(j.seal(answerOf("answer."+j.name, "done", "", "early "+string(j.Body))))
	}
	employ(t, s, program, quiet)
	answers, failed := collect(t, open(t, connect(t, s.URL, s.Coordinator), time.Minute), kinds("double", "c", "d", "a"))
	if len(failed) > 0 || answers[0] != "early c" || answers[1] != "dd" || answers[2] != "early a" {
		t.Errorf("%v, %v", answers, failed)
	}
}

// An answer that is not true ends the work, and says whose it was.
func TestADistrustedWorkerIsNamed(t *testing.T) {
	s, nc := start(t)
	employ(t, s, program, quiet)
	err := open(t, nc, time.Minute).Do(t.Context(), kinds("double", "a"), queue.Callbacks{
		Accept: func(int, string, []byte) error { return queue.Distrust(fault.New("said 5", "start again")) }, Failed: func(int, error) {},
	})
	if err == nil || err.Error() != `the worker that calls itself "one of the test": said 5` || fault.Hint(err) != "start again" {
		t.Errorf("%v (%s)", err, fault.Hint(err))
	}
}

// What a job costs besides being done, with everything on disk before it is acknowledged.
func BenchmarkJob(b *testing.B) {
	s, nc := start(b)
	for range 2 {
		employ(b, s, program, quiet)
	}
	r := open(b, nc, time.Minute)
	body := bytes.Repeat([]byte("x"), 20_000) // that of an answer: a result of a small cell
	var jobs []*queue.Job
	for range b.N {
		jobs = append(jobs, &queue.Job{Kind: "double", Body: body[:10_000]})
	}
	b.ResetTimer()
	collect(b, r, jobs)
}
