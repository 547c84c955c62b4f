package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/hearsay-dp/hearsay/fault"
)

// longest is the time limit of a run. A longer run is an error.
const longest = 10 * time.Minute

// A meter builds and runs the programs of runs.
type meter struct {
	ctx    context.Context
	top    string
	folder string // temporary, removed by close
	built  map[string]string
	prefix string // of its notes
	began  time.Time
}

func newMeter(ctx context.Context, top string) (*meter, error) {
	top, err := filepath.Abs(top)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "hearsay-measure-")
	return &meter{ctx: ctx, top: top, folder: folder, built: map[string]string{}, began: time.Now()}, err
}

func (m *meter) close() { os.RemoveAll(m.folder) }

// sit takes all measurements of a sitting.
func (m *meter) sit(s Sitting) (*Result, error) {
	code, err := digest(m.top, s)
	if err != nil {
		return nil, err
	}
	for _, r := range s.Runs {
		if err := m.build(r); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	r := &Result{Config: m.surroundings()}
	r.Config["sitting"], r.Config["code"], r.Config["times"] = s.Name, code, fmt.Sprint(s.Times)
	if len(s.Sizes) > 0 {
		err = m.climb(s, r)
	} else {
		err = m.repeat(s, r)
	}
	if err == nil && len(s.Sizes) == 0 {
		for _, row := range s.Rows {
			if len(r.values(row.Value)) == 0 {
				err = fault.New(fmt.Sprintf("%s: no run gave %q", s.Name, row.Value), "value is a benchmark's name and one of the units that it prints")
			}
		}
	}
	if now, again := digest(m.top, s); again != nil || now != code {
		err = errors.Join(err, fault.New(s.Name+": its code changed while it was measured", "measure it again"))
	}
	r.Config["took"] = time.Since(began).Round(time.Second).String()
	return r, err
}

// repeat takes all runs in turn, Times times. It notes and leaves out a command that fails, for example because python3 with
// numpy is not installed. The first run and runs of packages must succeed.
func (m *meter) repeat(s Sitting, r *Result) error {
	missing := map[int]bool{}
	for k := range s.Times {
		for j, run := range s.Runs {
			if missing[j] {
				continue
			}
			err := m.once(run, r, fmt.Sprintf("%d of %d", k+1, s.Times), longest)
			if err != nil && (j == 0 || run.Package != "" || m.ctx.Err() != nil) {
				return err
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: left out: %v\n", m.prefix, err)
				missing[j] = true
			}
		}
	}
	return nil
}

// climb measures one size after the other, until one takes longer than Limit. It repeats a size, up to Times, until a run takes
// more than a quarter of Limit.
func (m *meter) climb(s Sitting, r *Result) error {
	for _, n := range s.Sizes {
		for k := range s.Times {
			began := time.Now()
			err := m.once(s.Runs[0].at(n), r, fmt.Sprintf("n = %d, %d of %d", n, k+1, s.Times), time.Duration(s.Limit))
			if errors.Is(err, context.DeadlineExceeded) {
				r.Config["stopped"] = fmt.Sprintf("n = %d took longer than %s", n, time.Duration(s.Limit))
				return nil
			}
			if err != nil {
				return err
			}
			if time.Since(began) > time.Duration(s.Limit)/4 {
				break // once is enough
			}
		}
	}
	return nil
}

// build builds the program of a run if it is not built yet.
func (m *meter) build(r Run) error {
	switch {
	case r.Package != "" && m.built[r.Package] == "":
		path := filepath.Join(m.folder, strings.NewReplacer("/", "-", ".", "").Replace(r.Package)+".test")
		m.built[r.Package] = path
		return m.make("go", "test", "-c", "-o", path, r.Package)
	case strings.Contains(r.Command, "hearsay ") && m.built["hearsay"] == "":
		m.built["hearsay"] = filepath.Join(m.folder, "bin", "hearsay")
		return m.make("go", "build", "-o", m.built["hearsay"], "./cmd/hearsay")
	}
	return nil
}

func (m *meter) make(name string, args ...string) error {
	m.say("building: %s %s", name, strings.Join(args, " "))
	command := exec.CommandContext(m.ctx, name, args...)
	command.Dir = m.top
	if said, err := command.CombinedOutput(); err != nil {
		return fault.New(fmt.Sprintf("%s %s: %v: %s", name, strings.Join(args, " "), err, last(said)), "make it compile")
	}
	return nil
}

// once runs a program and adds its printed benchmarks to result. It returns an error if the program takes longer than limit or
// prints no benchmark.
func (m *meter) once(r Run, result *Result, which string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(m.ctx, limit)
	defer cancel()
	command := m.command(ctx, r)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	stop := m.watch(which, r.said())
	began := time.Now()
	err := command.Run()
	took := time.Since(began)
	stop()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", r.said(), ctx.Err())
	case err != nil:
		return fault.New(fmt.Sprintf("%s: %v: %s", r.said(), err, last(append(out.Bytes(), said.Bytes()...))), "run it alone and see")
	}
	lines := strings.Split(out.String(), "\n")
	if r.As != "" {
		lines = []string{ownLine(r.As, took, command.ProcessState)}
	}
	found := false
	for _, text := range lines {
		if l, ok := parseLine(bare(text, r.CPU)); ok {
			result.Lines, found = append(result.Lines, l), true
		} else if key, value, ok := strings.Cut(text, ": "); ok && (key == "blas" || key == "numpy") {
			result.Config[key] = value
		}
	}
	if !found {
		return fault.New(fmt.Sprintf("%s printed no benchmark: %s", r.said(), last(out.Bytes())), "a benchmark that is skipped wants a file that is not here")
	}
	return nil
}

// command returns the command of a run.
func (m *meter) command(ctx context.Context, r Run) *exec.Cmd {
	if r.Package != "" {
		c := exec.CommandContext(ctx, m.built[r.Package], "-test.run", "^$", "-test.bench", r.pattern(),
			"-test.benchtime", r.For, "-test.cpu", fmt.Sprint(r.CPU), "-test.timeout", "0")
		c.Dir = filepath.Join(m.top, r.Package)
		return c
	}
	c := exec.CommandContext(ctx, "sh", "-c", r.Command)
	together(c)
	c.Dir = m.top
	c.Env = append(os.Environ(), "PATH="+filepath.Join(m.folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "OUT="+filepath.Join(m.folder, "out"))
	return c
}

// ownLine returns the benchmark line of a program's own time and memory.
func ownLine(name string, took time.Duration, state *os.ProcessState) string {
	text := fmt.Sprintf("Benchmark%s 1 %d ns/op %d cpu-ns/op", name, took.Nanoseconds(), (state.UserTime() + state.SystemTime()).Nanoseconds())
	if most := resident(state); most > 0 {
		text += fmt.Sprintf(" %.1f resident-MB", most/1e6)
	}
	return text
}

// bare removes the number of processors from the name in a benchmark line.
func bare(text string, cpu int) string {
	name, rest, ok := strings.Cut(strings.Replace(text, "\t", " ", 1), " ")
	if !ok || cpu == 1 {
		return text
	}
	return strings.TrimSuffix(name, "-"+strconv.Itoa(cpu)) + " " + rest
}

// watch shows the current run: on a terminal in a line that counts the seconds, elsewhere once. The caller must call the returned
// function at the end of the run.
func (m *meter) watch(which, what string) func() {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		m.say("%s: %s", which, what)
		return func() {}
	}
	began, done, ended := time.Now(), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			fmt.Fprintf(os.Stderr, "\r\033[K%s %s %s: %.100s (%.0f s)", m.clock(), m.prefix, which, what, time.Since(began).Seconds())
			select {
			case <-tick.C:
			case <-done:
				fmt.Fprint(os.Stderr, "\r\033[K")
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

func (m *meter) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s %s %s\n", m.clock(), m.prefix, fmt.Sprintf(format, args...))
}

// clock writes the time since the meter was made, as minutes and seconds.
func (m *meter) clock() string {
	s := int(time.Since(m.began).Seconds())
	return fmt.Sprintf("%2d:%02d", s/60, s%60)
}

// last returns the last 300 bytes of a program's output, on one line.
func last(said []byte) string {
	text := strings.Join(strings.Fields(string(said)), " ")
	return text[max(0, len(text)-300):]
}

// surroundings returns the date, the machine and the commit of a measurement. A "+" marks uncommitted changes. The commit is for
// orientation only, because a measurement becomes old with its code and not with the commit.
func (m *meter) surroundings() map[string]string {
	config := map[string]string{
		"date": time.Now().UTC().Format(time.DateOnly), "commit": m.git("rev-parse", "--short=10", "HEAD"),
		"cpu": processor(), "processors": fmt.Sprint(runtime.NumCPU()), "go": runtime.Version(),
	}
	if m.git("status", "--porcelain", "--untracked-files=no", "--", "*.go", "*.s") != "" {
		config["commit"] += "+"
	}
	return config
}

func (m *meter) git(args ...string) string {
	command := exec.CommandContext(m.ctx, "git", args...)
	command.Dir = m.top
	out, err := command.Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// processor returns the name of the processor on Linux, and else its architecture.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
