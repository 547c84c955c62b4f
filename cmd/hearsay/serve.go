package main

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/web"
	"github.com/hearsay-dp/hearsay/web/nodes"
)

// dashboardFlags say where a dashboard is served and to whom.
type dashboardFlags struct {
	listen, token string
	hosts         []string
}

// open reads the token, listens, and says to w where.
func (f dashboardFlags) open(w io.Writer) (a web.Access, listener net.Listener, err error) {
	a = web.Access{Address: f.listen, Hosts: f.hosts}
	if f.token != "" {
		if a.Token, err = web.ReadToken(f.token); err != nil {
			return a, nil, err
		}
	}
	if listener, err = a.Listen(); err == nil {
		sayWhere(w, listener, a.Token)
	}
	return a, listener, err
}

func newServeCommand() *cobra.Command {
	var f dashboardFlags
	var data []string
	cmd := &cobra.Command{
		Use:   "serve DIR...",
		Short: "Show runs, sweeps and nodes in a browser",
		Long: "Serve shows what lies in and below the folders: finished runs and those that are being\n" +
			"made, sweeps with their frontier, studies of papers, and the folders of participants. The\n" +
			"page follows them while they change. Ask about any pair, put runs side by side.\n\n" +
			"  hearsay serve runs\n" +
			"  hearsay serve runs hearsay-lyon --listen 127.0.0.1:8440\n\n" +
			"It only reads, needs no network, and listens on this machine alone. On another address\n" +
			"it wants a token (--token FILE, its first line), and a proxy in front that speaks HTTPS.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return serve(cmd, args, data, f) },
	}
	cmd.Flags().StringVar(&f.listen, "listen", usualDashboard, "address to listen on")
	cmd.Flags().StringVar(&f.token, "token", "", "file whose first line whoever asks must know")
	cmd.Flags().StringSliceVar(&f.hosts, "host", nil, "name under which a proxy serves the page; repeatable")
	cmd.Flags().StringSliceVar(&data, "data", nil, "folder of data files that explanations may read, where runs name files in it; repeatable")
	return cmd
}

func serve(cmd *cobra.Command, dirs, data []string, f dashboardFlags) error {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fault.New(dir+" is no folder", "give folders that hearsay run, sweep, node or papers wrote, or one above them")
		}
	}
	access, listener, err := f.open(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	options, end := dashboard(dirs, data, nil)
	defer end()
	return access.Serve(cmd.Context(), listener, options)
}

// dashboard is what is shown of the folders, and what ends it. Nodes that run in this process
// are asked by live.
func dashboard(dirs, data []string, live func(dir string) (func() node.Status, bool)) (o web.Options, end func()) {
	reader := nodes.New(time.Now, live)
	readable := append(append([]string{}, dirs...), data...)
	return web.Options{Dirs: dirs, Version: experiment.Version(), Now: time.Now, Explain: newExplainer(readable).explain, Node: reader.Look}, reader.Close
}

// sayWhere says where the page is. The link with the token is for a terminal alone: what is
// written elsewhere is kept.
func sayWhere(w io.Writer, listener net.Listener, token string) {
	where := "http://" + listener.Addr().String() + "/"
	switch {
	case token == "":
		fmt.Fprintf(w, "the dashboard is at %s (Ctrl-C ends it)\n", where)
	case terminal.IsTerminal(w):
		fmt.Fprintf(w, "the dashboard is at %slogin#%s (Ctrl-C ends it)\n", where, url.PathEscape(token))
	default:
		fmt.Fprintf(w, "the dashboard is at %s; whoever logs in needs the token\n", where)
	}
}
