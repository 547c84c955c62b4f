package node

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// get asks a handler.
func get(h http.Handler, path string) (code int, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// What a node serves says what it is doing and has done, and holds no number of
// the model.
func TestHandler(t *testing.T) {
	w := newWorld(t, walkOf(t, 2, 3, 30), transport.Faults{})
	w.linger = 0
	c, err := w.config(0)
	if err != nil {
		t.Fatal(err)
	}
	var book logbook
	c.Log = book.logger()
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	h := Handler(n)
	if code, body := get(h, "/healthz"); code != 200 || !strings.Contains(body, `"waiting"`) {
		t.Errorf("before the run: %d %s", code, body)
	}
	other := make(chan error, 1)
	go func() { other <- w.once(context.Background(), 1) }()
	if err := n.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-other; err != nil {
		t.Fatal(err)
	}
	if code, body := get(h, "/healthz"); code != 503 || !strings.Contains(body, `"stopped"`) {
		t.Errorf("after the run: %d %s", code, body)
	}
	checkStatus(t, h, w)
	_, metrics := get(h, "/metrics")
	for _, line := range []string{"hearsay_turn ", "hearsay_turns 33", "hearsay_commit_seconds_count", "hearsay_epoch 0",
		`hearsay_frames_refused_total{reason="replay"} 0`, "hearsay_neighbours 1", "hearsay_contributions 15"} {
		if !strings.Contains(metrics, "\n"+line) {
			t.Errorf("no %s in\n%s", line, metrics)
		}
	}
	if lines := book.lines("run has ended"); lines != 1 {
		t.Errorf("the end was logged %d times: %s", lines, book.String())
	}
}

// checkStatus compares what is served with what was released.
func checkStatus(t *testing.T, h http.Handler, w *world) {
	t.Helper()
	var s Status
	code, body := get(h, "/status")
	if err := json.Unmarshal([]byte(body), &s); err != nil || code != 200 {
		t.Fatalf("%d, %v: %s", code, err, body)
	}
	released := int64(len(w.rows(0)))
	if !s.Done || s.State != Stopped || s.Name != "n0" || s.Turns != w.turns || s.Contributions != 15 ||
		s.Ledger.Releases != released || s.Counters.Releases != uint64(released) || s.Counters.Hops == 0 ||
		s.Counters.BytesOut == 0 || len(s.Spec) != 64 || s.Neighbours[0].LastSeen == nil || s.Error != "" {
		t.Errorf("%s", body)
	}
	if s.Neighbours[0].ID != step.NodeID(1) || s.Neighbours[0].Name != "n1" {
		t.Errorf("neighbour %+v", s.Neighbours[0])
	}
}
