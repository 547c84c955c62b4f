package queue_test

import (
	"bytes"
	"context"
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
		Accept: func(i int, answer []byte) error {
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
	err := first.Do(ctx, jobs, queue.Callbacks{Accept: func(int, []byte) error { stop(); return nil }, Failed: func(int, error) {}})
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

// Who has the secret of workers, and sends what it likes, makes a job fail at most: jobs that there are not, answers to the same job again,
// of another program, of no outcome, with data that are not there, are too long or are not what their hash says.
func TestAnswersOfHostileWorkers(t *testing.T) {
	s, nc := start(t)
	r := open(t, nc, time.Minute)
	hostile := connect(t, s.URL, s.Secret)
	js, err := jetstream.New(hostile)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	send := func(subject, program, outcome, data, text string, more ...string) error {
		m := nats.NewMsg("hearsay.ab12." + subject)
		m.Data = []byte(text)
		for k, v := range map[string]string{"Hearsay-Program": program, "Hearsay-Outcome": outcome, "Hearsay-Data": data, "Hearsay-Worker": "evil\x1b[2J"} {
			if v != "" {
				m.Header.Set(k, v)
			}
		}
		for k := 0; k < len(more); k += 2 {
			m.Header.Set(more[k], more[k+1])
		}
		_, err := js.PublishMsg(ctx, m)
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	own := program.Digest
	for _, number := range []string{"99", "-1", "x", "007", "18446744073709551616"} { // 007 is open, and answered so
		must(send("answer."+number, own, "done", "", "of "+number))
	}
	must(send("answer.0", "two", "done", "", "of another program"))
	must(send("answer.0", own, "nonsense", "", "no outcome"))
	must(send("answer.0", own, "", "", ""))
	must(send("answer.1", own, "done", "", "first"))
	must(send("answer.1", own, "done", "", "second"))
	must(send("answer.2", own, "failed", "", `{"error":"red \u001b[31m\nlines","hint":"`+strings.Repeat("x", 100_000)+`"}`))
	must(send("answer.3", own, "done", "../../secret", ""))
	must(send("answer.4", own, "done", string(queue.HashOf([]byte("nowhere"))), ""))
	long, wrong := string(queue.HashOf([]byte("long"))), string(queue.HashOf([]byte("wrong")))
	must(send("long."+long+".size", own, "", "", "", "Hearsay-Size", "4611686018427387904"))
	must(send("answer.5", own, "done", long, ""))
	must(send("long."+wrong+".size", own, "", "", "", "Hearsay-Size", "5"))
	must(send("long."+wrong+".0", own, "", "", "other"))
	must(send("answer.6", own, "done", wrong, ""))
	for range 20 {
		must(send("answer.8", own, "returned", "", ""))
	}
	var end context.CancelFunc
	ctx, end = context.WithTimeout(ctx, 200*time.Millisecond) // what may not be sent is not acknowledged
	defer end()
	if send("answer.0", own, "done", "", strings.Repeat("x", 2<<20)) == nil || send("job.0", own, "", "", "a job") == nil || send("data."+long+".0", own, "", "", "x") == nil {
		t.Error("a worker may send two megabytes, jobs or data")
	}
	employ(t, s, program, quiet)
	answers, failed := collect(t, r, kinds("double", "a", "b", "c", "d", "e", "f", "g", "h", "i"))
	if len(answers) != 4 || answers[0] != "aa" || answers[1] != "first" || answers[7] != "of 007" || answers[8] != "ii" {
		t.Errorf("%.200v", answers)
	}
	for i, want := range map[int]string{2: "red  [31m lines", 3: "no SHA-256", 4: "not found", 5: "may be", 6: "data of hash"} {
		if failed[i] == nil || !strings.Contains(failed[i].Error(), want) || len(fault.Hint(failed[i])) > 2100 {
			t.Errorf("job %d: %.200v", i, failed[i])
		}
	}
}

// An answer that is not true ends the work, and says whose it was.
func TestADistrustedWorkerIsNamed(t *testing.T) {
	s, nc := start(t)
	employ(t, s, program, quiet)
	err := open(t, nc, time.Minute).Do(t.Context(), kinds("double", "a"), queue.Callbacks{
		Accept: func(int, []byte) error { return queue.Distrust(fault.New("said 5", "start again")) }, Failed: func(int, error) {},
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
