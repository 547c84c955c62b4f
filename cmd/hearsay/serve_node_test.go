package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/node"
)

// A node's dashboard is there while the node runs, asks the node itself, and ends with it.
func TestDashboardBesideANode(t *testing.T) {
	testdata.Sequential(t)
	dir := filepath.Join(t.TempDir(), "hearsay-lyon")
	f := nodes.DashboardQuestion{Listen: "127.0.0.1:0"}
	cmd := &cobra.Command{}
	var said strings.Builder
	cmd.SetErr(&said)
	cmd.SetContext(t.Context())
	o := federation.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)}
	ended := errors.New("the node ended")
	where := ""
	err := f.Beside(askerOf(cmd), &o, func() error {
		where = regexp.MustCompile(`http://[^ ]*/`).FindString(said.String())
		code, text := fetched(t, where+"api/list")
		var list struct{ Entries []any }
		if err := json.Unmarshal([]byte(text), &list); err != nil || code != http.StatusOK || len(list.Entries) != 0 {
			t.Errorf("before its folder is there: %d %s", code, text)
		}
		if _, known := f.Live(&o)(dir); known {
			t.Error("a node that is not there yet can be asked")
		}
		return ended
	})
	if !errors.Is(err, ended) {
		t.Errorf("the node's error is %v", err)
	}
	if _, err := http.Get(where); err == nil {
		t.Error("the dashboard is there when the node has ended")
	}
	live := f.Live(&o)
	o.Running(func() node.Status { return node.Status{Name: "lyon"} })
	status, known := live(dir + string(filepath.Separator))
	if !known || status().Name != "lyon" {
		t.Error("a node that runs cannot be asked")
	}
	if _, known := live(filepath.Join(dir, "other")); known {
		t.Error("another folder is this node's")
	}
	if err := (&nodes.DashboardQuestion{Listen: "0.0.0.0:0"}).Beside(askerOf(cmd), &o, func() error { return context.Canceled }); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("without a token on every address: %v", err)
	}
}
