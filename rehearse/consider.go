package rehearse

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/report"
)

// A PolicyFile is the file of a participant's policy.
type PolicyFile struct {
	Participant string // "": it applies to the first mostLooked participants
	Path        string
}

// Privacy is the privacy cost of joining, by the plans of the participants that were
// examined.
type Privacy struct {
	Accountant  string        `json:"accountant"`
	Status      report.Status `json:"status"`
	Unit        string        `json:"unit"`
	Record      string        `json:"record,omitempty"`
	Metric      string        `json:"metric"`
	Delta       float64       `json:"delta,omitempty"`
	Sigma       float64       `json:"sigma"`
	Assumptions []string      `json:"assumptions"`
	Plans       []Losses      `json:"plans"`
	Worst       []Pair        `json:"worst_pairs"` // worst first
	Mean        report.Number `json:"mean"`        // over the priced pairs
}

// Losses are the privacy losses of one participant to each other one.
type Losses struct {
	Participant   string        `json:"participant"`
	Contributions int           `json:"contributions,omitempty"`
	Mean          report.Number `json:"mean"`
	Worst         report.Number `json:"worst"`
	WorstTowards  string        `json:"worst_towards"`
	Everybody     report.Number `json:"towards_everybody"` // all others in collusion, whatever they do
	Towards       []Towards     `json:"towards,omitempty"`
}

// Towards is the loss to one other participant.
type Towards struct {
	Name    string        `json:"name"`
	Hops    int           `json:"hops"`
	Epsilon report.Number `json:"epsilon"`
}

// A Pair is the loss of About to Observer.
type Pair struct {
	About    string        `json:"about"`
	Observer string        `json:"observer"`
	Hops     int           `json:"hops"`
	Epsilon  report.Number `json:"epsilon"`
}

// A Consent is the decision of a participant's policy.
type Consent struct {
	Participant string   `json:"participant"`
	File        string   `json:"file"`
	Accepts     bool     `json:"accepts"`
	Reasons     []string `json:"reasons"`           // reasons to refuse
	Fits        []string `json:"fits"`              // settings that the policy would accept
	Pending     string   `json:"pending,omitempty"` // limit that was not looked at; "": none
}

// but returns the limit that was not looked at, to follow the word accepts, or "".
func (c Consent) but() string {
	if c.Pending == "" {
		return ""
	}
	return ", but " + c.Pending
}

// Cost is the cost of a run in turns, messages, bytes and seconds.
type Cost struct {
	Turns          int64         `json:"turns"`
	Messages       int           `json:"messages"`
	Unit           string        `json:"unit"`
	FrameBytes     int           `json:"frame_bytes"` // of one message
	Bytes          float64       `json:"bytes"`
	PerParticipant float64       `json:"bytes_per_participant"` // sent, on average
	Latency        float64       `json:"latency_seconds"`       // assumed for a message
	Seconds        float64       `json:"seconds"`               // turns in sequence, one message latency each
	Deadline       report.Number `json:"deadline_hours"`        // infinite if there is none
}

// mostWorst is the number of worst pairs that are named.
const mostWorst = 5

// priced is the number of participants whose plans are made if there are more than are
// examined.
const priced = 16

// consider computes the losses, checks the policies and counts the traffic.
func (r *Rehearsal) consider(ctx context.Context, v venue, o *Options, looked []int) error {
	f, ok := v.(*federated)
	if !ok {
		r.Cost = cost(v.public(), o)
		return r.account(v.public(), looked)
	}
	r.Hash = fmt.Sprintf("%x", f.f.Hash)
	if err := r.traffic(f, o); err != nil {
		return err
	}
	policies, err := f.policies(o)
	if err != nil {
		return err
	}
	r.Policies = []Consent{}
	planned := looked
	if len(v.names()) > mostLooked {
		planned = spaced(len(v.names()), priced)
		r.Notes = append(r.Notes, fmt.Sprintf("Losses are those of %d participants, evenly spaced: hearsay plan --name says them of any other.", len(planned)))
	}
	for u := range policies {
		if !slices.Contains(planned, u) {
			planned = append(planned, u)
		}
	}
	slices.Sort(planned)
	for k, u := range planned {
		if o.Progress != nil || k == 0 {
			o.Say(fmt.Sprintf("computing what joining would cost %s (%d of %d)", v.names()[u], k+1, len(planned)))
		}
		if err := r.plan(ctx, f.f, v.names()[u], policies[u]); err != nil {
			return err
		}
	}
	r.order()
	return nil
}

// A held is a policy with its file.
type held struct {
	file string
	own  *policy.Policy
}

// policies reads the policy files. A policy without a participant applies to the first
// mostLooked participants.
func (v *federated) policies(o *Options) (map[int][]held, error) {
	all := map[int][]held{}
	for _, p := range o.Policies {
		own, err := policy.Load(p.Path)
		if err != nil {
			return nil, err
		}
		if p.Participant == "" {
			for u := range min(len(v.f.Names), mostLooked) {
				all[u] = append(all[u], held{p.Path, own})
			}
			continue
		}
		u := slices.Index(v.f.Names, p.Participant)
		if u < 0 {
			err := v.f.Spec.NoParticipant(p.Participant)
			return nil, fault.Wrap(err, "--policy", fault.Hint(err))
		}
		all[u] = append(all[u], held{p.Path, own})
	}
	return all, nil
}

// plan computes the losses of one participant and the decisions of its policies.
func (r *Rehearsal) plan(ctx context.Context, f *federation.Federation, name string, policies []held) error {
	f, err := f.As(name)
	if err != nil {
		return err
	}
	var sizes []int
	for _, p := range policies {
		sizes = append(sizes, p.own.Sizes()...)
	}
	plan, err := f.Plan(ctx, sizes...)
	if err != nil {
		return err
	}
	p := &r.Privacy
	if len(p.Plans) == 0 {
		*p = Privacy{Accountant: plan.Accountant, Status: report.Status(plan.Status), Unit: string(plan.Unit), Record: plan.Record, Delta: plan.Delta,
			Metric: f.Spec.Privacy.Metric.String(), Sigma: plan.Sigma, Assumptions: plan.Assumptions}
	}
	losses := Losses{Participant: name, Contributions: plan.Contributions, Everybody: report.Number(plan.Local)}
	for _, t := range plan.Towards {
		losses.Towards = append(losses.Towards, Towards{t.Name, t.Hops, report.Number(t.Epsilon)})
	}
	p.add(losses)
	for _, held := range policies {
		c := Consent{Participant: name, File: held.file, Accepts: true, Reasons: []string{}, Fits: []string{}, Pending: held.own.Pending()}
		for _, objection := range plan.Objections(held.own) {
			c.Accepts, c.Reasons = false, append(c.Reasons, objection.What)
			if !slices.Contains(c.Fits, objection.Fits) {
				c.Fits = append(c.Fits, objection.Fits)
			}
		}
		r.Policies = append(r.Policies, c)
	}
	return nil
}

// add adds the losses of a participant.
func (p *Privacy) add(l Losses) {
	for _, t := range l.Towards {
		l.Mean += t.Epsilon / report.Number(len(l.Towards))
		if l.WorstTowards == "" || t.Epsilon > l.Worst {
			l.Worst, l.WorstTowards = t.Epsilon, t.Name
		}
		p.Worst = append(p.Worst, Pair{l.Participant, t.Name, t.Hops, t.Epsilon})
	}
	p.Plans = append(p.Plans, l)
}

// order sorts the pairs, worst first.
func (r *Rehearsal) order() {
	p := &r.Privacy
	sum := report.Number(0)
	for _, pair := range p.Worst {
		sum += pair.Epsilon
	}
	p.Mean = sum / report.Number(max(1, len(p.Worst)))
	slices.SortStableFunc(p.Worst, func(a, b Pair) int {
		switch {
		case a.Epsilon > b.Epsilon:
			return -1
		case a.Epsilon < b.Epsilon:
			return 1
		}
		return 0
	})
	p.Worst = p.Worst[:min(len(p.Worst), mostWorst)]
}

// account takes the losses from the accountant of a simulation.
func (r *Rehearsal) account(s *experiment.Priced, looked []int) error {
	plan, err := s.Plan()
	if err != nil {
		return err
	}
	from := &plan.Privacy
	r.Policies = []Consent{}
	leading := s.Accounting.Leading()
	r.Privacy = Privacy{Accountant: leading.Accountant, Status: leading.Status, Unit: from.Unit, Record: from.OneRecord(), Metric: from.Metric, Delta: from.Delta, Sigma: from.Sigma,
		Assumptions: leading.Assumptions, Mean: leading.Mean}
	if from.Nodes == nil {
		return nil
	}
	names := newSimulated(s).called
	for _, u := range looked {
		n := from.Nodes.Each[u]
		l := Losses{Participant: names[u], Worst: n.Loses, Mean: report.Number(math.NaN()), Everybody: report.Number(math.NaN())}
		if n.Towards >= 0 {
			l.WorstTowards = names[n.Towards]
			r.Privacy.Worst = append(r.Privacy.Worst, Pair{names[u], l.WorstTowards, s.Distances(u)[n.Towards], n.Loses})
		}
		r.Privacy.Plans = append(r.Privacy.Plans, l)
	}
	mean := r.Privacy.Mean
	r.order()
	r.Privacy.Mean = mean
	return nil
}

// usualLatency is the default latency of a message.
const usualLatency = 50 * time.Millisecond

// cost returns the traffic of a run, counting the numbers only, and its duration.
func cost(p *experiment.Priced, o *Options) Cost {
	c := p.Algorithm.Cost()
	latency := o.Latency
	if latency == 0 {
		latency = usualLatency
	}
	turns := p.Algorithm.Turns()
	return Cost{Turns: turns, Messages: c.Hops, Unit: c.Unit, FrameBytes: c.BytesPerHop, Bytes: float64(c.Hops) * float64(c.BytesPerHop),
		PerParticipant: c.PerNode * float64(c.BytesPerHop), Latency: latency.Seconds(), Seconds: float64(turns) * latency.Seconds(), Deadline: report.Number(math.Inf(1))}
}

// traffic returns cost with the size of the frames that nodes send.
func (r *Rehearsal) traffic(f *federated, o *Options) error {
	c, frame, err := f.f.Cost()
	if err != nil {
		return err
	}
	r.Cost = cost(f.public(), o)
	r.Cost.FrameBytes, r.Cost.Bytes, r.Cost.PerParticipant = frame, float64(frame)*float64(c.Hops), float64(frame)*c.PerNode
	if d := f.f.Spec.Federation.Deadline; d > 0 {
		r.Cost.Deadline = report.Number(d.Hours())
	}
	return nil
}

// refusal returns the reasons why a participant's policy refuses. It returns "" if the
// policy accepts.
func (r *Rehearsal) refusal(name string) string {
	for _, c := range r.Policies {
		if c.Participant == name && !c.Accepts {
			return strings.Join(c.Reasons, "; and ")
		}
	}
	return ""
}
