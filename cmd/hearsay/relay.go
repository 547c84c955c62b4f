package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/resident"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/transport"
)

// relayFlags are what a relay is given besides the spec.
type relayFlags struct {
	key    string
	listen []string
}

func newRelayCommand() *cobra.Command {
	var flags relayFlags
	cmd := &cobra.Command{
		Use:   "relay SPEC.yaml",
		Short: "Carry bytes between participants behind NATs",
		Long: "Relay lets participants that have no address of their own reach each other. It\n" +
			"runs on a machine that all of them can dial, until it is stopped, and takes no\n" +
			"part in the run: what it carries is encrypted between the two, so that it learns\n" +
			"who talks to whom from which address, when, and how much. Nobody but the spec's\n" +
			"participants gets in, and only neighbours are connected. The spec names it:\n\n" +
			"  federation: {relays: [/dns4/relay.example/udp/4100/quic-v1/p2p/PEER-ID]}\n\n" +
			"with the peer id that hearsay keys printed for its key.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return runRelay(cmd, args[0], flags) },
	}
	cmd.Flags().StringVar(&flags.key, "key", "relay.key", "its key file")
	cmd.Flags().StringSliceVar(&flags.listen, "listen", nil, "multiaddresses to listen on, where they are not those of the spec")
	return cmd
}

func runRelay(cmd *cobra.Command, path string, flags relayFlags) error {
	resident.Lean(os.Getenv("GOGC"))
	s, err := loadSpec(cmd.Context(), path)
	if err != nil {
		return err
	}
	key, err := identity.Load(flags.key)
	if err != nil {
		return err
	}
	watch, err := form.Cache("").Plain(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	r, err := federation.OpenRelay(experiment.Watching(cmd.Context(), watch), s, key)
	if err != nil {
		return err
	}
	r.Config.Listen = r.Listen
	if flags.listen != nil {
		if r.Config.Listen, err = federation.Addresses(flags.listen); err != nil {
			return err
		}
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	r.Config.Seen = func(p identity.Peer, came bool) { log.Info(either(came, "came", "left"), "participant", r.Names[p]) }
	relay, err := transport.NewRelay(r.Config)
	if err != nil {
		return err
	}
	go resident.Keep(cmd.Context())
	fmt.Fprintln(cmd.OutOrStdout(), strings.Join(relay.Addrs(), "\n"))
	<-cmd.Context().Done()
	log.Info("relay stops", "strangers_refused", relay.Strangers())
	return relay.Close()
}
