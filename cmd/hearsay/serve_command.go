package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newServeCommand() *cobra.Command {
	var f nodes.DashboardQuestion
	var data []string
	cmd := &cobra.Command{
		Use:   "serve DIR...",
		Short: "Show runs, sweeps and nodes in a browser",
		Long: "Serve shows what lies in and below the folders: finished runs and those that are being\n" +
			"made, sweeps with their frontier, studies of papers, and the folders of participants. The\n" +
			"page follows them while they change. Ask about any pair, put runs side by side.\n" +
			"The documentation of this version is under /docs/.\n\n" +
			"  hearsay serve runs\n" +
			"  hearsay serve runs hearsay-lyon --listen 127.0.0.1:8440\n\n" +
			"It only reads, needs no network, and listens on this machine alone. On another address\n" +
			"it wants a token (--token FILE, its first line), and a proxy in front that speaks HTTPS.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Docs = docsHandler(cmd.Root())
			return nodes.Serve(askerOf(cmd), args, data, f)
		},
	}
	cmd.Flags().StringVar(&f.Listen, "listen", nodes.UsualDashboard, "address to listen on")
	cmd.Flags().StringVar(&f.Token, "token", "", "file with the access token, in its first line")
	cmd.Flags().StringSliceVar(&f.Hosts, "host", nil, "name under which a proxy serves the page; repeatable")
	cmd.Flags().StringSliceVar(&data, "data", nil, "folder of data files that explanations may read, where runs name files in it; repeatable")
	return cmd
}
