// Package demo shows a federation of real nodes on this machine: processes with
// keys, policies and generated data of their own, one of which is killed and
// started again on the way, and at the end a look at all their ledgers.
package demo

import (
	"context"
	"os"
	"os/exec"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
)

// Config is what a demonstration needs.
type Config struct {
	Dir     string // empty folder for everything
	Heart   string // folder of the heart disease data, which four hospitals hold; "": a synthetic stand-in
	Clinics int    // 4 to 26 of them hand a model around on generated data, instead of the hospitals; 0: the hospitals learn
	Steps   int    // turns of that walk
	Seed    uint64 // of the generated data, and of nothing else
	Timeout time.Duration
	Command func(ctx context.Context, args ...string) *exec.Cmd // the program itself, with these arguments
	Say     func(line string)                                   // what happens, a line each
	Live    func(line string)                                   // how far it is, again and again
}

// Run shows it, and returns what came of it.
func Run(ctx context.Context, c Config) (*Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout,
		fault.New("the demonstration has not ended within "+c.Timeout.String(), "see the logs in "+c.Dir+"; on a slow disk, use fewer --steps"))
	defer cancel()
	began := time.Now()
	cast, err := prepare(c)
	if err != nil {
		return nil, err
	}
	defer cast.ports.Close()
	c.Say(cast.about)
	c.Say("keys, policies, data and the spec of " + counted(len(cast.names), "participant") + " are in " + c.Dir)
	troupe := newTroupe(ctx, c, cast)
	defer troupe.end()
	if err := troupe.play(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	c.Say("all have ended; reading their ledgers")
	return review(ctx, c, cast, troupe, time.Since(began))
}

// load opens the demonstration's spec as one participant.
func load(ctx context.Context, cast *cast, name string) (*federation.Federation, error) {
	s, err := experiment.Load(cast.spec)
	if err != nil {
		return nil, err
	}
	return federation.Open(ctx, s, name)
}

// write puts text into a new file.
func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
