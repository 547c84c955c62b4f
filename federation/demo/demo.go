// Package demo runs a federation of real nodes on this machine. The nodes are processes with their
// own keys, policies and generated data. One of them is killed and restarted during the run. At the
// end the demonstration verifies all ledgers.
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

// Config holds the parameters of a demonstration.
type Config struct {
	Dir     string // empty folder for all files
	Heart   string // folder of the heart disease data of the four hospitals; "": synthetic data of the same shape
	Clinics int    // 4 to 26: number of clinics that pass a model around on generated data; 0: the hospitals learn instead
	Steps   int    // turns of the clinics' walk
	Seed    uint64 // of the generated data only
	Timeout time.Duration
	Command func(ctx context.Context, args ...string) *exec.Cmd // returns this program's command with the given arguments
	Say     func(line string)                                   // called with a line for each event
	Live    func(line string)                                   // called repeatedly with a line on the progress
}

// Run runs the demonstration and returns its result.
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

// write writes text to a file.
func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
