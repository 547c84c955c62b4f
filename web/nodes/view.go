package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/web"
)

// view returns the state of a folder without the running node.
func (f *folder) view() *web.NodeView {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := &web.NodeView{Participant: f.joined.Participant, Spec: f.joined.Spec, Ledger: f.verified}
	if !f.joined.Joined.IsZero() {
		v.Joined = &f.joined.Joined
	}
	if f.fed != nil {
		v.Federation, v.Turns = f.fed.Spec.Name, turnsOf(f.planned)
		v.Token = f.whereabouts()
	}
	switch {
	case f.statement != nil:
		v.Statement = shown(f.statement, f.own, f.stated)
		if left := f.statement.Left; left != nil {
			v.Warnings = append(v.Warnings, "It has left: "+strings.Join(left.Words(f.statement.Status, f.statement.Delta), " "))
		}
	case f.failed != nil:
		v.Pending = "The plan cannot be worked out: " + f.failed.Error()
	case f.planned == nil:
		v.Pending = "Working out what the plan allows…"
	case f.unstated != nil:
		v.Pending = f.unstated.Error()
	default:
		v.Pending = "Reading the ledger…"
	}
	return v
}

func turnsOf(p *federation.Plan) int64 {
	if p == nil {
		return 0
	}
	return p.Turns
}

// whereabouts describes the last message that was sent. In a walk this message shows where the token went.
func (f *folder) whereabouts() string {
	if f.last.turn < 0 || len(f.last.to) == 0 {
		return ""
	}
	var names []string
	for _, v := range f.last.to {
		if v < len(f.fed.Names) {
			names = append(names, f.fed.Names[v])
		}
	}
	when := f.last.at.UTC().Format("15:04:05 UTC")
	if len(names) == 1 && !strings.Contains(f.fed.Spec.Algorithm.Kind, "gossip") {
		return fmt.Sprintf("The token was here last at turn %d and went on to %s at %s.", f.last.turn, names[0], when)
	}
	slices.Sort(names)
	return fmt.Sprintf("It last sent a value at turn %d, to %s, at %s.", f.last.turn, strings.Join(names, ", "), when)
}

// shown converts a statement to texts, with the policy's limit beside each loss.
func shown(s *federation.Statement, own *policy.Policy, at time.Time) *web.Statement {
	sound := report.Status(s.Status)
	v := &web.Statement{
		Accountant: s.Accountant, Status: string(s.Status), Unit: string(s.Unit), Protected: protected(s), Metric: fmt.Sprintf("Losses are epsilon at delta %g", s.Delta),
		Sigma: finite(s.Sigma), Contributed: s.Contributed, Contributions: s.Contributions, Releases: s.Releases, Assumptions: s.Assumptions, Alarm: s.Alarm, At: at,
		Noise: fmt.Sprintf("%s; %s", s.Noise.Kind, s.Noise.Source), Limits: limits(own), Others: s.Others.String(),
	}
	add := func(name, whom string, hops int, spent federation.Spent, limit float64) {
		t := web.Towards{Name: name, Whom: whom, Hops: hops, Spent: report.Bound(spent.Epsilon, sound), Allowed: report.Bound(spent.Allowed, sound),
			Deviating: report.Bound(spent.Deviating, sound), Share: share(spent.Epsilon, min(limit, spent.Allowed)), Over: spent.Epsilon > limit}
		if !math.IsInf(limit, 1) {
			t.Limit, t.Share = fmt.Sprintf("%.4g", limit), share(spent.Epsilon, limit)
		}
		v.Towards = append(v.Towards, t)
	}
	for i, spent := range s.Spent {
		whom, limit := "others", limitOf(own, policy.Others, 1)
		if s.Towards[i].Neighbour {
			whom, limit = "neighbours", limitOf(own, policy.Neighbours, 1)
		}
		add(spent.Name, whom, s.Towards[i].Hops, spent, min(limit, namedLimit(own, spent.Name)))
	}
	for i, spent := range s.Together {
		add(spent.Name, "coalitions", -1, spent, limitOf(own, policy.AnyCoalition, s.Coalitions[i].Size))
	}
	switch p := s.Public; {
	case s.SpentPublic != nil:
		add(federation.ThePublic, "who takes no part", -1, *s.SpentPublic, limitOf(own, policy.Public, 1))
	case p != nil: // it has seen nothing yet, and no number is for a model of an earlier turn
		v.Towards = append(v.Towards, web.Towards{Name: federation.ThePublic, Whom: "who takes no part", Hops: -1, Spent: "–", Allowed: report.Bound(p.Epsilon, sound), Deviating: "–"})
	}
	all := federation.Spent{Allowed: s.Local, Epsilon: s.SpentLocal, Deviating: s.SpentLocal}
	add("all others together", "everybody, also who does not keep to the protocol", -1, all, limitOf(own, policy.Deviators, 1))
	return v
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// share returns the spent share of a limit, in [0,1].
func share(spent, limit float64) float64 {
	switch {
	case spent == 0:
		return 0
	case !(limit > 0) || math.IsInf(spent, 1):
		return 1
	}
	return min(1, spent/limit)
}

// limitOf returns the epsilon that a policy allows for whom. It returns +Inf if there is no
// limit.
func limitOf(own *policy.Policy, whom policy.Whom, size int) float64 {
	if own == nil {
		return math.Inf(1)
	}
	switch whom {
	case policy.Neighbours:
		return own.Neighbours
	case policy.Others:
		return own.Others
	case policy.Public:
		return own.Public
	case policy.Deviators:
		return own.Deviators
	}
	for _, c := range own.Coalitions {
		if c.Size == size {
			return c.Epsilon
		}
	}
	return math.Inf(1)
}

// namedLimit returns the limit towards the participant of a name, +Inf without one.
func namedLimit(own *policy.Policy, name string) float64 {
	if own != nil {
		for _, n := range own.Named {
			if n.Towards == name {
				return n.Epsilon
			}
		}
	}
	return math.Inf(1)
}

// limits returns the lines of a policy that set a limit.
func limits(own *policy.Policy) (all []web.Limit) {
	if own == nil {
		return nil
	}
	add := func(name string, x float64) {
		if !math.IsInf(x, 1) {
			all = append(all, web.Limit{Name: name, Value: fmt.Sprintf("%.6g", x)})
		}
	}
	add("delta", own.Delta)
	add("epsilon towards neighbours", own.Neighbours)
	add("epsilon towards others", own.Others)
	for _, c := range own.Coalitions {
		add(fmt.Sprintf("epsilon towards any %d together", c.Size), c.Epsilon)
	}
	for _, n := range own.Named {
		add("epsilon towards "+n.Towards, n.Epsilon)
	}
	add("epsilon towards the public", own.Public)
	add("epsilon towards who deviates", own.Deviators)
	if own.Sigma > 0 {
		add("least noise multiplier", own.Sigma)
	}
	add("longest, in hours", own.Hours)
	if t := own.Total; t != nil {
		add("epsilon of all runs together", t.Epsilon)
	}
	return all
}

// protected describes the protected data.
func protected(s *federation.Statement) string {
	if s.Unit == privacy.Record && s.Record != "" {
		return fmt.Sprintf("Protected is %s, replaced by any other.", s.Record)
	}
	return "Protected is all the data of this participant."
}

// ended reads the outcome of a run that has ended for this participant (federation.Outcome).
func ended(dir string, v *web.NodeView) {
	text, err := regular.Read(filepath.Join(dir, federation.ReportFile), mostReport)
	var o struct {
		Name            string
		Ended, Disputed bool
		EndedBy         string `json:"ended_by"`
	}
	if err != nil || json.Unmarshal(text, &o) != nil || o.Name != v.Participant || !o.Ended {
		return
	}
	v.State = "has ended"
	if o.Disputed {
		v.Warnings = append(v.Warnings, fmt.Sprintf("Disputed: %s said how the run ended, and somebody else contradicts. A participant does not keep to the protocol: do not use the model.", o.EndedBy))
	}
}

// mostReport is the largest size in bytes of a report, which holds the model's claims but no
// rows.
const mostReport = 16 << 20

// patience is the time to wait for a node.
const patience = 2 * time.Second

// ask adds the status of the node, if it runs.
func (r *Reader) ask(ctx context.Context, dir string, v *web.NodeView) {
	status, known := node.Status{}, false
	if live, here := r.live(dir); here {
		status, known = live(), true
	} else if _, err := os.Lstat(filepath.Join(dir, federation.EndpointFile)); err == nil {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if status, err = federation.AskHere(ctx, dir); err != nil {
			v.Silent = "It has not ended in order, and does not answer: " + err.Error()
			return
		}
		known = true
	}
	if !known {
		ended(dir, v)
		return
	}
	if status.Spec != v.Spec || status.Name != v.Participant {
		v.Silent = "At the address of its health endpoint another node answers."
		return
	}
	describe(status, v)
}

// describe copies the status of a node.
func describe(s node.Status, v *web.NodeView) {
	v.Running, v.State, v.Error, v.Uptime = s.State != node.Stopped, string(s.State), s.Error, s.Uptime
	v.Turn, v.Turns = int64(s.Turn), int64(s.Turns)
	if s.Waits != "" {
		v.Waits = append(v.Waits, s.Waits)
	}
	for _, n := range s.Neighbours {
		p := web.Peer{Name: n.Name, Connected: n.Connected, LastSeen: n.LastSeen, Finished: n.Finished, State: "agrees"}
		switch {
		case n.Refused != "":
			p.State = "refused: " + n.Refused
		case len(n.Differs) > 0:
			p.State = "has another spec, in " + strings.Join(n.Differs, ", ")
		case n.Waits != "":
			p.State = n.Lacking()
		case !n.Agreed:
			p.State = "not heard yet"
		}
		if n.Relayed {
			p.State += ", through a relay"
		}
		if n.Waits != "" && !n.Without && !s.Done {
			v.Waits = append(v.Waits, n.Name+": "+n.Waits)
		}
		v.Peers = append(v.Peers, p)
	}
	c := s.Counters
	v.Counters = []web.Counter{
		{Name: "contributions in the run", Value: uint64(max(0, s.Contributions))}, {Name: "releases committed", Value: c.Releases}, {Name: "messages sent first", Value: c.Hops},
		{Name: "messages sent again", Value: c.Repeats}, {Name: "frames received", Value: c.FramesIn}, {Name: "frames sent", Value: c.FramesOut},
		{Name: "bytes received", Value: c.BytesIn}, {Name: "bytes sent", Value: c.BytesOut},
	}
	for _, reason := range sortedKeys(c.Refused) {
		v.Counters = append(v.Counters, web.Counter{Name: "frames refused: " + reason, Value: c.Refused[reason]})
	}
}

func sortedKeys(m map[string]uint64) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// warnings returns the problems that an operator should look into.
func warnings(v *web.NodeView) (all []string) {
	if v.Ledger != nil && !v.Ledger.Whole {
		all = append(all, "The ledger is not whole: do not go on with it. "+v.Ledger.Problem)
	}
	for _, p := range v.Peers {
		if strings.HasPrefix(p.State, "refused") || strings.HasPrefix(p.State, "has another spec") {
			all = append(all, fmt.Sprintf("%s %s.", p.Name, p.State))
		}
	}
	if v.Statement == nil {
		return all
	}
	for _, t := range v.Statement.Towards {
		if t.Over {
			all = append(all, fmt.Sprintf("Towards %s more is spent (ε %s) than the policy allows (%s).", t.Name, t.Spent, t.Limit))
		}
	}
	return all
}
