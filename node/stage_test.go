package node

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// A stage is where hops between nodes 0 and 1 are measured. Node 0 is in this process. Node 1, where there are ports,
// is in another one, as daemons are: a processor on which the runtime of the one looks for work is not missing to the other.
type stage struct {
	*world
	steps int
	ports []int // of TCP; nil: memory
}

func newStage(t testing.TB, params, steps int) *stage {
	s := &stage{world: newWorld(t, pair(params, steps), transport.Faults{}), steps: steps}
	s.tick = 10 * time.Millisecond
	return s
}

// transport is a node's, anew at each call.
func (s *stage) transport(v step.NodeID) transport.Transport {
	if s.ports == nil {
		return s.hub.Open(v)
	}
	t, err := transport.NewLibp2p(onPorts(s.t, s.world, s.ports)[v])
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

// What node 1 does.
const (
	walks    = "walk"    // takes part in the walk
	throws   = "throw"   // throws back what comes
	remember = "durable" // and commits an entry of a hop's size before
)

// play does it until ctx ends, or the walk.
func (s *stage) play(ctx context.Context, role string) error {
	if role == walks {
		s.edit = func(v step.NodeID, c *Config) {
			c.Transport.Close()
			c.Transport = s.transport(v)
		}
		return s.once(ctx, 1)
	}
	t, before := s.transport(1), func() {}
	defer t.Close()
	if role == remember {
		before = aloneLedger(s.t, s.world)
	}
	eventually(s.t, "the link is up", func() bool { return t.Connected(0) || ctx.Err() != nil })
	for frame := s.frame(); s.throw(ctx, t, 0, frame, before) == nil; {
	}
	return nil
}

// frame is as long as a hop's.
func (s *stage) frame() []byte { return make([]byte, 8*s.params+40) }

// throw waits for a frame and throws one back.
func (s *stage) throw(ctx context.Context, t transport.Transport, to step.NodeID, frame []byte, before func()) error {
	for {
		in, err := t.Receive(ctx)
		if err != nil {
			return err
		}
		if !in.Up {
			in.Release()
			before()
			return t.Send(ctx, to, frame)
		}
	}
}

// stageRole is what the benchmark of a partner reads from the environment: role, number of parameters, steps, ports and
// folder.
const stageRole = "HEARSAY_STAGE"

// partner has node 1 play a role, in a process of its own where there are ports, until stop is called.
func (s *stage) partner(role string) (stop func()) {
	if s.ports == nil {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() { done <- s.play(ctx, role) }()
		return func() {
			cancel()
			<-done
		}
	}
	c := exec.Command(os.Args[0], "-test.run", "^$", "-test.bench", "^BenchmarkPartner$", "-test.benchtime", "1x",
		"-test.cpu", fmt.Sprint(runtime.GOMAXPROCS(0)))
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %d %d %s", stageRole, role, s.params, s.steps, s.ports[0], s.ports[1], s.folder))
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	life, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return func() {
		life.Close()
		if err := c.Wait(); err != nil || strings.Contains(said.String(), "FAIL") {
			s.t.Errorf("the partner's process: %v: %s", err, said.String())
		}
	}
}

// BenchmarkPartner is node 1 of a stage for whoever starts it with a role, until its input ends. It measures nothing.
func BenchmarkPartner(b *testing.B) {
	var role, folder string
	var params, steps int
	ports := make([]int, 2)
	if _, err := fmt.Sscan(os.Getenv(stageRole), &role, &params, &steps, &ports[0], &ports[1], &folder); err != nil {
		b.Skip("it is started by BenchmarkHop")
	}
	s := newStage(b, params, steps)
	s.folder, s.ports = folder, ports
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := s.play(ctx, role); err != nil && ctx.Err() == nil {
		b.Fatal(err)
	}
}

// echoes are how long frames take to and fro, where each of the two throws one back at once or makes it durable first.
func (s *stage) echoes(rounds int, durable bool) []time.Duration {
	role, before, ctx := throws, func() {}, context.Background()
	if durable {
		role, before = remember, aloneLedger(s.t, s.world)
	}
	here, frame := s.transport(0), s.frame()
	defer s.partner(role)()
	defer here.Close()
	eventually(s.t, "the link is up", func() bool { return here.Connected(1) })
	if err := here.Send(ctx, 1, frame); err != nil {
		s.t.Fatal(err)
	}
	points := []time.Time{time.Now()}
	for range rounds {
		if err := s.throw(ctx, here, 1, frame, before); err != nil {
			s.t.Fatal("the echo broke off: ", err)
		}
		points = append(points, time.Now())
	}
	return between(points)
}

// hops are how long a token takes to and fro, from one release of node 0 to its next.
func (s *stage) hops() []time.Duration {
	var releases []time.Time
	s.edit = func(v step.NodeID, c *Config) {
		c.Transport.Close()
		c.Transport = s.transport(v)
		if v == 0 {
			c.Inspect = func(step.Release) { releases = append(releases, time.Now()) }
		}
	}
	if s.ports == nil {
		s.run()
		return between(releases)
	}
	defer s.partner(walks)()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.once(ctx, 0); err != nil {
		s.t.Fatal(err)
	}
	return between(releases)
}
