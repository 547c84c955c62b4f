package price

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// A GossipQuestion holds the settings of `hearsay privacy gossip`.
type GossipQuestion struct {
	form.GraphQuestion
	Between
	SecretQuestion
	Steps        int
	Sigma, Alpha float64
	Delta        float64  // above 0: epsilon at that delta instead of Renyi divergence
	Group        []string // nodes whose values change together with that of u
	group        []int    // u and these, ascending
	weights      *graph.Transition
}

// metric returns the metric of the losses.
func (f *GossipQuestion) metric() privacy.Metric {
	if f.Delta != 0 {
		return privacy.Metric{Delta: f.Delta}
	}
	return privacy.Metric{Order: f.Alpha}
}

// mostRounds is the largest number of rounds.
const mostRounds = 1_000_000

// A GossipAnswer holds the result of `hearsay privacy gossip`, with its JSON.
type GossipAnswer struct {
	N           int               `json:"n"`
	Accountants GossipAccountants `json:"accountants,omitzero"` // not of a secret graph
	Pair        *GossipPair       `json:"pair,omitempty"`       // the selected pair; the accountants then have no other pairs
	Secret      *SecretGraphs     `json:"secret_graph,omitempty"`
	graph       *graph.Graph
}

// A GossipPair is the loss of a node to a coalition of observers.
type GossipPair struct {
	form.Claim
	About     string               `json:"about"`
	Group     []string             `json:"group,omitempty"` // the nodes whose values all change, about among them
	Observers []string             `json:"observers"`
	Leakage   report.Number        `json:"leakage"` // share of the node's value in the view, from 0 to 1
	Decided   gossipview.Certainty `json:"decided"`
	Eps       report.Number        `json:"eps"`
	Published *LocalGossip         `json:"published,omitempty"` // of a group towards one observer: 002, Theorem C.17
	metric    string
}

// pair computes the loss of one node, or of a group, to one observer or several.
func (f *GossipQuestion) pair(g *gossipview.Accountant, on *graph.Graph) (*GossipAnswer, error) {
	observers := f.observers()
	view, err := g.View(observers)
	if err != nil {
		return nil, err
	}
	leakage, claim := view.Leakage(f.u), view.Claim(len(observers))
	if len(f.group) > 1 {
		leakage = view.GroupLeakage(f.group)
	}
	eps, err := f.charged(claim, leakage)
	if err != nil {
		return nil, err
	}
	local, err := f.charged(privacy.Claim{Status: privacy.Sound, Assumptions: []string{"a node's noisy value is public"}}, float64(len(f.group)))
	if err != nil {
		return nil, err
	}
	a := &GossipAnswer{N: on.Len(), graph: on, Pair: &GossipPair{Claim: eps.Claim, About: on.Label(f.u), Observers: labels(on, observers),
		Leakage: report.Number(leakage), Decided: view.Certainty(), Eps: eps.Eps, metric: f.metric().String()}}
	a.Accountants.Local = *local
	if len(f.group) == 1 {
		return a, nil
	}
	a.Pair.Group = labels(on, f.group)
	if len(observers) > 1 || gossipfamily.CheckPublished(f.weights, "published", "") != nil {
		return a, nil
	}
	sums, sum := g.PublishedSum(form.Workers()), 0.0
	for _, u := range f.group {
		sum += sums.At(u, f.v)
	}
	a.Pair.Published, err = f.charged(sums.Claim, sum)
	return a, err
}

// charged returns the loss of a value in units of the local loss of one node. It states the group as the unit if there is one.
func (f *GossipQuestion) charged(claim privacy.Claim, value float64) (*LocalGossip, error) {
	losses, err := (&gossipview.Pairs{Claim: claim, N: 1, Values: []float64{value}}).Losses(f.Sigma, f.metric())
	if err != nil {
		return nil, err
	}
	c := form.NewClaim(losses.Claim)
	if len(f.group) > 1 {
		c.Unit = "group"
		c.Assumptions[0] = fmt.Sprintf("unit of privacy: group; neighbouring data sets differ in all the data of its %d participants, replaced by any other", len(f.group))
	}
	return &LocalGossip{c, report.Number(losses.At(0, 0))}, nil
}

// labels returns the names of nodes.
func labels(on *graph.Graph, nodes []int) (names []string) {
	for _, v := range nodes {
		names = append(names, on.Label(v))
	}
	return names
}

// findGroup looks up the nodes of --group and adds u.
func (f *GossipQuestion) findGroup(g *graph.Graph) error {
	others, err := nodesOf(g, "--group", f.Group)
	switch {
	case err != nil:
		return err
	case len(others) > 0 && !f.onePair():
		return fault.New("--group without a pair: a group is --u and these, towards --v", "give --u and --v")
	}
	f.group = append(others, f.u)
	slices.Sort(f.group)
	f.group = slices.Compact(f.group)
	for _, v := range f.observers() {
		if slices.Contains(f.group, v) && f.onePair() {
			return fault.New(fmt.Sprintf("node %s is in the group and observes it", g.Label(v)), "leave it out of --group, or of --v and --colluders")
		}
	}
	return nil
}

// print writes the result for one pair.
func (p *GossipPair) print(w io.Writer, local report.Number) error {
	about := p.About
	if p.Group != nil {
		about = strings.Join(p.Group, ", ") + " together"
	}
	fmt.Fprintf(w, "%s about %s: %s %s (%s, %s); local: %s\n", strings.Join(p.Observers, ", "), about, p.metric, report.Loss(float64(p.Eps), report.Sound), p.Status, p.Decided, report.Loss(float64(local), report.Sound))
	if q := p.Published; q != nil {
		fmt.Fprintf(w, "published: %s (002, Theorem C.17; no bound)\n", report.Loss(float64(q.Eps), report.Published))
	}
	for _, assumption := range p.Claim.Assumptions {
		fmt.Fprintf(w, "sound assumes: %s\n", assumption)
	}
	return nil
}

// GossipAccountants holds the results of the accountants of averaging.
type GossipAccountants struct {
	Sound     PairsGossip `json:"sound,omitzero"` // of all pairs, as the next
	Published PairsGossip `json:"published,omitzero"`
	Local     LocalGossip `json:"local"`
	Refused   Refused     `json:"refused,omitempty"`
}

// PairsGossip is the result of one accountant for all pairs.
type PairsGossip struct {
	form.Claim
	Eps     []report.Vector              `json:"eps"`               // [u][v]: u leaks, v learns
	Leakage []report.Vector              `json:"leakage,omitempty"` // [u][v], in [0, 1]
	Views   map[gossipview.Certainty]int `json:"views,omitempty"`   // number of views by how they were decided
	losses  *gossipview.Losses
}

// LocalGossip is the loss of one noisy value that all can see.
type LocalGossip struct {
	form.Claim
	Eps report.Number `json:"eps"`
}

// Answer answers the question.
func (f *GossipQuestion) Answer() (*GossipAnswer, error) {
	if err := f.checkSecret(); err != nil {
		return nil, err
	}
	w, err := f.Open()
	if err != nil {
		return nil, err
	}
	if f.Steps > mostRounds {
		return nil, fault.New(fmt.Sprintf("--steps %d is out of range", f.Steps),
			fmt.Sprintf("give a number from 0 to %d: a view stops growing long before", mostRounds))
	}
	if f.Secret {
		return f.secret(w)
	}
	if err := form.CheckMatrix(w.Len()); err != nil {
		return nil, err
	}
	if _, err := (&gossipview.Pairs{}).Losses(f.Sigma, f.metric()); err != nil {
		return nil, err // before the computation
	}
	if err := f.find(w.Graph()); err != nil {
		return nil, err
	}
	if f.Delta != 0 {
		if err := oneMetric(f.Asker); err != nil {
			return nil, err
		}
	}
	if err := f.findGroup(w.Graph()); err != nil {
		return nil, err
	}
	if f.oneSide() || len(f.colluders) > 0 && !f.onePair() {
		return nil, fault.New("--u, --v and --colluders of averaging are of one pair", "give --u and --v, or neither for all pairs")
	}
	f.weights = w
	s, err := f.schedule(w)
	if err != nil {
		return nil, err
	}
	g, err := gossipview.Of(s)
	if err != nil {
		return nil, err
	}
	if f.onePair() {
		return f.pair(g, w.Graph())
	}
	says := terminal.PulseOf(f.Stderr)
	says.Enter("what each node sees of all others")
	leakage := g.WithProgress(says.Progress).Leakage(form.Workers())
	a := &GossipAnswer{N: w.Len(), graph: w.Graph()}
	if a.Accountants.Sound, err = f.charge(leakage); err != nil {
		return nil, err
	}
	if err := gossipfamily.CheckPublished(w, "published", ""); err != nil {
		a.Accountants.Refused = Refused{"published": err.Error()}
	} else if a.Accountants.Published, err = f.charge(g.PublishedSum(form.Workers())); err != nil {
		return nil, err
	}
	a.Accountants.Sound.Leakage, a.Accountants.Sound.Views = form.LossRows(a.N, leakage.At), leakage.Views
	a.Accountants.Local = LocalGossip{
		form.NewClaim(privacy.Claim{Status: privacy.Sound, Assumptions: []string{"a node's noisy value is public"}}),
		report.Number(a.Accountants.Sound.losses.Local()),
	}
	return a, nil
}

// anyMean guarantees only that clipping bounds the values. Averaging needs no more.
var anyMean = model.Objective{Model: model.Mean{}}.Guarantees(math.Inf(1))

// schedule returns the schedule of the run that the flags describe. No spec has
// zero turns.
func (f *GossipQuestion) schedule(t *graph.Transition) (schedule.Gossip, error) {
	a, err := experiment.Outline(f.Context, "gossip", t, anyMean, func(s *spec.Spec) {
		s.Algorithm.Steps, s.Algorithm.Own.(*gossipfamily.Keys).Acceleration = max(1, f.Steps), "none"
		s.Privacy.Sigma = &f.Sigma
	})
	if err != nil {
		return schedule.Gossip{}, err
	}
	s := *a.Schedule().(*schedule.Gossip)
	s.TurnsPerRound = f.Steps
	return s, nil
}

// charge converts values in units of the local loss to losses.
func (f *GossipQuestion) charge(p *gossipview.Pairs) (PairsGossip, error) {
	losses, err := p.Losses(f.Sigma, f.metric())
	if err != nil {
		return PairsGossip{}, err
	}
	return PairsGossip{Claim: form.NewClaim(losses.Claim), Eps: form.LossRows(p.N, losses.At), losses: losses}, nil
}

// Print writes the losses by distance.
func (a *GossipAnswer) Print(w io.Writer) error {
	switch {
	case a.Pair != nil:
		return a.Pair.print(w, a.Accountants.Local.Eps)
	case a.Secret != nil:
		return a.Secret.print(w, a.N)
	}
	sound, published := a.Accountants.Sound, a.Accountants.Published.losses
	fmt.Fprintf(w, "%s: %d nodes, %s\n", a.graph.Name(), a.N, sound.losses.Metric)
	up := func(x float64) string { return report.Loss(x, report.Sound) }
	worst := func(name report.Status, l *gossipview.Losses) string {
		return fmt.Sprintf("%s: mean %s, worst %s, worst beyond neighbours %s; ", name, up(l.Mean()), up(l.Max()), form.BeyondNeighbours(name, a.graph, l.Table()))
	}
	line, head, values := worst(report.Sound, sound.losses), "hops\tpairs\tsound: mean\tworst\t", []func(u, v int) float64{sound.losses.At}
	if published != nil {
		line += worst(report.Published, published)
		head, values = head+"published: mean\tworst\tpublished below sound\t", append(values, published.At, a.below)
	}
	fmt.Fprintf(w, "%slocal: %s\n\n", line, up(float64(a.Accountants.Local.Eps)))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, head)
	for _, ring := range a.graph.Rings(values...) {
		fmt.Fprintf(t, "%s\t%d\t", form.Away(ring.Hops), ring.Pairs)
		for _, of := range ring.Of[:min(len(ring.Of), 2)] {
			fmt.Fprintf(t, "%s\t%s\t", up(of.Mean()), up(of.Max))
		}
		if published != nil {
			fmt.Fprintf(t, "%d\t", int(ring.Of[2].Sum))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	a.Accountants.Refused.print(w)
	for _, assumption := range sound.Claim.Assumptions {
		fmt.Fprintf(w, "sound assumes: %s\n", assumption)
	}
	return nil
}

// below returns 1 if the published number is below the sound one, which is exact,
// and 0 otherwise.
func (a *GossipAnswer) below(u, v int) float64 {
	if a.Accountants.Published.losses.At(u, v) < a.Accountants.Sound.losses.At(u, v)*(1-1e-9) {
		return 1
	}
	return 0
}
