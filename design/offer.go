package design

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// A price holds the losses of a prepared plan as functions of its noise, limit by limit.
type price struct {
	prepared *experiment.Prepared
	metric   privacy.Metric
	nodes    []int                   // of each participant
	shown    bool                    // the final model is shown, so that losses must cover it
	laws     map[int][]*walkpath.Law // of each participant asked about, towards each node
	together map[int]float64         // largest energy of a node towards coalitions, by their size, where they are many
	asked    *family.Accountant
	curator  bool             // one place is trusted with all rows: there are no laws
	pairs    *family.Account  // of all pairs, which laws are taken from where participants are many
	real     bool             // limits hold on real nodes, whatever numbers of rows participants have
	known    map[Limit]*bound // without an epsilon
	lock     sync.Mutex       // guards the results of bounds: shapes that are priced side by side may share a price
}

// priced opens the prices of a prepared plan. They are computed as limits ask for them.
func (v *venue) priced(p *experiment.Prepared) (*price, error) {
	m, err := family.Metric(&p.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	nodes, err := v.nodes(p)
	if err != nil {
		return nil, err
	}
	q := &price{prepared: p, metric: family.Tightest(m), nodes: nodes, shown: p.Spec.Privacy.Release == "final", real: v.Federation != nil, laws: map[int][]*walkpath.Law{}, together: map[int]float64{}, known: map[Limit]*bound{}}
	all := p.Algorithm.Accountants(m)
	at := slices.IndexFunc(all, func(a family.Accountant) bool { return a.Name == p.Spec.Privacy.Accountant })
	if at < 0 {
		return nil, fault.New(fmt.Sprintf("accountant %s does not price %s", p.Spec.Privacy.Accountant, p.Spec.Algorithm.Kind), "")
	}
	if check := all[at].Check; check != nil {
		if err := check(); err != nil {
			return nil, err
		}
	}
	q.asked, q.curator = &all[at], p.Spec.Kind().Simulated != ""
	return q, nil
}

// A bound bounds the loss that a limit is about: by laws, or, under a curator, by an account.
type bound struct {
	Limit
	laws   []*walkpath.Law
	any    bool // any one of the laws is a bound; else all of them count
	metric privacy.Metric
	at     func(sigma float64) (float64, error) // nil: there are laws
}

// of returns the bound of a limit.
func (q *price) of(ctx context.Context, l Limit) (*bound, error) {
	if q.curator {
		return q.curated(l)
	}
	u := q.nodes[l.About]
	laws, err := q.towards(ctx, u)
	if err != nil {
		return nil, err
	}
	b := &bound{Limit: l, laws: laws, metric: q.metric}
	switch l.Towards {
	case named:
		b.laws = []*walkpath.Law{laws[q.nodes[l.Named]]}
	case coalition:
		if q.many() {
			return q.pooled(ctx, l)
		}
		pool, err := q.prepared.Algorithm.Together(ctx, u, l.Size, laws)
		if err != nil {
			return nil, err
		}
		b.laws = nil
		for _, c := range pool {
			b.laws = append(b.laws, c.Law)
		}
		if len(pool) == 0 {
			b.laws = []*walkpath.Law{q.local(u)}
		}
	case public:
		law, err := family.PublicLawOf(ctx, q.prepared.Algorithm, u)
		if err != nil {
			return nil, err
		}
		if b.any = law == nil; law != nil {
			b.laws = []*walkpath.Law{law}
		}
	}
	return b, q.check(b)
}

// check refuses laws that are no sound bounds, and those that do not cover a model that is shown. It leaves each law once. Real
// nodes price a law with the grid of their noise.
func (q *price) check(b *bound) error {
	var distinct []*walkpath.Law
	for _, law := range b.laws {
		switch {
		case law == nil || slices.Contains(distinct, law):
			continue
		case law.Status != privacy.Sound:
			return fault.New(fmt.Sprintf("its losses are %s, and a policy accepts sound ones alone", law.Status), "")
		case q.shown && law.Towards != privacy.Public && !law.CoversModel():
			return fault.New("its losses do not count that the final model is shown", "")
		}
		distinct = append(distinct, law)
	}
	for i, law := range distinct {
		if !q.real || law.IsCurved() {
			continue
		}
		relative := cmp.Or(law.Relative, 1)
		if q.prepared.Spec.Records() { // how many rows participants have is not known yet: who has fewest loses most
			hides := q.prepared.Algorithm.Local().Noise
			relative = hides.ClipOf(step.NodeID(q.nodes[b.About])) / hides.Clip
		}
		distinct[i] = law.Raised(func(energy float64) float64 { return q.prepared.Algorithm.OnGrid(energy+q.late(), gridSlack/relative) }, relative)
	}
	b.laws = distinct
	return nil
}

// late returns the energy of contributions that come late, which policies of participants count where real nodes go on without one.
func (q *price) late() float64 {
	if caller, ok := q.prepared.Algorithm.(family.Caller); ok && q.real {
		return float64(caller.Late())
	}
	return 0
}

// gridSlack is the amount that a turn of real nodes hides besides that of continuous noise, in units of the sensitivity. It is above that
// of noise multipliers up to 50 on 29 parameters; the plan of each participant is priced in full before anything is printed.
const gridSlack = 4e-6

// many reports whether coalitions are so many that they are priced for all nodes at once.
func (q *price) many() bool {
	s := q.prepared.Spec
	return s.Nodes > manyNodes && s.Privacy.Accountant == "pairwise"
}

// pooled returns the bound towards coalitions that is the largest of all nodes. It is that of one Gaussian.
func (q *price) pooled(ctx context.Context, l Limit) (*bound, error) {
	if q.together[l.Size] == 0 {
		p := q.prepared.Spec.Privacy
		p.Coalition = l.Size
		found, err := q.prepared.Algorithm.WithPrivacy(p).Coalition(ctx, family.Accounting{Sigma: 1})
		switch {
		case err != nil:
			return nil, err
		case found.Status != report.Sound:
			return nil, fault.New(fmt.Sprintf("its losses towards coalitions are %s, and a policy accepts sound ones alone", found.Status), "")
		}
		low, high, least := 0.0, 1.0, 1.0
		for privacy.GaussianLoss(high, 1, q.metric) < float64(found.Max) {
			low, high = high, 2*high
		}
		for high > low*(1+width) {
			if middle := low + float64((high-low)/2); privacy.GaussianLoss(middle, 1, q.metric) < float64(found.Max) {
				low = middle
			} else {
				high = middle
			}
		}
		for _, r := range q.prepared.Algorithm.Local().Noise.Relatives() {
			if q.real && q.prepared.Spec.Records() { // who is worst may have more rows than others
				least = min(least, r)
			}
		}
		q.together[l.Size] = high / float64(least*least)
	}
	energy := q.together[l.Size] + q.late()
	return &bound{Limit: l, at: func(sigma float64) (float64, error) { return privacy.GaussianLoss(energy, sigma, q.metric), nil }}, nil
}

// towards returns the laws of a node towards each other, once.
func (q *price) towards(ctx context.Context, u int) ([]*walkpath.Law, error) {
	if q.laws[u] == nil {
		laws, err := q.lawsOf(ctx, u)
		if err != nil {
			return nil, err
		}
		q.laws[u] = laws
	}
	return q.laws[u], nil
}

// errSampled is the error of an accountant that prices a sample of the pairs and bounds the others by the local loss.
var errSampled = errors.New("its accountant prices a sample of so many pairs")

// lawsOf finds the laws of a node. Those of many participants are of one account of all pairs.
func (q *price) lawsOf(ctx context.Context, u int) ([]*walkpath.Law, error) {
	if q.prepared.Spec.Nodes > manyNodes && q.asked.Name != report.LocalAccountant {
		if q.pairs == nil {
			one := 1.0
			account, _, err := q.asked.Price(&one)
			if err != nil {
				return nil, err
			}
			q.pairs = &account
		}
		if q.pairs.Partial() {
			return nil, errSampled
		}
		if laws := q.pairs.LawsOf(q.prepared.Algorithm, u); laws != nil {
			return laws, nil
		}
	}
	return family.Laws(ctx, q.prepared.Algorithm, u)
}

// local returns the law of a node all of whose contributions are public: it holds towards all others together.
func (q *price) local(u int) *walkpath.Law {
	a := q.prepared.Algorithm
	law := *family.LocalLaws(a.Contributions(), a.Local().Noise, q.prepared.Spec.Nodes, u)[(u+1)%q.prepared.Spec.Nodes]
	law.Energies = []float64{family.LocalEnergy(a, u, a.Contributions())}
	return &law
}

// curated returns the bound under a curator, who is trusted. All others see the same.
func (q *price) curated(l Limit) (*bound, error) {
	u := q.nodes[l.About]
	v := (u + 1) % q.prepared.Spec.Nodes
	one := 1.0
	account, _, err := q.asked.Price(&one)
	switch {
	case err != nil:
		return nil, err
	case account.Status != report.Sound:
		return nil, fault.New(fmt.Sprintf("its losses are %s, and a policy accepts sound ones alone", account.Status), "")
	case !account.ModelCharged || l.Towards == coalition && account.Observer != privacy.Everybody.String():
		return nil, fault.New("its accountant bounds the loss towards one participant who sees the model, and towards no coalition", "")
	}
	return &bound{Limit: l, at: func(sigma float64) (float64, error) {
		account, _, err := q.asked.Price(&sigma)
		if err != nil {
			return 0, err
		}
		return account.At(u, v), nil
	}}, nil
}

// loss returns the epsilon at a noise multiplier.
func (b *bound) loss(sigma float64) (float64, error) {
	if b.at != nil {
		return b.at(sigma)
	}
	least, most := math.Inf(1), 0.0
	for _, law := range b.laws {
		loss, err := law.Loss(sigma, b.metric)
		if err != nil {
			return 0, err
		}
		least, most = min(least, loss), max(most, loss)
	}
	if b.any {
		return least, nil
	}
	return most, nil
}

// keeps reports whether the loss is at most eps.
func (b *bound) keeps(eps, sigma float64) bool {
	if b.at != nil {
		loss, err := b.at(sigma)
		return err == nil && loss <= eps
	}
	keeps := func(law *walkpath.Law) bool { return law.Keeps(eps, b.metric.Delta, sigma) }
	if b.any {
		return slices.ContainsFunc(b.laws, keeps)
	}
	return !slices.ContainsFunc(b.laws, func(law *walkpath.Law) bool { return !keeps(law) })
}

// bounds returns the bounds of limits.
func (q *price) bounds(ctx context.Context, limits []Limit) ([]*bound, error) {
	q.lock.Lock()
	defer q.lock.Unlock()
	all := make([]*bound, len(limits))
	for i, l := range limits {
		about := l
		about.Epsilon = 0
		if q.known[about] == nil {
			b, err := q.of(ctx, about)
			if err != nil {
				return nil, err
			}
			q.known[about] = b
		}
		b := *q.known[about]
		b.Limit, all[i] = l, &b
	}
	return all, nil
}

// width is the relative width to which noise is found. margin is the unspent share of every limit: the flow account of all pairs may
// lie a ten-thousandth above the bound of one pair, because plans of several averaging turns are found by descent.
const width, margin = 1e-6, 2e-4

// least returns the least noise multiplier with which at most a part of every limit is spent, and the limit that asks for it.
func least(all []*bound, part float64) (sigma float64, binding Limit, err error) {
	sigma = privacy.LeastSigma
	for _, b := range all {
		eps := part * b.Epsilon * (1 - margin)
		if b.keeps(eps, sigma) {
			continue
		}
		low, high := sigma, max(1, 2*sigma)
		for !b.keeps(eps, high) {
			if low, high = high, 2*high; high > privacy.MostSigma {
				return 0, b.Limit, fault.New(fmt.Sprintf("no noise keeps epsilon %g", b.Epsilon), "")
			}
		}
		for high > low*(1+width) {
			if middle := low + float64((high-low)/2); b.keeps(eps, middle) {
				high = middle
			} else {
				low = middle
			}
		}
		sigma, binding = high, b.Limit
	}
	return sigma, binding, nil
}
