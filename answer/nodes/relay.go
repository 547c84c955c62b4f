package nodes

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/resident"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/transport"
)

// A RelayQuestion holds the settings of `hearsay relay`.
type RelayQuestion struct {
	Key    string
	Listen []string
}

// RunRelay forwards bytes between the participants of the spec at path until ask.Context ends.
func RunRelay(ask form.Asker, path string, flags RelayQuestion) error {
	resident.Lean(os.Getenv("GOGC"))
	s, err := form.LoadSpec(ask.Context, path)
	if err != nil {
		return err
	}
	key, err := identity.Load(flags.Key)
	if err != nil {
		return err
	}
	watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	r, err := federation.OpenRelay(experiment.Watching(ask.Context, watch), s, key)
	if err != nil {
		return err
	}
	r.Config.Listen = r.Listen
	if flags.Listen != nil {
		if r.Config.Listen, err = federation.Addresses(flags.Listen); err != nil {
			return err
		}
	}
	log := slog.New(slog.NewTextHandler(ask.Stderr, nil))
	r.Config.Seen = func(p identity.Peer, came bool) { log.Info(either(came, "came", "left"), "participant", r.Names[p]) }
	relay, err := transport.NewRelay(r.Config)
	if err != nil {
		return err
	}
	go resident.Keep(ask.Context)
	fmt.Fprintln(ask.Stdout, strings.Join(relay.Addrs(), "\n"))
	<-ask.Context.Done()
	log.Info("relay stops", "strangers_refused", relay.Strangers())
	return relay.Close()
}
