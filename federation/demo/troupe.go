package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node"
)

// A troupe runs the processes of a demonstration.
type troupe struct {
	Config
	*cast
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan end
	all    sync.WaitGroup
	killed bool
	victim string
	turn   int64 // latest turn that any node has reached
	at     int64 // turn at which the victim was killed
	peak   int   // largest number of nodes seen alive at once
}

// end holds the name and the error of a process that ended.
type end struct {
	name string
	err  error
}

// newTroupe returns a troupe. The node in the middle of the list will be killed.
func newTroupe(ctx context.Context, c Config, all *cast) *troupe {
	t := &troupe{Config: c, cast: all, ended: make(chan end, 2*len(all.names)), victim: all.names[len(all.names)/2]}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t
}

// end kills the running nodes and waits for them.
func (t *troupe) end() {
	t.cancel()
	t.all.Wait()
}

// folder returns the folder of a node's ledger and results.
func (c *cast) folder(name string) string { return filepath.Join(c.dir, name) }

// start runs a node as a process of its own, and returns it.
func (t *troupe) start(name string) (*exec.Cmd, error) {
	log, err := os.OpenFile(t.file(name, ".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := t.Command(t.ctx, "node", t.cast.spec, "--name", name, "--data", t.file(name, ".csv"), "--key", t.file(name, ".key"), "--dir", t.folder(name))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second // after that the process is killed
	if err := cmd.Start(); err != nil {
		return nil, fault.Wrap(err, "cannot start a node", "check that this program may start processes")
	}
	t.all.Go(func() { t.ended <- end{name, cmd.Wait()} })
	return cmd, nil
}

// play starts all nodes, kills one during the run, restarts it, and waits until all have ended.
func (t *troupe) play() error {
	running := map[string]*exec.Cmd{}
	for _, name := range t.names {
		cmd, err := t.start(name)
		if err != nil {
			return err
		}
		running[name] = cmd
	}
	look := time.NewTicker(25 * time.Millisecond)
	defer look.Stop()
	for len(running) > 0 {
		select {
		case <-t.ctx.Done():
			return t.ctx.Err()
		case e := <-t.ended:
			delete(running, e.name)
			if e.err != nil {
				return t.failed(e)
			}
		case <-look.C:
			t.look(running)
			if t.killed || t.turn*4 < int64(t.turns) {
				continue
			}
			if err := t.strike(running); err != nil {
				return err
			}
		}
	}
	return nil
}

// failed returns the error of a node that ended unexpectedly.
func (t *troupe) failed(e end) error {
	return fault.Wrap(e.err, "node "+e.name+" failed", "its log is "+t.file(e.name, ".log"))
}

// strike kills one node with SIGKILL during its work, and restarts it.
func (t *troupe) strike(running map[string]*exec.Cmd) error {
	t.killed, t.at = true, t.turn
	victim := running[t.victim]
	if victim == nil {
		return nil // it was faster
	}
	if err := victim.Process.Kill(); err != nil {
		return err
	}
	for e := range t.ended {
		delete(running, e.name)
		if e.name == t.victim {
			break
		}
		if e.err != nil {
			return t.failed(e)
		}
	}
	t.Say(fmt.Sprintf("%s was killed (SIGKILL) at turn %d of %d; the others wait", t.victim, t.turn, t.turns))
	select {
	case <-t.ctx.Done():
		return t.ctx.Err()
	case <-time.After(time.Second):
	}
	t.look(running)
	cmd, err := t.start(t.victim)
	if err != nil {
		return err
	}
	running[t.victim] = cmd
	t.Say(t.victim + " was started again; it goes on from its ledger")
	return nil
}

// look asks all nodes for their progress.
func (t *troupe) look(running map[string]*exec.Cmd) {
	up, releases, links := 0, int64(0), 0
	for name := range running {
		s, err := federation.AskStatus(t.ctx, t.folder(name))
		if err != nil {
			continue // not yet, or no longer
		}
		up++
		t.turn = max(t.turn, int64(s.Turn))
		releases += s.Ledger.Releases
		links += connected(s)
	}
	t.peak = max(t.peak, up)
	t.Live(fmt.Sprintf("turn %d of %d, %d of %d nodes up, %d links, %d releases on disk", t.turn, t.turns, up, len(t.names), links/2, releases))
}

func connected(s node.Status) (links int) {
	for _, n := range s.Neighbours {
		if n.Connected {
			links++
		}
	}
	return links
}
