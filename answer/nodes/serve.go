package nodes

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/pair"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/web"
	"github.com/hearsay-dp/hearsay/web/nodes"
)

// A DashboardQuestion holds the address of a dashboard, the file of its token, its host names and the
// documentation beside it.
type DashboardQuestion struct {
	Listen, Token string
	Hosts         []string
	Docs          http.Handler // the documentation; nil: there is none
}

// open reads the token, listens, and writes the address to w.
func (f DashboardQuestion) open(w io.Writer) (a web.Access, listener net.Listener, err error) {
	a = web.Access{Address: f.Listen, Hosts: f.Hosts}
	if f.Token != "" {
		if a.Token, err = web.ReadToken(f.Token); err != nil {
			return a, nil, err
		}
	}
	if listener, err = a.Listen(); err == nil {
		sayWhere(w, listener, a.Token)
	}
	return a, listener, err
}

// Serve shows folders in a browser until ask.Context ends. It returns an error if one of dirs is no folder.
func Serve(ask form.Asker, dirs, data []string, f DashboardQuestion) error {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fault.New(dir+" is no folder", "give folders that hearsay run, sweep, node or papers wrote, or one above them")
		}
	}
	access, listener, err := f.open(ask.Stderr)
	if err != nil {
		return err
	}
	options, end := dashboard(dirs, data, nil)
	options.Docs = f.Docs
	defer end()
	return access.Serve(ask.Context, listener, options)
}

// dashboard returns the options of a dashboard over the folders dirs. The caller must call end. live
// returns the status of nodes that run in this process.
func dashboard(dirs, data []string, live func(dir string) (func() node.Status, bool)) (o web.Options, end func()) {
	reader := nodes.New(time.Now, live)
	readable := append(append([]string{}, dirs...), data...)
	return web.Options{Dirs: dirs, Version: experiment.Version(), Now: time.Now, Explain: pair.NewExplainer(readable).Explain, Node: reader.Look}, reader.Close
}

// sayWhere writes the address of the page. The link includes the token only on a terminal, because
// other outputs are kept.
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
