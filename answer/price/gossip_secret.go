package price

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
)

// A SecretQuestion holds the flags of a graph that is drawn in secret.
type SecretQuestion struct {
	Secret    bool
	Redrawn   bool // a graph of its own for every turn
	Observers int  // that pool their views
}

// A SecretGraphs is the answer about a graph that is drawn in secret: losses by the number of others that observers hear.
type SecretGraphs struct {
	form.Claim
	Observers int         `json:"observers"`
	Redrawn   bool        `json:"redrawn,omitempty"`
	Rows      []SecretRow `json:"rows"`
	Refused   Refused     `json:"refused,omitempty"`
	metric    privacy.Metric
}

// A SecretRow is the loss towards observers who hear so many others in a turn.
type SecretRow struct {
	Hear      int            `json:"hear"`
	Leakage   report.Number  `json:"leakage"`             // of a stranger, the mean over draws, at most
	Heard     report.Number  `json:"heard"`               // the loss of those who are heard
	Stranger  report.Number  `json:"stranger"`            // the loss of those who are not
	Published *report.Number `json:"published,omitempty"` // of a stranger: 002, Theorem 6.6 or Corollary C.14
}

// checkSecret refuses flags of secret graphs without one, and of pairs with one.
func (f *GossipQuestion) checkSecret() error {
	switch {
	case !f.Secret && (f.Redrawn || f.Observers != 0 && f.Observers != 1):
		return fault.New("--redrawn or --observers without --secret-graph", "give --secret-graph, or --v and --colluders for observers by name")
	case !f.Secret:
		return nil
	case f.Leaks != "" || f.Learns != "" || len(f.Pool) > 0 || len(f.Group) > 0:
		return fault.New("--secret-graph with --u, --v, --colluders or --group: before the draw all nodes are alike", "leave them out; --observers 3 is for observers who pool what they see")
	case !gen.Exchangeable(f.Graph):
		return fault.New(fmt.Sprintf("--secret-graph with --graph %s: its law must be the same under every renaming of nodes", f.Graph), "use er:n=200,p=0.04 or regular:n=200,d=8, say")
	case !(f.Sigma > 0):
		return fault.New(fmt.Sprintf("--sigma %g with --secret-graph is not above 0", f.Sigma), "give a sigma such as 4")
	}
	return nil
}

// secret prices a graph that is drawn in secret. The graph that was drawn here says how many others observers usually hear.
func (f *GossipQuestion) secret(t *graph.Transition) (*GossipAnswer, error) {
	if t.Own() {
		return nil, fault.New("--weights FILE with --secret-graph: weights must follow from the graph that is drawn", "use --weights hamilton")
	}
	on := t.Graph()
	settings := gossipview.SecretGraph{Nodes: on.Len(), Turns: f.Steps, Observers: f.Observers, Redrawn: f.Redrawn}
	if err := cmp.Or(settings.Check(), f.metric().Check(), privacy.CheckSigma(f.Sigma)); err != nil {
		return nil, err
	}
	answer := &SecretGraphs{Claim: form.NewClaim(settings.Claim()), Observers: f.Observers, Redrawn: f.Redrawn, metric: f.metric()}
	local := gossipview.MixtureLoss(1, f.Sigma, f.metric())
	for _, settings.Heard = range usual(on, f.Observers) {
		leakage := settings.Leakage()
		row := SecretRow{settings.Heard, report.Number(leakage), report.Number(local), report.Number(gossipview.MixtureLoss(leakage, f.Sigma, f.metric())), nil}
		if published, err := f.printed(settings); err != nil {
			answer.Refused = Refused{"published": err.Error()}
		} else {
			row.Published = (*report.Number)(&published)
		}
		answer.Rows = append(answer.Rows, row)
	}
	return &GossipAnswer{N: on.Len(), Secret: answer, graph: on}, nil
}

// printed returns the loss of a stranger as 002 prints it.
func (f *GossipQuestion) printed(g gossipview.SecretGraph) (float64, error) {
	if f.Delta != 0 || g.Redrawn {
		return 0, fault.New("002 Theorem 6.6 and Corollary C.14 are stated at Renyi orders, of one graph for all turns", "leave out --delta and --redrawn")
	}
	_, rest, _, err := gossipview.RandomGraphLoss(g.Nodes, g.Heard, g.Turns, f.Sigma, f.Alpha)
	return rest, err
}

// usual returns the fewest, the median and the most others that coalitions of so many nodes hear in a graph.
func usual(g *graph.Graph, observers int) []int {
	var counts []int
	for first := 0; first+observers <= g.Len(); first += observers {
		heard := map[int32]bool{}
		for v := first; v < first+observers; v++ {
			for _, w := range g.Neighbours(v) {
				if int(w) < first || int(w) >= first+observers {
					heard[w] = true
				}
			}
		}
		counts = append(counts, len(heard))
	}
	slices.Sort(counts)
	return slices.Compact([]int{counts[0], counts[len(counts)/2], counts[len(counts)-1]})
}

// print writes the losses as a table.
func (s *SecretGraphs) print(w io.Writer, n int) error {
	whom := "an observer hears"
	if s.Observers > 1 {
		whom = fmt.Sprintf("%d observers hear together", s.Observers)
	}
	fmt.Fprintf(w, "%d nodes, a graph drawn in secret, %s, by how many others %s\n\n", n, s.metric, whom)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "heard\tof those: sound if\tof all others: sound if\tpublished\t")
	for _, row := range s.Rows {
		published := "-"
		if row.Published != nil {
			published = report.Loss(float64(*row.Published), report.Published)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t\n", row.Hear, report.Loss(float64(row.Heard), report.Sound), report.Loss(float64(row.Stranger), report.Sound), published)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	s.Refused.print(w)
	for _, assumption := range s.Assumptions {
		fmt.Fprintf(w, "sound if assumes: %s\n", assumption)
	}
	return nil
}
