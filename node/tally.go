package node

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// tally holds the counters of a node. It is safe for concurrent use.
type tally struct {
	releases, commits, framesIn, framesOut atomic.Uint64
	unsent, hops, repeats                  atomic.Uint64
	refused                                map[string]*atomic.Uint64 // by reason; the map does not change
	latency                                prometheus.Histogram
}

func newTally() *tally {
	t := &tally{refused: map[string]*atomic.Uint64{}, latency: prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "hearsay_commit_seconds", Help: "Time that a commit to the ledger takes.",
		Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16),
	})}
	for _, reason := range reasons() {
		t.refused[reason] = new(atomic.Uint64)
	}
	return t
}

// committed counts a commit with its duration and number of releases.
func (t *tally) committed(took time.Duration, releases int) {
	t.commits.Add(1)
	t.releases.Add(uint64(releases))
	t.latency.Observe(took.Seconds())
}

// payload counts a message with a body, sent first or again.
func (t *tally) payload(again bool) {
	if again {
		t.repeats.Add(1)
		return
	}
	t.hops.Add(1)
}

// register registers the node's metrics.
func (n *Node) register() error {
	all := []prometheus.Collector{n.tally.latency}
	count := func(name, help string, value func() uint64) {
		opts := prometheus.CounterOpts{Name: "hearsay_" + name, Help: help}
		all = append(all, prometheus.NewCounterFunc(opts, func() float64 { return float64(value()) }))
	}
	gauge := func(name, help string, value func(*Status) float64) {
		opts := prometheus.GaugeOpts{Name: "hearsay_" + name, Help: help}
		all = append(all, prometheus.NewGaugeFunc(opts, func() float64 { s := n.Status(); return value(&s) }))
	}
	t, carrier := n.tally, n.config.Transport
	count("releases_total", "Releases committed to the ledger since the start.", t.releases.Load)
	count("commits_total", "Commits to the ledger.", t.commits.Load)
	count("hops_total", "Messages with a model sent for the first time.", t.hops.Load)
	count("repeats_total", "Messages with a model sent again.", t.repeats.Load)
	count("unsent_total", "Messages for a neighbour that was not there; they are repeated.", t.unsent.Load)
	count("frames_in_total", "Valid frames received.", t.framesIn.Load)
	count("frames_out_total", "Frames handed to a link.", t.framesOut.Load)
	count("bytes_in_total", "Bytes of frames received, valid or not.", func() uint64 { return carrier.Counters().BytesIn })
	count("bytes_out_total", "Bytes of frames sent.", func() uint64 { return carrier.Counters().BytesOut })
	count("strangers_total", "Connections refused: not a neighbour's key.", func() uint64 { return carrier.Counters().Strangers })
	count("streams_oversize_total", "Streams ended: a frame above the limit was announced.", func() uint64 { return carrier.Counters().Oversize })
	count("streams_malformed_total", "Streams ended: no length of a frame, or bytes where none belong.", func() uint64 { return carrier.Counters().Malformed })
	count("streams_truncated_total", "Streams that ended within a frame.", func() uint64 { return carrier.Counters().Truncated })
	count("streams_slow_total", "Streams ended: a frame was begun and not finished in time.", func() uint64 { return carrier.Counters().ReadTimeouts })
	count("dial_failures_total", "Attempts to open a link that failed.", func() uint64 { return carrier.Counters().DialFailures })
	gauge("contributions", "Times that this node has used its data in this run.", func(s *Status) float64 { return float64(s.Contributions) })
	gauge("turn", "Turn of the run as far as this node knows.", func(s *Status) float64 { return float64(s.Turn) })
	gauge("turns", "Turns of the whole run.", func(s *Status) float64 { return float64(s.Turns) })
	gauge("epoch", "Highest epoch of a token seen.", func(s *Status) float64 { return float64(s.Epoch) })
	gauge("neighbours", "Neighbours of this node.", func(s *Status) float64 { return float64(len(s.Neighbours)) })
	gauge("neighbours_connected", "Neighbours whose link is up.", (*Status).connected)
	gauge("neighbours_agreed", "Neighbours that have agreed on the spec.", (*Status).agreed)
	gauge("quiet_seconds", "Time since something of the run last came in or went out; 0 before its begin, after its end and once a participant has left for good.", func(s *Status) float64 { return s.Quiet })
	gauge("silence_seconds", "Time of quiet after which the node stops (federation.silence); 0: it never does.", func(s *Status) float64 { return s.Silence })
	for reason, refused := range t.refused {
		all = append(all, prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "hearsay_frames_refused_total", Help: "Frames refused, by reason.", ConstLabels: prometheus.Labels{"reason": reason},
		}, func() float64 { return float64(refused.Load()) }))
	}
	for _, c := range all {
		if err := n.config.Metrics.Register(c); err != nil {
			return err
		}
	}
	return nil
}
