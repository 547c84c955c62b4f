package federation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// A Plan holds the price of joining for this participant. It is computed before anything runs and
// without any data.
type Plan struct {
	Participant   string         `json:"participant"`
	Federation    string         `json:"federation"`
	Accountant    string         `json:"accountant"` // path or local
	Status        privacy.Status `json:"status"`
	Observer      string         `json:"observer"`         // observers to which the losses in Towards apply (privacy.Observer)
	ModelCharged  bool           `json:"model_charged"`    // the losses in Towards also hold if everybody sees the final model
	Unit          privacy.Unit   `json:"unit"`             // in which neighbouring data sets differ
	Record        string         `json:"record,omitempty"` // the protected record, such as one patient's row; "" if no record is protected
	Rows          int            `json:"rows,omitempty"`   // least number of records that this participant declares to learn from
	Assumptions   []string       `json:"assumptions"`      // the unit of privacy first, after an assertion that nobody has checked
	Delta         float64        `json:"delta"`
	Sigma         float64        `json:"sigma"` // effective noise multiplier
	Model         string         `json:"model"`
	Turns         int64          `json:"turns"`
	Contributions int            `json:"contributions"` // maximum
	Hours         report.Number  `json:"hours"`         // maximal running time of the node; +Inf without a deadline
	Local         float64        `json:"local_epsilon"` // towards all others together, who see every message
	LocalGuess    float64        `json:"local_guess"`   // bound on the probability that they guess right between two equally likely data sets
	Towards       []Towards      `json:"towards"`
	Coalitions    []Coalition    `json:"coalitions"`             // by rising size
	Public        *Public        `json:"public,omitempty"`       // nil if nobody is shown the final models, or no accountant prices them apart
	MostLate      int            `json:"most_late,omitempty"`    // steps whose values may come late, after others went on without them; losses are for none
	Limits        []report.Limit `json:"limits,omitempty"`       // of participants' own; of others no loss is known
	SeveralRows   *SeveralRows   `json:"several_rows,omitempty"` // losses of a person with several rows; nil if ForRows was not called

	laws      []*walkpath.Law              // in the order of Towards, with the price of the grid
	plain     []*walkpath.Law              // in the order of Towards, without that price
	pools     map[int][]walkpath.Coalition // by size, without that price; a size that is missing is charged the local loss
	names     []string                     // of the participants, by id
	program   string                       // the program on whose word alone the laws are sound; "": none
	besides   float64                      // squared shift of the releases before the run
	active    bool                         // the losses also hold towards observers who deviate from the protocol
	shown     bool                         // the public is shown the final models
	liars     int                          // if these are no more than so many together
	noise     Noise
	price     func(sigma float64) (Noise, error)  // of another effective multiplier
	energy    func(contributions int) float64     // local energy of that many contributions, all observed
	raise     func(energy, slack float64) float64 // energy with the price of the grid
	publicLaw *walkpath.Law                       // of the public, without that price; nil: none
	late      int                                 // steps whose values came late
	persons   bool                                // one record holds all rows of a person
	rate      float64                             // probability that a contribution samples a given row; 1 without sampling
	others    *budget.Standing                    // the other runs on the same rows; nil: none are known
}

// Towards holds the loss towards one participant.
type Towards struct {
	Name      string  `json:"name"`
	Neighbour bool    `json:"neighbour"`
	Hops      int     `json:"hops"`
	Epsilon   float64 `json:"epsilon"`
	Guess     float64 `json:"guess"`                // bound on the probability that it guesses right between two equally likely data sets
	Deviating float64 `json:"epsilon_if_deviating"` // if it alone deviates: Epsilon after most_late late values, or the local loss of all contributions
}

// Plan prices the run for this participant with the sound accountant of the spec. Plan also prices
// coalitions of two, of the size in the spec, and of the given sizes.
func (f *Federation) Plan(ctx context.Context, sizes ...int) (*Plan, error) {
	laws, err := family.Laws(ctx, f.setup.Algorithm, int(f.Self))
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Participant: f.Name(), Federation: f.Spec.Name, Accountant: f.Spec.Privacy.Accountant, Status: privacy.Sound,
		Delta: f.Spec.Privacy.Metric.Delta, Sigma: f.Noise.Sigma, Model: f.Spec.Model.Called(), program: f.asserted(laws),
		Turns: f.setup.Algorithm.Turns(), Contributions: f.setup.Algorithm.Contributions(), Hours: f.hours(), noise: f.Noise, price: f.price, raise: f.setup.Algorithm.OnGrid,
		rate: f.local().Noise.Rate(f.Self), MostLate: f.mostLate(), liars: f.liars(),
		shown: f.Spec.Privacy.Release == "final",
	}
	if f.Spec.Records() {
		p.Record, p.Rows, p.persons = f.Spec.OneRecord(), f.setup.Records(int(f.Self)), f.Spec.Data.Person != ""
	}
	for _, law := range laws {
		if law != nil {
			p.besides = law.Besides
		}
	}
	p.energy = func(contributions int) float64 {
		return family.LocalEnergy(f.setup.Algorithm, int(f.Self), contributions)
	}
	p.Local, p.active = p.local(p.Contributions, p.Sigma, p.Delta), f.setup.Algorithm.Active()
	p.LocalGuess = p.localGuess()
	p.Observer, p.ModelCharged = towards(laws)
	hops, direct := f.setup.Distances(int(f.Self)), f.setup.Neighbours(int(f.Self)) // in some turn
	for v, law := range laws {
		if law == nil {
			continue
		}
		if law.Status != privacy.Sound {
			p.Status = law.Status
		}
		p.Assumptions, p.Unit = law.Grounds(), law.UnitOrParticipant()
		p.plain, p.laws = append(p.plain, law), append(p.laws, p.onGrid(law))
		if slices.Contains(direct, int32(v)) {
			hops[v] = 1
		}
		own := p.laws[len(p.laws)-1]
		epsilon := p.loss(own, p.Sigma, p.Delta)
		p.Towards = append(p.Towards, Towards{Name: f.Names[v], Hops: hops[v], Neighbour: hops[v] == 1, Epsilon: epsilon, Guess: p.guess(own), Deviating: p.deviating(epsilon, 1)})
	}
	p.Assumptions = append(append([]string{}, p.Assumptions...), f.conditions()...)
	p.Limits = f.setup.Limits(nil)
	for i := range p.Limits {
		if l := &p.Limits[i]; l.Node == int(f.Self) {
			l.Loses = report.Number(p.worst(policy.Demand{Whom: policy.AnyCoalition, Size: 1, Delta: p.Delta}, p.Sigma))
		}
	}
	if err := errors.Join(p.publish(ctx, f), p.poolAll(ctx, f, laws, sizes)); err != nil {
		return nil, err
	}
	p.deviate()
	return p, nil
}

// towards returns the weakest observer class among the laws, and whether all laws cover the final
// model.
func towards(laws []*walkpath.Law) (observer string, model bool) {
	weakest, model := privacy.Everybody, true
	for _, law := range laws {
		if law != nil {
			weakest, model = privacy.Weaker(weakest, law.Towards), model && law.CoversModel()
		}
	}
	return weakest.String(), model
}

// holds reports whether losses towards so many together also hold if they deviate from the protocol.
func (p *Plan) holds(size int) bool { return p.active && size <= p.liars }

// deviating returns the loss towards so many together if they deviate from the protocol. epsilon is the
// loss if they follow it.
func (p *Plan) deviating(epsilon float64, size int) float64 {
	if p.holds(size) {
		return epsilon
	}
	return p.Local
}

// hours returns the deadline of the spec, +Inf without one.
func (f *Federation) hours() report.Number {
	if d := f.Spec.Federation.Deadline; d > 0 {
		return report.Number(d.Hours())
	}
	return report.Number(math.Inf(1))
}

// conditions returns the assumptions that a real run adds to those of the accountant.
func (f *Federation) conditions() []string {
	all := f.noiseGround()
	if f.setup.Algorithm.Active() {
		more := "it learns no more"
		if f.mostLate() > 0 {
			more += ", but for values that come late"
		}
		all = append(all,
			"whoever is not the observer, or in the coalition, follows the protocol and adds the noise that it asks; the observer may send what it likes, late, not at all, or to each another value: "+more,
			"any number of participants who deviate and put together what they see learn at most the local loss of all contributions: each is clipped, noisy and counted")
	} else {
		all = append(all,
			"other participants follow the protocol, and add the noise that it asks of them: alone, and in coalitions, who are honest but curious and put together all that they see",
			"who deviates from the protocol learns at most the local loss of all contributions, whatever it sends and to how many: each contribution is clipped, noisy and counted")
	}
	all = append(all, f.runGrounds()...)
	switch pace := f.Spec.Federation.Pace; {
	case f.Spec.Records():
	case pace == 0:
		all = append(all, "how long a participant’s steps take is not looked at: it tells others about how many rows it has, which is protected; federation.pace hides it")
	default:
		all = append(all, fmt.Sprintf("each step takes less than federation.pace, %v: a node says so where one took longer, which tells others that it did", pace))
	}
	if len(f.Spec.Federation.Relays) > 0 {
		all = append(all, "whoever runs a relay sees who talks to whom, when and how much: it tells no participant")
	}
	if f.Spec.FollowsFailures() {
		all = append(all, "a token may go around a silent participant or be succeeded, so who sees what depends on failures: every release is charged as public")
	}
	return all
}

// noiseGround returns the assumption on how noise is drawn, none if the algorithm's noise lies on no grid.
func (f *Federation) noiseGround() []string {
	if family.OffGrid(f.setup.Algorithm) != "" {
		return nil
	}
	return []string{"noise is an exact discrete Gaussian on a power-of-two grid, drawn from the operating system's randomness through ChaCha8; the grid's price is in the numbers"}
}

// runGrounds returns the assumptions of a real run that hold towards every observer, also towards the public.
func (f *Federation) runGrounds() (all []string) {
	if family.OffGrid(f.setup.Algorithm) == "" {
		all = append(all,
			fmt.Sprintf("every value that enters a step, whoever sent it, is confined to the public box of half-width %.3g, below 2^20 times the noise of a step: "+
				"the projection moves no two models further apart, and the grid's price covers rounding to 53 bits", f.setup.Algorithm.Bound()))
	}
	all = append(all, f.lateGround()...)
	all = append(all, f.setup.Algorithm.Conditions()...)
	all = append(all, family.PersonGround(f.Spec)...)
	all = append(all, family.EarlierGround(f.Spec)...)
	if f.Spec.Records() && f.Spec.Data.Missing == "drop" {
		all = append(all, "rows with gaps that nothing fills are in no record: which rows have such gaps and are left out is public")
	}
	return all
}

// onGrid returns the law l with the price of the grid added to every energy. It returns a curved
// law unchanged.
func (p *Plan) onGrid(l *walkpath.Law) *walkpath.Law {
	if l.IsCurved() {
		return l
	}
	slack := p.noise.Slack
	if l.Relative != 0 { // energies are in units of this node's sensitivity, slack of the largest
		slack /= l.Relative
	}
	besides := 0.0
	if p.late > 0 {
		besides = p.energy(p.late)
	}
	return l.Raised(func(energy float64) float64 { return p.raise(energy+besides, slack) }, p.noise.Relative)
}

// guess returns an upper bound on the probability that an observer with the view of law l guesses right between two equally
// likely data sets. The delta of the grid counts as a view that reveals everything.
func (p *Plan) guess(l *walkpath.Law) float64 {
	return min(1, l.Guess(p.Sigma, p.Delta)+float64(p.noise.ExtraDelta/2))
}

// loss returns the epsilon of law l at delta. The delta of the grid is subtracted first; loss
// returns +Inf if none is left.
func (p *Plan) loss(l *walkpath.Law, sigma, delta float64) float64 {
	left := delta - p.noise.ExtraDelta
	if !(left > 0) {
		return math.Inf(1)
	}
	return l.Epsilon(left, sigma)
}

// local returns the epsilon of that many contributions if all of them are public, together with
// releases before the run. It returns +Inf if the delta of the grid leaves nothing of delta.
func (p *Plan) local(contributions int, sigma, delta float64) float64 {
	left := delta - p.noise.ExtraDelta
	switch {
	case contributions == 0 && p.besides == 0:
		return 0
	case !(left > 0):
		return math.Inf(1)
	}
	seen := p.seen(contributions, sigma)
	if p.samples() {
		m := privacy.Metric{Delta: left, Conversion: privacy.Tightest}
		return privacy.Poisson{Rate: p.rate, Steps: contributions}.Loss(seen, m)
	}
	return privacy.EpsilonGaussian(math.Sqrt(seen+p.besides), left)
}

// seen returns the squared shift over the noise of that many contributions, all public.
func (p *Plan) seen(contributions int, sigma float64) float64 {
	energy := float64(contributions)
	if p.energy != nil {
		energy = p.energy(contributions)
	}
	if p.noise.Relative != 0 {
		sigma /= p.noise.Relative
	}
	return energy / (sigma * sigma)
}

// About returns what the losses protect, in words: a record, or all data of the participant.
func (p *Plan) About() string {
	if p.Record != "" {
		return p.Record
	}
	return "all data of " + p.Participant
}

// unit returns the privacy unit of the losses, privacy.Participant if the plan names none.
func (p *Plan) unit() privacy.Unit {
	if p.Unit == "" {
		return privacy.Participant
	}
	return p.Unit
}

// samples reports whether the losses use amplification by sampling. They do if each contribution
// samples rows and nothing was released before the run.
func (p *Plan) samples() bool { return p.rate < 1 && p.besides == 0 }

// localGuess returns an upper bound on the probability that all others together guess right.
func (p *Plan) localGuess() float64 {
	if p.samples() || p.Contributions == 0 {
		return privacy.Guess(p.Local, p.Delta)
	}
	return min(1, privacy.GuessGaussian(math.Sqrt(p.seen(p.Contributions, p.Sigma)+p.besides))+float64(p.noise.ExtraDelta/2))
}

// worst returns the largest loss at noise sigma towards the observers of demand d.
func (p *Plan) worst(d policy.Demand, sigma float64) float64 {
	switch {
	case d.Whom == policy.AllRuns:
		return p.total(d.Delta)
	case d.Whom == policy.Deviators:
		return p.local(p.Contributions, sigma, d.Delta)
	case d.Whom == policy.AnyCoalition && d.Size > 1:
		worst, _ := p.together(d.Size, sigma, d.Delta)
		return worst
	case d.Whom == policy.Public:
		return p.toPublic(sigma, d.Delta)
	}
	worst := 0.0
	for i, law := range p.laws {
		if p.observes(i, d) {
			worst = max(worst, p.loss(law, sigma, d.Delta))
		}
	}
	return worst
}

// observes reports whether demand d covers participant i of Towards.
func (p *Plan) observes(i int, d policy.Demand) bool {
	if d.Whom == policy.Named {
		return p.Towards[i].Name == d.Name
	}
	return d.Whom == policy.AnyCoalition || p.Towards[i].Neighbour == (d.Whom == policy.Neighbours)
}
