package nodes

import (
	"context"
	"net"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node"
)

// UsualDashboard is the default address of a dashboard.
const UsualDashboard = "127.0.0.1:8440"

// TakeAddress takes ADDRESS out of the arguments after --dashboard ADDRESS. Without it the value would
// have to be written with =.
func (f *DashboardQuestion) TakeAddress(args []string) (others []string) {
	for _, arg := range args {
		_, port, err := net.SplitHostPort(arg)
		if _, number := strconv.ParseUint(port, 10, 16); err == nil && number == nil && len(args) == 2 && (f.Listen == UsualDashboard || f.Listen == arg) {
			f.Listen = arg
			continue
		}
		others = append(others, arg)
	}
	return others
}

// Beside serves the dashboard of a node, if one is wanted, while it runs.
func (f *DashboardQuestion) Beside(ask form.Asker, o *federation.Options, node func() error) error {
	if f.Listen == "" {
		return node()
	}
	access, listener, err := f.open(ask.Stderr)
	if err != nil {
		return err
	}
	options, end := dashboard([]string{o.Dir}, nil, f.Live(o))
	options.Docs = f.Docs
	defer end()
	ctx, stop := context.WithCancel(ask.Context)
	served := make(chan error, 1)
	go func() { served <- access.Serve(ctx, listener, options) }()
	err = node()
	stop()
	if failed := <-served; failed != nil {
		o.Log.Warn("the dashboard ended", "error", failed)
	}
	return err
}

// Live returns a function that gives the dashboard the status of the running node. The function returns false before the node
// runs, and for other folders.
func (f *DashboardQuestion) Live(o *federation.Options) func(dir string) (func() node.Status, bool) {
	var status atomic.Pointer[func() node.Status]
	o.Running = func(s func() node.Status) { status.Store(&s) }
	return func(dir string) (func() node.Status, bool) {
		s := status.Load()
		if s == nil || filepath.Clean(dir) != filepath.Clean(o.Dir) {
			return nil, false
		}
		return *s, true
	}
}
