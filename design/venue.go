package design

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
)

// keysOf holds keys of a spec and their values.
type keysOf = map[string]any

// A venue holds the common parts of all plans of one set of wishes: the possible edges, and the rows on the nodes, once for kinds that
// read the graph and once for those that do not.
type venue struct {
	*Wishes
	graph *graph.Graph // its nodes are called as the participants
	links links
	seed  uint64 // of the rows, noise and routes
	held  bool   // rows for testing stay unseen: scores are of a part of the training rows
	bases map[bool]*experiment.Prepared

	axes   axes
	prices *prices
	kept   *kept // nil: nothing is kept
	way    way
}

// A way is how gradients of rows become one of a participant.
type way struct {
	rowsAlike    bool  // rows count alike, not participants
	meansClipped bool  // gossip clips the mean of a participant's rows, not each row
	strict       []int // participants who clip smaller than others to keep their limits, where the family has such clips
}

// validated is the share of the training rows that plans are chosen by.
const validated = 0.25

// newVenue opens the rows. A venue that is held scores on rows that the report does not score on: a part of the training rows,
// or, where rows are generated, other rows.
func newVenue(ctx context.Context, w *Wishes, held bool) (*venue, error) {
	v := &venue{Wishes: w, seed: w.Seed, held: held, axes: axesOf(len(w.Participants)), bases: map[bool]*experiment.Prepared{}, prices: &prices{opened: map[string]*price{}}}
	if held && !v.read() {
		v.seed = experiment.TrialSeed(w.Seed, 1<<20) >> 11
	}
	var err error
	if v.graph, err = w.openGraph(); err != nil {
		return nil, err
	}
	if err := w.checkSecrets(); err != nil {
		return nil, err
	}
	present, all := *w, *v // who may miss steps is up to each plan
	present.Absent, all.Wishes = 0, &present
	if err := all.real(keysOf{"kind": "gossip-gd", "steps": 1, "step_size": 1e-3, "clip": 1}, keysOf{"sigma": 1}); err != nil {
		return nil, err
	}
	v.links = newLinks(w, v.graph)
	for _, graphless := range []bool{false, true} {
		algorithm := keysOf{"kind": "gossip-gd", "steps": 1, "step_size": 1e-3, "clip": 1}
		if graphless {
			algorithm["kind"] = "fixed-point"
		}
		s, err := v.spec(algorithm, keysOf{"sigma": 1})
		if err != nil {
			return nil, err
		}
		var p *experiment.Prepared
		if graphless {
			p, err = experiment.Open(ctx, s, nil)
		} else {
			p, err = experiment.OpenOn(ctx, s, v.graph)
		}
		if err != nil {
			return nil, err
		}
		v.bases[graphless] = p
	}
	return v, v.scores()
}

// scores refuses rows and models that no plan can be scored by.
func (v *venue) scores() error {
	p := v.bases[false]
	if _, predicts := p.Objective.Model.(model.Predictor); !predicts {
		return fault.New(fmt.Sprintf("model: a %s predicts nothing that plans could be compared by", p.Objective.Name()), "give a model that predicts, such as model: {kind: logistic}; averages are compared by hearsay plan")
	}
	if p.Test.Len() == 0 {
		return fault.New("data.test: no rows are kept for testing, and plans are compared on such rows", "give data a share of rows for testing, such as test: 0.2")
	}
	c, classifies := p.Objective.Classified(p.Algorithm.Local().Begin(), p.Test)
	switch {
	case classifies && math.IsNaN(c.Balanced()):
		return fault.New(fmt.Sprintf("data: of the %d rows that plans are compared on none is of one of the %d classes", p.Test.Len(), len(c.Confusion)),
			"give data more rows, or a larger share of rows for testing, such as test: 0.3")
	case classifies && v.Goal.Error > 0:
		return fault.New("goal.error: the model tells classes apart, and has no such error", "give goal: {balanced_accuracy: 0.75}")
	case !classifies && v.Goal.Balanced > 0:
		return fault.New("goal.balanced_accuracy: the model predicts a number, and tells no classes apart", "give goal: {error: 0.5}")
	}
	return nil
}

// constant returns the score of the best constant answer on the test rows.
func (v *venue) constant() float64 {
	if k := v.classes(); k > 0 {
		return 1 / float64(k)
	}
	rows, sum, square := v.bases[false].Test, 0.0, 0.0
	n := float64(rows.Len())
	for _, y := range rows.Y {
		sum += y
	}
	for _, y := range rows.Y {
		square += float64((y - sum/n) * (y - sum/n))
	}
	return -math.Sqrt(square / n)
}

// luck returns two standard errors of a balanced accuracy by the number of test rows of each class, 0 for a regression. Trials that share
// test rows, or split the same rows again and again, do not show it.
func (v *venue) luck(score float64) float64 {
	p := v.bases[false]
	c, classifies := p.Objective.Classified(p.Algorithm.Local().Begin(), p.Test)
	if !classifies {
		return 0
	}
	sum, share := 0.0, max(0.05, min(0.95, score))
	for _, answers := range c.Confusion {
		rows := 0
		for _, n := range answers {
			rows += n
		}
		sum += 1 / float64(rows)
	}
	return 2 * math.Sqrt(share*(1-share)*sum) / float64(len(c.Confusion))
}

// classes returns the number of classes that the model tells apart, or 0 for a regression.
func (v *venue) classes() int { return v.bases[false].Objective.Model.(model.Predictor).Classes() }

// read reports whether rows come from a file, and not from a generator.
func (v *venue) read() bool {
	source, _ := v.Data["source"].(string)
	return !slices.Contains([]string{"two-gaussians", "sparse-regression", "mean"}, source)
}

// real refuses a plan that real nodes do not run, if the wishes are of a federation.
func (v *venue) real(algorithm, privacy keysOf) error {
	if v.Federation == nil {
		return nil
	}
	if v.Absent > 0 && algorithm["absent"] == nil {
		return fault.New("real nodes that run it wait for whoever misses a step (absent)", "")
	}
	doc, participants := v.document(algorithm, privacy), []keysOf{}
	for _, p := range v.Participants {
		one := keysOf{"name": p.Name, "key": "key of " + p.Name}
		if v.unit() == spec.UnitRecord {
			one["rows"] = 100
		}
		participants = append(participants, one)
	}
	data := doc["data"].(keysOf)
	for _, simulated := range []string{"path", "partition", "validation"} {
		delete(data, simulated)
	}
	maps.Copy(data, v.Federation.Data)
	if algorithm["absent"] != nil { // who is away is drawn in simulations alone
		algorithm = maps.Clone(algorithm)
		delete(algorithm, "dropout")
	}
	doc["participants"], doc["algorithm"] = participants, algorithm
	_, err := parsed(doc, "federation")
	return err
}

// spec returns the spec of a plan on the nodes of the venue.
func (v *venue) spec(algorithm, privacy keysOf) (*spec.Spec, error) {
	s, err := parsed(v.document(algorithm, privacy), "the plan")
	if err != nil {
		return nil, err
	}
	return s, s.ResolvePaths(v.Dir)
}

// parsed reads the keys of a spec. Errors name no place, because nobody has seen its text.
func parsed(doc keysOf, name string) (*spec.Spec, error) {
	text, err := yamltext.Marshal(doc)
	if err != nil {
		return nil, err
	}
	s, err := experiment.Parse(text, name)
	if err != nil {
		return nil, &fault.Error{What: located.ReplaceAllString(err.Error(), "$1: "), Hint: fault.Hint(err), Err: err}
	}
	return s, nil
}

// located matches the name of a text with a line and a column.
var located = regexp.MustCompile(`^([a-z ]+):[0-9]+:[0-9]+: `)

// document returns the keys of a plan's spec, without its graph.
func (v *venue) document(algorithm, privacy keysOf) keysOf {
	data := keysOf{}
	for key, value := range v.Data {
		data[key] = value
	}
	if v.held && v.read() {
		data["validation"] = validated
	}
	p := keysOf{"unit": v.unit(), "metric": keysOf{"epsilon_at_delta": v.Delta}}
	if v.unit() == spec.UnitRecord && v.RecordName != "" {
		p["record_name"] = v.RecordName
	}
	for key, value := range privacy {
		p[key] = value
	}
	doc := keysOf{"seed": v.seed, "nodes": len(v.Participants), "data": data, "algorithm": algorithm, "privacy": p}
	if v.Name != "" {
		doc["name"] = v.Name
	}
	if v.Model != nil {
		doc["model"] = v.Model
	}
	return doc
}

// prepare makes the algorithm of a plan.
func (v *venue) prepare(ctx context.Context, algorithm, privacy keysOf) (*experiment.Prepared, error) {
	s, err := v.spec(algorithm, privacy)
	if err != nil {
		return nil, err
	}
	return v.bases[s.Kind().Graphless].Again(ctx, s)
}

// nodes returns the node of each participant.
func (v *venue) nodes(p *experiment.Prepared) ([]int, error) { return v.placed(p.Names()) }

// names returns the names of the graph's nodes.
func (v *venue) names() (all []string) {
	for u := range v.graph.Len() {
		all = append(all, v.graph.Label(u))
	}
	return all
}

// placed returns the place of each participant among names. Nodes without names are in the order of the graph's.
func (v *venue) placed(names []string) ([]int, error) {
	if names == nil {
		names = v.names()
	}
	at := make([]int, len(v.Participants))
	for i, participant := range v.Participants {
		at[i] = slices.IndexFunc(names, func(name string) bool { return strings.TrimPrefix(name, "node ") == participant.Name })
		if at[i] < 0 {
			return nil, fault.New(fmt.Sprintf("participants: no rows and no node are called %q", participant.Name), "call participants as the data and the graph call them: "+strings.Join(names, ", "))
		}
	}
	return at, nil
}

// openGraph returns the graph of possible edges, whose nodes are called as the participants.
func (w *Wishes) openGraph() (*graph.Graph, error) {
	pairs, err := w.pairs()
	if err != nil {
		return nil, err
	}
	var named [][2]string
	for _, p := range pairs {
		named = append(named, [2]string{w.Participants[p[0]].Name, w.Participants[p[1]].Name})
	}
	g, err := graph.FromNames("the possible edges", named)
	if err != nil {
		return nil, fault.Wrap(err, "edges", fault.Hint(err))
	}
	if g.Len() < len(w.Participants) {
		for _, p := range w.Participants {
			if !slices.ContainsFunc(named, func(e [2]string) bool { return e[0] == p.Name || e[1] == p.Name }) {
				return nil, fault.New(fmt.Sprintf("edges: %s has none", p.Name), "give it an edge to somebody, or take it out of participants")
			}
		}
	}
	if err := g.Connected(); err != nil {
		return nil, fault.Wrap(err, "edges", "add an edge between the parts")
	}
	return g, nil
}

// pairs returns the possible edges as pairs of participants. Nodes of a generator are the participants in their order. Nodes of
// a file are called as the participants.
func (w *Wishes) pairs() (pairs [][2]int, err error) {
	for _, e := range w.Edges.List {
		pairs = append(pairs, [2]int{w.number(e.Between[0]), w.number(e.Between[1])})
	}
	if w.Edges.Graph == "" {
		return pairs, nil
	}
	how, n := w.Edges.Graph, len(w.Participants)
	if how == "complete" {
		how = fmt.Sprintf("complete:%d", n)
	}
	g, at, err := w.opened("edges", how)
	switch {
	case err != nil:
		return nil, err
	case g.Directed():
		return nil, fault.New(fmt.Sprintf("edges: %s is directed, and messages go both ways over an edge", how), "give an undirected graph")
	case g.Len() != n:
		return nil, fault.New(fmt.Sprintf("edges: %s has %d nodes, and %d participants are listed", how, g.Len(), n), "give a graph of as many")
	}
	for u := range n {
		for _, v := range g.Neighbours(u) {
			if u < int(v) {
				pairs = append(pairs, [2]int{at[u], at[v]})
			}
		}
	}
	return pairs, nil
}

// opened opens the graph of a key and returns the participant of each node: of a generator those in their order, of a file those that
// its nodes are called as.
func (w *Wishes) opened(key, how string) (g *graph.Graph, at []int, err error) {
	named := !gen.IsExpression(how)
	if named && !filepath.IsAbs(how) {
		how = filepath.Join(w.Dir, how)
	}
	if g, err = graphfile.Open(how, w.Seed); err != nil {
		return nil, nil, fault.Wrap(err, key, fault.Hint(err))
	}
	for u := range g.Len() {
		at = append(at, u)
		if !named {
			continue
		}
		if at[u] = w.number(g.Label(u)); at[u] < 0 {
			return nil, nil, fault.New(fmt.Sprintf("%s: no participant is called %q", key, g.Label(u)), "call nodes of the file as the participants")
		}
	}
	return g, at, nil
}

// checkSecrets refuses a file of secrets that cannot be read or names nobody.
func (w *Wishes) checkSecrets() error {
	if slices.Contains([]string{noSecrets, edgeSecrets, anyoneSecrets}, w.Secrets) {
		return nil
	}
	if _, _, err := w.opened("secrets", w.Secrets); err != nil {
		return fault.New(err.Error(), fault.Hint(err)+"; or give none, edges or anybody")
	}
	return nil
}
