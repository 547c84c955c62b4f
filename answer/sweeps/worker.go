package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/queue/pairs"
	"github.com/hearsay-dp/hearsay/sweep/cells"
)

// A workFolder is the folder of workers' data. No other user may write to it.
type workFolder struct {
	path    string
	passing bool // it is removed when they end
}

func openWorkFolder(given string) (f workFolder, err error) {
	if given == "" {
		f = workFolder{passing: true}
		if f.path, err = os.MkdirTemp("", "hearsay-worker-"); err != nil {
			return f, fault.Wrap(err, "cannot make a folder for data", "give one with --dir")
		}
		return f, nil
	}
	if err := os.MkdirAll(given, 0o700); err != nil {
		return f, fault.Wrap(err, "cannot make the folder for data", "give a folder that can be written with --dir")
	}
	f.path, err = filepath.Abs(given)
	return f, err
}

// leave removes the data unless they are to stay.
func (f workFolder) leave() {
	if f.passing {
		_ = os.RemoveAll(f.path)
	}
}

// dismissal is the message that ends a process of a crew. If the other side ends without it, the crew was killed.
const dismissal = "end\n"

// work runs one process of a crew. It takes cells until its context ends, or the process that started it.
func work(ctx context.Context, parent io.Reader, server ServerQuestion, folder workFolder, say io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	behind := make(chan bool, 1) // whether the crew was killed, once the other side has ended
	defer func() {
		select {
		case left := <-behind:
			if left {
				folder.leave() // the crew cannot
			}
		case <-time.After(time.Second): // a queue that ends with the other side may be noticed first
		}
	}()
	go func() {
		defer stop()
		told, err := io.Copy(io.Discard, parent) // ends when the other side does
		behind <- told == 0 && err == nil
	}()
	program, err := thisProgram()
	if err != nil {
		return err
	}
	nc, err := server.Connect("hearsay worker", saying(say))
	if err != nil {
		return err
	}
	defer nc.Close()
	runner := &cells.Runner{Folder: folder.path}
	host, _ := os.Hostname() // without a host name the process number identifies it
	w := queue.Worker{Name: fmt.Sprintf("%s, process %d", host, os.Getpid()), Program: program, Say: saying(say), Handlers: map[string]queue.Handler{cells.Kind: runner.Run, pairs.Kind: (&pairs.Pricer{}).Run}}
	if err := w.Run(ctx, nc); err != nil {
		return fault.Wrap(err, "the queue cannot be used", "see whether these are the credentials of a worker")
	}
	return nil
}

// A crew runs processes on this machine. It replaces a process that dies. A process that reports that it cannot work
// ends the crew; if the queue is known to exist, only after repeated reports.
type crew struct {
	server  ServerQuestion
	folder  workFolder
	workers int
	cache   form.Cache
	say     io.Writer
	again   int // number of such reports in a row that a member is allowed, for a machine under load
}

func (c crew) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var one sync.Mutex
	var failed error
	var all sync.WaitGroup
	for k := range c.workers {
		all.Go(func() {
			if err := c.member(ctx, k); err != nil && ctx.Err() == nil {
				one.Lock()
				defer one.Unlock()
				failed = errors.Join(failed, err)
				stop()
			}
		})
	}
	all.Wait()
	return failed
}

// member keeps one process running.
func (c crew) member(ctx context.Context, k int) error {
	for quick, faults := 0, 0; ctx.Err() == nil; {
		began := time.Now()
		err := c.process(ctx, k)
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil || err == nil:
			return nil
		case !errors.As(err, &exit):
			return fault.Wrap(err, "cannot start a worker", "see whether this machine can start processes")
		case exit.ExitCode() == form.ExitFault && faults >= c.again:
			return fault.New("a worker cannot work", "what it says stands above")
		case exit.ExitCode() == form.ExitFault:
			faults++
		}
		fmt.Fprintf(c.say, "a worker ended (%v); starting another\n", err)
		if quick++; time.Since(began) > time.Minute {
			quick, faults = 0, 0
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(time.Duration(quick)*100*time.Millisecond, 5*time.Second)):
		}
	}
	return nil
}

// process runs one process from start to end.
func (c crew) process(ctx context.Context, k int) error {
	arguments := append([]string{"worker", "--attached", "--dir", c.folder.path}, c.server.arguments()...)
	if c.folder.passing {
		arguments = append(arguments, "--passing")
	}
	if c.cache != "" {
		arguments = append(arguments, "--cache", string(c.cache))
	}
	cmd := form.Itself(ctx, arguments...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Cancel = func() error { // it returns its job to the queue
		_, _ = io.WriteString(in, dismissal)
		return in.Close()
	}
	cmd.WaitDelay = 10 * time.Second
	said := &LastWords{}
	if cmd.Stderr = c.say; k > 0 {
		cmd.Stderr = said // lines that all processes print are printed once, but not why one of them ends
	}
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(max(1, runtime.NumCPU()/c.workers)))
	err = cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() == nil && errors.As(err, &exit) {
		_, _ = c.say.Write(said.Text)
	}
	return err
}

// LastWords keeps the end of the written text.
type LastWords struct{ Text []byte }

// MostWords is the number of bytes that LastWords keeps.
const MostWords = 4 << 10

// Write appends p and keeps the end of the text.
func (l *LastWords) Write(p []byte) (int, error) {
	l.Text = append(l.Text, p...)
	l.Text = l.Text[max(0, len(l.Text)-MostWords):]
	return len(p), nil
}

// A WorkQuestion holds the settings of `hearsay worker`.
type WorkQuestion struct {
	Server            ServerQuestion
	Dir               string
	Workers           int
	Attached, Passing bool
	Cache             form.Cache
}

// Work takes cells of sweeps and blocks of pairs from a queue until it is stopped.
func (q *WorkQuestion) Work(ask form.Asker, args []string) error {
	if q.Server.URL == "" {
		return fault.New("no queue is given", "give --nats URL, as hearsay sweep --queue prints it")
	}
	if q.Workers < 1 {
		return fault.New(fmt.Sprintf("--workers %d", q.Workers), "give at least one")
	}
	if q.Attached {
		signal.Ignore(syscall.SIGPIPE) // the reader of its output may be gone, but the data must be removed
		ctx, err := q.Cache.Watched(ask.Context, ask.Stderr)
		if err != nil {
			return err
		}
		return work(ctx, os.Stdin, q.Server, workFolder{q.Dir, q.Passing}, ask.Stderr)
	}
	folder, err := openWorkFolder(q.Dir)
	if err != nil {
		return err
	}
	defer folder.leave()
	return crew{q.Server, folder, q.Workers, q.Cache, ask.Stderr, 0}.run(ask.Context)
}
