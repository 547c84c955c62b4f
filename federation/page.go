package federation

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// page renders the page of one participant: its statement, its own scores, and public facts. The
// page contains nothing of another participant.
func (f *Federation) page(o *Outcome, shard *dataset.Shard) ([]byte, error) {
	var theta []float64
	if o.Model != nil {
		theta = o.Model.parameters
	}
	kind := f.setup.Objective.Model
	b, err := f.setup.Own(theta, f.rowsOf(kind, shard.Train), f.rowsOf(kind, shard.Test))
	if err != nil {
		return nil, err
	}
	b.Result.Privacy = f.spentAs(o.Statement)
	b.Result.Notes = o.Limited
	b.Own, b.Losses = f.own(o), f.ownLosses(o.Statement)
	var text bytes.Buffer
	if err := report.Page(context.Background(), &text, b); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// rowsOf converts rows to the examples of model m. A block without rows gives no examples.
func (f *Federation) rowsOf(m model.Model, b dataset.Block) model.Examples {
	if b.Rows() == 0 {
		return model.Examples{Features: b.Features}
	}
	return examples(m, b)
}

// The names of the two accounts on a page.
const spentAccount, allowedAccount = "spent", "allowed (%s)"

// spentAs converts a statement to the privacy part of a report.
func (f *Federation) spentAs(s *Statement) report.Privacy {
	allowed := account(fmt.Sprintf(allowedAccount, s.Accountant), s, func(t Spent) float64 { return t.Allowed })
	allowed.Assumptions = s.Assumptions
	p := report.Privacy{
		Accounted: account(spentAccount, s, func(t Spent) float64 { return t.Epsilon }),
		Unit:      string(s.Unit), RecordName: f.Spec.Privacy.RecordName, PersonRows: f.Spec.Data.RowsPerPerson, Sigma: s.Sigma, NoiseStd: s.Noise.Std, Fresh: family.Fresh(f.setup.Algorithm), Clip: s.Noise.Clip,
		Metric: f.Spec.Privacy.Metric.String(), Delta: s.Delta, Others: report.List[report.Accounted]{allowed},
		BeginsWith: f.Spec.Model.Earlier.Runs(),
	}
	p.Accounted.Assumptions = report.List[string]{"what the plan assumes", "the ledger, verified when this was written, is the only one of this participant"}
	p.Accounted.Assumptions = append(p.Accounted.Assumptions, family.EarlierGround(f.Spec)...)
	p.Public = s.published(int(f.Self))
	if s.Accountant != report.LocalAccountant {
		local := report.Number(s.Local)
		p.Others = append(p.Others, report.Accounted{Accountant: report.LocalAccountant, Status: report.Status(s.Status), Observer: privacy.Everybody.String(), ModelCharged: true, Mean: local, Max: local,
			Assumptions: report.List[string]{"all contributions that are allowed are made, and whoever observes sees every message: also who does not keep to the protocol, and any number of participants together"}})
		if why := family.Doubt(f.Spec); why != "" {
			last := &p.Others[len(p.Others)-1]
			last.Assumptions = slices.Insert(last.Assumptions, 0, why)
		}
	}
	return p
}

// account returns the mean and the largest of the losses towards each other participant, and the
// largest towards a non-neighbour.
func account(name string, s *Statement, loss func(Spent) float64) report.Accounted {
	a := report.Accounted{Accountant: name, Status: report.Status(s.Status), Observer: s.Observer, ModelCharged: s.ModelCharged}
	sum, beyond, far := 0.0, 0.0, false
	for i, t := range s.Spent {
		sum += loss(t)
		a.Max = max(a.Max, report.Number(loss(t)))
		if !s.Towards[i].Neighbour {
			beyond, far = max(beyond, loss(t)), true
		}
	}
	a.Mean = report.Number(sum / float64(max(1, len(s.Spent))))
	if far {
		number := report.Number(beyond)
		a.MaxBeyondNeighbours = &number
	}
	return a
}

// ownLosses returns the losses of this participant alone, spent and allowed. Pages ask for no
// others; At panics for another u.
func (f *Federation) ownLosses(s *Statement) []*report.Losses {
	number := map[string]int{}
	for v, name := range f.Names {
		number[name] = v
	}
	spent, allowed := make([]float64, len(f.Names)), make([]float64, len(f.Names))
	for _, t := range s.Spent {
		spent[number[t.Name]], allowed[number[t.Name]] = t.Epsilon, t.Allowed
	}
	losses := func(name string, towards []float64) *report.Losses {
		return &report.Losses{Accountant: name, Status: report.Status(s.Status), N: len(f.Names), At: func(u, v int) float64 {
			if u != int(f.Self) {
				panic(fmt.Sprintf("federation: %s does not know what node %d lost", f.Name(), u))
			}
			return towards[v]
		}}
	}
	return []*report.Losses{losses(spentAccount, spent), losses(fmt.Sprintf(allowedAccount, s.Accountant), allowed)}
}

// own returns the part of a page that pages of simulations lack.
func (f *Federation) own(o *Outcome) *report.Own {
	s := o.Statement
	own := &report.Own{
		Node: int(f.Self), Name: f.Name(), Standing: o.standing(), Ended: o.Ended, Contributed: s.Contributed, Most: s.Contributions, Releases: s.Releases,
		Noise: s.Noise.Kind + "; " + s.Noise.Source + "; grid: " + s.Noise.Grid, Model: ModelFile, Losses: StatementFile, Active: s.active,
		Others: capital(s.Others.String()),
	}
	if s.Alarm != "" {
		own.Alarms = append(own.Alarms, "ALARM: "+s.Alarm)
	}
	if s.Late > 0 {
		own.Alarms = append(own.Alarms, s.lateness())
	}
	if s.Left != nil {
		own.Left = s.Left.Words(s.Status, s.Delta)
	}
	if o.Model != nil && !o.Ended {
		own.Alarms = append(own.Alarms, o.Model.Notice)
	}
	switch {
	case o.Ended && o.Complete:
		own.Standing += " " + o.attended()
	case o.Ended:
		own.Alarms = append(own.Alarms, o.attended())
	}
	own.Standing += o.Own.groupWords()
	if o.Disputed {
		own.Alarms = append(own.Alarms, o.dispute())
	}
	for i, t := range s.Spent {
		own.Towards = append(own.Towards, report.OwnLoss{Name: t.Name, Hops: s.Towards[i].Hops, Allowed: report.Number(t.Allowed),
			Spent: report.Number(t.Epsilon), Deviating: report.Number(t.Deviating)})
	}
	for _, t := range s.Together {
		own.Together = append(own.Together, report.OwnLoss{Name: t.Name, Allowed: report.Number(t.Allowed),
			Spent: report.Number(t.Epsilon), Deviating: report.Number(t.Deviating)})
	}
	if t := s.SpentPublic; t != nil {
		own.Together = append(own.Together, report.OwnLoss{Name: t.Name, Allowed: report.Number(t.Allowed), Spent: report.Number(t.Epsilon), Deviating: report.Number(t.Deviating)})
	}
	own.Together = append(own.Together, report.OwnLoss{Name: allTogether, Allowed: report.Number(s.Local),
		Spent: report.Number(s.SpentLocal), Deviating: report.Number(s.SpentLocal)})
	if o.Model != nil {
		own.Parameters = o.Model.list()
	}
	return own
}

// mostListed is the maximal number of parameters on a page if they have no names.
const mostListed = 100

// list returns the parameters in the order of the features, the intercept last. Of parameters
// without names it returns the first mostListed.
func (m *Model) list() (all []report.Parameter) {
	for i, value := range m.Values[:min(len(m.Values), mostListed)] {
		all = append(all, report.Parameter{Name: fmt.Sprintf("%d of %d", i+1, len(m.Values)), Value: report.Number(value)})
	}
	if m.Values != nil {
		return all
	}
	for _, name := range m.Features {
		all = append(all, report.Parameter{Name: name, Value: m.Coefficients[name]})
	}
	if m.Intercept != nil {
		all = append(all, report.Parameter{Name: "(intercept)", Value: *m.Intercept})
	}
	return all
}
