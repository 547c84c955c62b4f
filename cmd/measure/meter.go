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

// longest is how long a run may take before something is wrong with it.
const longest = 10 * time.Minute

// A meter builds what is run and runs it.
type meter struct {
	ctx    context.Context
	top    string
	folder string // its own, gone at the end
	built  map[string]string
	prefix string // of what it says
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

// repeat takes all runs in turn, Times times over. One whose program is not here (python3 with numpy) is left out of the
// result, and said to be; the first is needed.
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

// climb measures one size after the other, until one takes too long.
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

// build makes what a run needs, once.
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

// once runs a program and adds what it printed, and gives up after limit.
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

// command is the program of a run.
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

// ownLine is a program's own time and memory as a benchmark.
func ownLine(name string, took time.Duration, state *os.ProcessState) string {
	text := fmt.Sprintf("Benchmark%s 1 %d ns/op %d cpu-ns/op", name, took.Nanoseconds(), (state.UserTime() + state.SystemTime()).Nanoseconds())
	if most := resident(state); most > 0 {
		text += fmt.Sprintf(" %.1f resident-MB", most/1e6)
	}
	return text
}

// bare is a benchmark's line without the number of processors behind its name.
func bare(text string, cpu int) string {
	name, rest, ok := strings.Cut(strings.Replace(text, "\t", " ", 1), " ")
	if !ok || cpu == 1 {
		return text
	}
	return strings.TrimSuffix(name, "-"+strconv.Itoa(cpu)) + " " + rest
}

// watch says what runs: on a terminal on one line that counts the seconds, elsewhere once.
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

// clock is how long it has been at it.
func (m *meter) clock() string {
	s := int(time.Since(m.began).Seconds())
	return fmt.Sprintf("%2d:%02d", s/60, s%60)
}

// last are the last words of what a program said.
func last(said []byte) string {
	text := strings.Join(strings.Fields(string(said)), " ")
	return text[max(0, len(text)-300):]
}

// surroundings are when, where and of which commit something is measured. The commit says where to look; what makes a
// measurement old is the code itself.
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

// processor is its name, where Linux says it, and its architecture elsewhere.
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
