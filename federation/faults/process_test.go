package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A process is one start of one node.
type process struct {
	i     int
	name  string
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has
	err   error         // how, once it has
	peak  atomic.Int64  // its most memory so far, in bytes
}

// start starts node i, with more environment if need be.
func (w *world) start(i int, environment ...string) *process {
	w.t.Helper()
	return w.startAs(i, w.spec, w.folder(i), environment...)
}

// startAs is start with another spec and another folder.
func (w *world) startAs(i int, spec, dir string, environment ...string) *process {
	w.t.Helper()
	command := []string{program, "node", spec, "--name", w.names[i], "--data", w.file(i, ".csv"), "--key", w.file(i, ".key"), "--dir", dir}
	if w.listen[i] != "" {
		command = append(command, "--listen", w.listen[i])
	}
	if w.wrap != nil {
		command = w.wrap(i, command)
	}
	log, err := os.OpenFile(w.file(i, ".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	p := &process{i: i, name: w.names[i], cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), environment...)
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	w.all = append(w.all, p)
	w.mu.Unlock()
	go p.measure()
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p
}

// kill ends a process as kill -9 does, wherever it is, and term asks it to end.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

func (p *process) term() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }

// freeze stops a process while something is done.
func (p *process) freeze(t testing.TB, meanwhile func()) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	meanwhile()
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// over reports whether a process has ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// killed reports whether a process that has ended was ended by SIGKILL.
func (p *process) killed() bool {
	var exit *exec.ExitError
	if !errors.As(p.err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// measure looks at the memory of a process until it ends.
func (p *process) measure() {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-look.C:
			p.peak.Store(max(p.peak.Load(), field(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid), "VmHWM:")))
		}
	}
}

// field is a size in a file of /proc, in bytes, 0 if it is not there.
func field(path, name string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			size, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				return size << 10
			}
		}
	}
	return 0
}
