package node

import (
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler returns the HTTP handler of a node's state: /healthz (200 as long as the node works, else 503), /status
// (Status as JSON) and /metrics (Prometheus). It authenticates nobody and is meant for the loopback interface.
func Handler(n *Node) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		s := n.Status()
		code := http.StatusOK
		if s.Error != "" || s.State == Stopped {
			code = http.StatusServiceUnavailable
		}
		answer(w, code, map[string]string{"state": string(s.State), "error": s.Error})
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, n.Status()) })
	mux.Handle("GET /metrics", promhttp.HandlerFor(n.config.Metrics, promhttp.HandlerOpts{}))
	return mux
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
}
