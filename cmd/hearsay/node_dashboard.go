package main

import (
	"context"
	"net"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node"
)

// usualDashboard is where a dashboard is that nobody gave an address.
const usualDashboard = "127.0.0.1:8440"

// takeAddress takes ADDRESS out of the arguments of --dashboard ADDRESS, whose value would
// else have to be written with =.
func (f *dashboardFlags) takeAddress(args []string) (others []string) {
	for _, arg := range args {
		_, port, err := net.SplitHostPort(arg)
		if _, number := strconv.ParseUint(port, 10, 16); err == nil && number == nil && len(args) == 2 && (f.listen == usualDashboard || f.listen == arg) {
			f.listen = arg
			continue
		}
		others = append(others, arg)
	}
	return others
}

// beside serves the dashboard of a node, if one is wanted, while it runs.
func (f *dashboardFlags) beside(cmd *cobra.Command, o *federation.Options, node func() error) error {
	if f.listen == "" {
		return node()
	}
	access, listener, err := f.open(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	options, end := dashboard([]string{o.Dir}, nil, f.live(o))
	defer end()
	ctx, stop := context.WithCancel(cmd.Context())
	served := make(chan error, 1)
	go func() { served <- access.Serve(ctx, listener, options) }()
	err = node()
	stop()
	if failed := <-served; failed != nil {
		o.Log.Warn("the dashboard ended", "error", failed)
	}
	return err
}

// live lets the dashboard ask the node itself, from when it is there.
func (f *dashboardFlags) live(o *federation.Options) func(dir string) (func() node.Status, bool) {
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
