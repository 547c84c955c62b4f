package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newRelayCommand() *cobra.Command {
	var flags nodes.RelayQuestion
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
		RunE: func(cmd *cobra.Command, args []string) error { return nodes.RunRelay(askerOf(cmd), args[0], flags) },
	}
	cmd.Flags().StringVar(&flags.Key, "key", "relay.key", "key file of the relay")
	cmd.Flags().StringSliceVar(&flags.Listen, "listen", nil, "multiaddresses to listen on (default: those of the spec)")
	return cmd
}
