package dossier

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Options holds the inputs of a dossier besides its subject.
type Options struct {
	Folder string            // folder of the page, to which its spec's file names are relative; "": the working folder
	Asks   []Ask             // pairs to answer in words, by names or by numbers from 0
	Said   []Said            // by the maker of the dossier; without any the page has no such section
	Say    func(what string) // called with a text at each stage; may be nil
}

func (o *Options) say(what string) {
	if o.Say != nil {
		o.Say(what)
	}
}

// find reports whether all pairs that are asked about are of these nodes, before anything is priced.
func (o *Options) find(h *family.Holdings) error {
	for _, ask := range o.Asks {
		for _, called := range []string{ask.About, ask.Observer} {
			if _, err := h.Find(called); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostPlanned is the maximal number of participants of whom each gets a plan. Beyond it somePlanned
// of them do.
const mostPlanned, somePlanned = 64, 16

// Plan returns the dossier of a spec, before anything runs.
func Plan(ctx context.Context, s *spec.Spec, o Options) (*Dossier, error) {
	if !s.Federated() {
		return simulation(ctx, s, o)
	}
	f, err := federation.Open(ctx, s, s.Participants[0].Name)
	if err != nil {
		return nil, err
	}
	if err := o.find(f.Public().Holdings); err != nil {
		return nil, err
	}
	d, err := begin(f.Public(), Planned, o)
	if err != nil {
		return nil, err
	}
	d.Hash = fmt.Sprintf("%x", f.Hash)
	signed, err := signatures(f)
	if err != nil {
		return nil, err
	}
	d.Sources = []string{"All numbers are worked out from the spec alone, without any data, as hearsay plan works them out, with the price of the noise's grid.", signed}
	planned := spaced(len(f.Names), mostPlanned, somePlanned)
	d.Looked = len(planned)
	for k, u := range planned {
		o.say(fmt.Sprintf("computing what joining would cost %s (%d of %d)", f.Names[u], k+1, len(planned)))
		as, err := f.As(f.Names[u])
		if err != nil {
			return nil, err
		}
		plan, err := as.Plan(ctx)
		if err != nil {
			return nil, err
		}
		d.take(as, plan.Accepted())
	}
	d.Participants = all(f, d.Participants)
	d.Trust = trusted(f.Public(), &d.Claim)
	return d, d.finish(ctx, f, o)
}

// spaced returns the numbers 0 to n-1, or some evenly spaced ones if n exceeds most.
func spaced(n, most, some int) []int {
	if n <= most {
		some = n
	}
	chosen := make([]int, some)
	for i := range chosen {
		chosen[i] = i * n / some
	}
	return chosen
}

// begin returns a dossier with the facts in the spec.
func begin(p *experiment.Priced, about string, o Options) (*Dossier, error) {
	text, err := experiment.RelativeTo(p.Spec, o.Folder).YAML()
	if err != nil {
		return nil, err
	}
	d := &Dossier{
		Format: Format, About: about, Version: experiment.Version(), Name: p.Spec.Title(), Kind: p.Spec.Algorithm.Kind,
		Model: p.Spec.Model.Kind, Target: p.Spec.Data.Target, Story: p.Spec.Story(), Federated: p.Spec.Federated(), Count: p.Spec.Nodes, Looked: p.Spec.Nodes,
		Spec: string(text), Asks: []Ask{}, Mean: nan,
		Run: Run{Turns: p.Algorithm.Turns(), Contributions: p.Algorithm.Contributions(), Hours: nan},
	}
	d.introduce(p.Spec, o)
	d.Others = notKnown
	d.Claim = Claim{Unit: string(p.Unit()), Metric: p.Spec.Privacy.Metric.String(), Delta: p.Spec.Privacy.Metric.Delta, Beyond: nan}
	if p.Spec.Records() {
		d.Claim.Record = p.Spec.OneRecord()
	}
	if f := p.Spec.Federation; f != nil && f.Deadline > 0 {
		d.Run.Hours = Number(f.Deadline.Hours())
	}
	return d, nil
}

// notKnown is the sentence on other runs if only a spec is known.
var notKnown = (*federation.OtherRuns)(nil).String()

var nan = Number(math.NaN())

// take adds the plan of one participant.
func (d *Dossier) take(f *federation.Federation, p *federation.Plan) {
	source := fmt.Sprintf("Losses allowed count values of %d steps that come late, the most there can be (docs/PAIRWISE.md). Those of hearsay plan count none.", p.MostLate)
	if p.MostLate > 0 && !slices.Contains(d.Sources, source) {
		d.Sources = append(d.Sources, source)
	}
	me := Participant{Name: p.Participant, Key: f.Peer().String(), Rows: f.Spec.Participants[f.Self].Rows, Neighbours: len(f.Neighbours()),
		Everybody: Number(p.Local)}
	c := &d.Claim
	if c.Accountant == "" {
		c.Accountant, c.Status, c.Sigma, c.Assumptions = p.Accountant, report.Status(p.Status), p.Sigma, p.Assumptions
		c.Observer, c.Model = p.Observer, p.ModelCharged
	}
	worst := Party{Who: "any one other participant", If: "it follows the protocol, and is curious", Status: c.Status, About: me.Name, Spent: nan}
	deviating := Party{Who: "any one other participant", If: "it does not follow the protocol", Status: c.Status, About: me.Name, Spent: nan}
	for _, t := range p.Towards {
		d.Pair = append(d.Pair, Pair{About: me.Name, Observer: t.Name, Hops: t.Hops, Epsilon: Number(t.Epsilon)})
		if me.Towards == "" || Number(t.Epsilon) > me.Worst {
			me.Worst, me.Towards = Number(t.Epsilon), t.Name
		}
		if !t.Neighbour && !(c.Beyond >= Number(t.Epsilon)) {
			c.Beyond = Number(t.Epsilon)
		}
		deviating.Epsilon = max(deviating.Epsilon, Number(t.Deviating))
		worst.Guess = max(worst.Guess, t.Guess)
	}
	worst.Epsilon, worst.Members = me.Worst, []string{me.Towards}
	d.party(worst)
	for _, pool := range p.Coalitions {
		d.party(Party{Who: fmt.Sprintf("any %d together", pool.Size), If: "they follow the protocol, and put together what they see", Epsilon: Number(pool.Epsilon),
			Status: c.Status, About: me.Name, Members: pool.Worst, Spent: nan})
	}
	d.party(deviating)
	if public := p.Public; public != nil {
		d.party(Party{Who: thePublic, If: everyoneFollows, Epsilon: Number(public.Epsilon), Guess: public.Guess, Status: c.Status, About: me.Name, Spent: nan})
	}
	d.party(Party{Who: "all others together", If: "nothing is trusted of them", Epsilon: me.Everybody, Guess: p.LocalGuess, Status: c.Status, About: me.Name, Spent: nan})
	c.Worst, c.Guess = max(c.Worst, me.Worst), max(c.Guess, worst.Guess)
	d.Participants = append(d.Participants, me)
}

// The name of the public, and the assumption for its losses.
const (
	thePublic       = "the public, who takes no part and sees the final models alone"
	everyoneFollows = "all participants follow the protocol"
)

// party adds p, or merges it with an entry for the same observer and assumption. The entry keeps the
// larger loss and the larger guess.
func (d *Dossier) party(p Party) {
	for i, before := range d.Parties {
		if before.Who == p.Who && before.If == p.If {
			guess := max(p.Guess, before.Guess)
			if p.Epsilon > before.Epsilon {
				d.Parties[i] = p
			}
			d.Parties[i].Guess = guess
			return
		}
	}
	d.Parties = append(d.Parties, p)
}

// all appends the participants whose plans were not computed.
func all(f *federation.Federation, planned []Participant) []Participant {
	known := map[string]bool{}
	for _, p := range planned {
		known[p.Name] = true
	}
	for u, p := range f.Spec.Participants {
		if !known[p.Name] {
			planned = append(planned, Participant{Name: p.Name, Key: p.Key, Rows: p.Rows, Neighbours: len(f.Public().Neighbours(u)), Worst: nan, Everybody: nan})
		}
	}
	return planned
}

// order sorts pairs and participants by falling loss and truncates both lists.
func (d *Dossier) order() {
	if sum := Number(0); len(d.Pair) > 0 && math.IsNaN(float64(d.Mean)) {
		for _, p := range d.Pair {
			sum += p.Epsilon
		}
		d.Mean = sum / Number(len(d.Pair))
	}
	slices.SortStableFunc(d.Pair, func(a, b Pair) int { return falling(a.Epsilon, b.Epsilon) })
	slices.SortStableFunc(d.Participants, func(a, b Participant) int {
		return cmp.Or(falling(a.Worst, b.Worst), falling(a.Everybody, b.Everybody))
	})
	d.Pair = d.Pair[:min(len(d.Pair), mostPairs)]
	d.Participants = d.Participants[:min(len(d.Participants), mostRows)]
}

// falling compares numbers for falling order, NaN last.
func falling(a, b Number) int {
	switch {
	case a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)):
		return 0
	case math.IsNaN(float64(b)) || a > b:
		return -1
	}
	return 1
}

// finish adds the exposure without noise and the answers to o.Asks to a federation's dossier, and orders the
// lists.
func (d *Dossier) finish(ctx context.Context, f *federation.Federation, o Options) error {
	if err := d.expose(ctx, f.Public(), o); err != nil {
		return err
	}
	for _, ask := range o.Asks {
		if err := d.ask(ctx, f, ask, o); err != nil {
			return err
		}
	}
	d.order()
	return nil
}

// ask adds the answer about a pair of participants.
func (d *Dossier) ask(ctx context.Context, f *federation.Federation, ask Ask, o Options) error {
	about, err := f.Public().Find(ask.About)
	if err != nil {
		return err
	}
	observer, err := f.Public().Find(ask.Observer)
	if err != nil {
		return err
	}
	o.say(fmt.Sprintf("asking what %s could learn about %s", f.Names[observer], f.Names[about]))
	as, err := f.As(f.Names[about])
	if err != nil {
		return err
	}
	e, err := as.Explain(ctx, observer)
	if err != nil {
		return err
	}
	d.Questions, d.Asks = append(d.Questions, question(e)), append(d.Asks, Ask{f.Names[about], f.Names[observer]})
	return nil
}

// signatures returns a sentence on who has signed the spec. A signature of another spec is an
// error.
func signatures(f *federation.Federation) (string, error) {
	missing, err := f.Unsigned()
	switch {
	case err != nil:
		return "", err
	case len(missing) == len(f.Names):
		return "No participant has signed the spec.", nil
	case len(missing) == 0:
		return "All participants have signed the spec.", nil
	}
	return fmt.Sprintf("%d of %d participants have signed the spec; the others have not.", len(f.Names)-len(missing), len(f.Names)), nil
}

func question(e *family.Explanation) Question {
	return Question{Ask: Ask{e.AboutName, e.ObserverName}, Epsilon: Number(e.Epsilon), Delta: e.Delta, Status: e.Status, Text: e.Text, Assumes: e.Assumptions}
}

// simulation returns the dossier of a spec without participants, from the plan of its simulation.
func simulation(ctx context.Context, s *spec.Spec, o Options) (*Dossier, error) {
	opened, err := experiment.Open(ctx, s, o.Say)
	if err == nil {
		err = o.find(opened.Holdings)
	}
	if err != nil {
		return nil, err
	}
	p, err := opened.Price(ctx, o.Say)
	if err != nil {
		return nil, err
	}
	d, err := begin(p, Planned, o)
	if err != nil {
		return nil, err
	}
	plan, err := p.Plan()
	if err != nil {
		return nil, err
	}
	d.account(&plan.Privacy, name(p))
	d.order()
	for i, pair := range d.Pair {
		if p.Graph != nil {
			d.Pair[i].Hops = p.Distances(pair.about)[pair.observer]
		}
	}
	d.Sources = []string{"All numbers are worked out from the spec and its data source: they are those of hearsay plan. The spec lists no participants: nodes stand for them."}
	d.Trust = trusted(p, &d.Claim)
	if err := d.expose(ctx, p, o); err != nil {
		return nil, err
	}
	if err := d.askAll(ctx, p, o); err != nil {
		return nil, err
	}
	d.order()
	return d, nil
}

// name returns a function from node numbers to names. A node without a name is called by its
// number.
func name(p *experiment.Priced) func(v int) string { return func(v int) string { return p.Name(v) } }

// called returns the shortest text that finds a node of a simulation.
func called(p *experiment.Priced, node int) string {
	number := strconv.Itoa(node)
	if at, err := p.Find(number); err == nil && at == node {
		return number
	}
	return p.Names()[node]
}

// askAll adds the answers about pairs of nodes of a simulation.
func (d *Dossier) askAll(ctx context.Context, p *experiment.Priced, o Options) error {
	for _, ask := range o.Asks {
		about, err := p.Find(ask.About)
		if err != nil {
			return err
		}
		observer, err := p.Find(ask.Observer)
		if err != nil {
			return err
		}
		o.say(fmt.Sprintf("asking what %s could learn about %s", p.Name(observer), p.Name(about)))
		err = experiment.Within(ctx, func() error {
			e, err := p.Explain(about, observer)
			if err == nil {
				d.Questions, d.Asks = append(d.Questions, question(e)), append(d.Asks, Ask{called(p, about), called(p, observer)})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// account adds the losses of a plan or of a result. node returns the name of a node.
func (d *Dossier) account(p *report.Privacy, node func(v int) string) {
	lead := leading(p)
	c := &d.Claim
	c.Observer, c.Model, c.Guess = lead.Observer, lead.ModelCharged, lead.Guess
	c.Accountant, c.Status, c.Sigma, c.Assumptions, c.Worst = lead.Accountant, lead.Status, p.Sigma, lead.Assumptions, Number(lead.Max)
	c.Unit, c.Record, c.Metric, c.Delta, c.Simulated = cmp.Or(p.Unit, c.Unit), p.OneRecord(), p.Metric, p.Delta, p.Simulated
	if lead.MaxBeyondNeighbours != nil {
		c.Beyond = Number(*lead.MaxBeyondNeighbours)
	}
	d.Mean = Number(lead.Mean)
	worst := Party{Who: "any one other node", If: "it follows the protocol, and is curious", Epsilon: Number(lead.Max), Guess: lead.Guess, Status: lead.Status, Spent: nan}
	if p.Nodes != nil {
		for _, n := range p.Nodes.Each {
			me := Participant{Name: n.Name, Worst: Number(n.Loses), Everybody: nan, Neighbours: -1}
			if n.Towards >= 0 && n.Towards < len(p.Nodes.Each) {
				me.Towards = p.Nodes.Each[n.Towards].Name
				d.Pair = append(d.Pair, Pair{About: n.Name, Observer: me.Towards, Hops: -1, Epsilon: Number(n.Loses), about: n.Node, observer: n.Towards})
			}
			if d.Participants = append(d.Participants, me); n.Loses == lead.Max && worst.About == "" {
				worst.About, worst.Members = me.Name, []string{me.Towards}
			}
		}
	}
	d.party(worst)
	if k := p.Coalition; k != nil {
		pool := Party{Who: fmt.Sprintf("any %d together", k.Size), If: "they follow the protocol, and put together what they see", Epsilon: Number(k.Max), Status: k.Status,
			About: node(k.About), Spent: nan}
		for _, v := range k.Worst {
			pool.Members = append(pool.Members, node(v))
		}
		d.party(pool)
	}
	if public := p.Public; public != nil {
		d.party(Party{Who: thePublic, If: everyoneFollows, Epsilon: Number(public.Max), Guess: public.Guess, Status: public.Status, About: node(public.About), Spent: nan})
	}
	for _, a := range p.All() {
		if a.Accountant == report.LocalAccountant {
			d.party(Party{Who: "all others together", If: "nothing is trusted of them", Epsilon: Number(a.Max), Guess: a.Guess, Status: a.Status, Spent: nan})
		}
	}
}

// leading returns the sound account with the least mean, or the first account if none is sound.
func leading(p *report.Privacy) report.Accounted {
	accounts := p.All()
	best := accounts[0]
	for _, a := range accounts[1:] {
		if a.Status == report.Sound && (best.Status != report.Sound || a.Mean < best.Mean) {
			best = a
		}
	}
	return best
}
