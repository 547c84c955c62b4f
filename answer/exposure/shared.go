package exposure

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Parts holds the templates that the pages of all attacks share: "head", "style", "exposed" of []exposedNode and "edges" of
// []edgeAnswer. They name nodes with the functions "name" and "names".
//
//go:embed parts.html
var Parts string

// MostRows is the largest number of attackers that are shown to people.
const MostRows = 20

// OpenGossip opens a spec of a gossip algorithm and sets its noise. It returns an error for other algorithms.
func OpenGossip(ctx context.Context, s *spec.Spec, say func(string)) (*gossipfamily.Algorithm, error) {
	if _, ok := family.Of(s).(gossipfamily.Family); !ok {
		return nil, fault.New(fmt.Sprintf("algorithm.kind: %s is not gossip, and this attack is on what neighbours send each other in turns", s.Algorithm.Kind),
			"use kind: gossip, gossip-gd or gossip-sgd, or hearsay attack walk for what hands a token on")
	}
	var made family.Algorithm
	switch {
	case s.Federated():
		priced, err := experiment.OpenPublic(ctx, s)
		if err != nil {
			return nil, err
		}
		made = priced.Algorithm
	case s.Privacy.Sigma != nil && !s.Privacy.LimitsLoss():
		opened, err := experiment.Open(ctx, s, say)
		if err != nil {
			return nil, err
		}
		if made, err = opened.Algorithm.WithNoise(*s.Privacy.Sigma); err != nil {
			return nil, err
		}
	default:
		priced, err := experiment.Prepare(ctx, s, say)
		if err != nil {
			return nil, err
		}
		made = priced.Algorithm
	}
	return made.(*gossipfamily.Algorithm), nil
}

// mostAlone is the largest number of nodes at which each node attacks alone by default.
const mostAlone = 64

// MostWork is the largest factor by which a question may raise the work.
const MostWork = 1000

// MostShown is the largest number of nodes whose examples the page of an attack shows.
const MostShown = 200

// Yes returns yes or no.
func Yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Proved writes a lower bound of a loss, rounded down.
func Proved(x report.Number) string {
	if math.IsInf(float64(x), 1) {
		return "∞"
	}
	return form.Loss(x, report.Audit)
}

// Allowed writes a sound bound, rounded up.
func Allowed(x report.Number) string { return form.Loss(x, report.Sound) }

// EnoughNoise returns the noise multiplier at which leakage costs (StopEps, StopDelta)-differential privacy.
func EnoughNoise(leakage float64) float64 {
	return math.Sqrt(leakage) / privacy.MuGaussian(StopEps, StopDelta)
}

// The guarantee that defines enough noise: (1, 1e-6)-differential privacy.
const (
	StopEps   = 1
	StopDelta = 1e-6
)

// Numbers writes the first three coordinates of a value.
func Numbers(x []float64) string {
	const most = 3
	var parts []string
	for k, v := range x {
		if k == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%.9g", v))
	}
	return strings.Join(parts, " ")
}

// AttackerSets returns the sets of attackers to examine: the named nodes as one set, or else each node alone. With more than
// mostAlone nodes, and each false, it returns only the node with most neighbours. With very many nodes it returns a sample.
func AttackerSets(h *family.Holdings, named []string, each bool) ([][]int, error) {
	n := h.Spec.Nodes
	if len(named) > 0 {
		set, err := Attackers(h, named)
		if err != nil {
			return nil, err
		}
		return [][]int{set}, nil
	}
	most, all := 0, [][]int{}
	for v := range n {
		all = append(all, []int{v})
		if h.Graph != nil && h.Graph.Degree(v) > h.Graph.Degree(most) {
			most = v
		}
	}
	switch {
	case n > mostAlone && !each:
		return [][]int{{most}}, nil
	case float64(n)*float64(n) > mostTargets: // a sample over all degrees, fewest neighbours first
		if h.Graph != nil {
			slices.SortStableFunc(all, func(a, b []int) int { return h.Graph.Degree(b[0]) - h.Graph.Degree(a[0]) })
		}
		some, every := [][]int{}, n/int(mostTargets/n)+1
		for i := 0; i < n; i += every {
			some = append(some, all[i])
		}
		return some, nil
	}
	return all, nil
}

// mostTargets is the largest number of pairs of a set of attackers and a node that are examined.
const mostTargets = 1 << 19

// Hops writes a distance, or a dash for a negative one, which means that no path exists.
func Hops(d int) string {
	if d < 0 {
		return "–"
	}
	return fmt.Sprint(d)
}

// MostHeard is the largest number of values that attackers may receive: 2 GB.
const MostHeard = 1 << 28
