package tokens

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// An Answer holds the result of `hearsay attack walk`, with its JSON. Nodes are numbered
// 0..n-1.
type Answer struct {
	Name     string             `json:"name"`
	Kind     string             `json:"kind"`
	N        int                `json:"n"`
	Names    []string           `json:"names,omitempty"`
	Steps    int                `json:"steps"`
	Tokens   int                `json:"tokens"`
	Sigma    report.Number      `json:"sigma"`
	NoiseStd report.Number      `json:"noise_std"` // of a number, as one turn adds it, in the unit of a gradient or value
	Unit     string             `json:"unit"`      // unit of privacy: whose data differ between the two worlds
	Metric   string             `json:"metric"`    // of every eps
	Sees     string             `json:"sees"`      // the attackers' knowledge of the route
	Exact    bool               `json:"exact"`     // attacks are optimal; otherwise they are lower bounds
	Why      string             `json:"why,omitempty"`
	Proofs   Proof              `json:"proofs"`
	Attacks  []Case             `json:"attacks"`
	Nodes    []exposure.Exposed `json:"nodes"`
	Worst    []Worst            `json:"worst"` // for every node, the attackers who prove most about it
	Stop     Stop               `json:"stop"`
	Notes    []string           `json:"notes,omitempty"`

	rows    []Row // worst, for display
	planned bool  // there are no rows to run on
}

// Proof describes how an eps was proved.
type Proof struct {
	Status     report.Status `json:"status"`
	Runs       int           `json:"runs"`       // simulated routes; 0: the route is public and eps is exact
	Confidence float64       `json:"confidence"` // with which all proofs hold jointly
}

// Case is the result of one set of attackers.
type Case struct {
	Attackers []int    `json:"attackers"`
	Receipts  int      `json:"receipts"`
	Single    []int    `json:"reconstructed"` // nodes whose contribution alone the receipts determine, without noise
	Exact     []int    `json:"exact"`         // found without noise to a relative error of 1e-6
	Near      []int    `json:"near"`          // found in the run with noise to a relative error of a half
	Targets   []Target `json:"targets"`
}

// Target is the result of the attackers for one node.
type Target struct {
	Node          int           `json:"node"`
	Distance      int           `json:"distance"`      // hops from the nearest attacker; -1: not known
	Contributions int           `json:"contributions"` // in the attackers' receipts
	Direct        int           `json:"direct"`        // of these, sent by an attacker and returned at once
	Single        bool          `json:"single"`
	Error         report.Number `json:"error"`       // relative, of its mean contribution, in the run without noise
	NoisyError    report.Number `json:"noisy_error"` // in the run with noise
	Example       *Example      `json:"example,omitempty"`
	Std           report.Number `json:"std"`          // of a number of the best estimate in this run, by attackers who know the route and everything else
	Floor         report.Number `json:"floor"`        // lower bound for any unbiased estimate, by the sound accountant on this route
	Route         report.Number `json:"proved_route"` // eps proved by attackers who know the route
	Proved        report.Number `json:"proved"`       // eps proved by attackers with Sees; NaN: not computed
	Sound         report.Number `json:"sound"`        // eps that the sound accountant allows
	Accountant    string        `json:"accountant,omitempty"`

	energy float64 // of attackers who know the route, as a mean over routes; NaN: not computed
}

// Example is the data behind the first contribution that was returned at once.
type Example struct {
	Error      report.Number `json:"error"` // relative, of the nearest of the node's rows, without noise
	PSNR       report.Number `json:"psnr"`
	Label      bool          `json:"label"`
	NoisyError report.Number `json:"noisy_error"`
}

// Worst names the attackers who prove most about a node.
type Worst struct {
	Node   int           `json:"node"`
	Attack int           `json:"attack"` // by number
	Proved report.Number `json:"proved"`
	Sound  report.Number `json:"sound"`
}

// Stop describes the changes that would stop the attackers.
type Stop struct {
	Multiplier  report.Number `json:"multiplier"` // noise multiplier that keeps everyone at (eps, delta) against each set of attackers
	Eps         float64       `json:"eps"`
	Delta       float64       `json:"delta"`
	Status      report.Status `json:"status"`
	Accountant  string        `json:"accountant"`
	Assumptions []string      `json:"assumptions,omitempty"`
	Edges       []Edge        `json:"edges,omitempty"`
}

// An Edge is an edge whose removal lowers the loss of a node.
type Edge struct {
	Ends   [2]int        `json:"ends"`
	Node   int           `json:"node"` // the node whose loss falls
	Before report.Number `json:"before"`
	After  report.Number `json:"after"`
}

// walkAttack is a spec under attack.
type walkAttack struct {
	*experiment.Priced
	carriage *family.Carriage
	sets     [][]int
	knows    walklikelihood.Knowledge
	runs     int
	say      func(string)
	pulse    *terminal.Pulse

	metric privacy.Metric
	laws   map[string]*walkpath.Law // computed so far, by node and set
	tracks [][]walklikelihood.Turn  // of the attacked run
	boards []*walklikelihood.Board
	answer *Answer
}

// stage begins a stage, which is announced if it takes long.
func (w *walkAttack) stage(what string) { w.pulse.Enter(what) }

var knowledgeNames = map[walklikelihood.Knowledge]string{walklikelihood.Hops: "hops", walklikelihood.Ends: "ends", walklikelihood.Route: "route"}

// audit computes the answer for every set of attackers.
func (w *walkAttack) audit(ctx context.Context) (*Answer, error) {
	local := w.Algorithm.Local()
	metric, err := family.Metric(&w.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	w.metric, w.laws = family.Tightest(metric), map[string]*walkpath.Law{}
	w.answer = &Answer{
		Name: w.Spec.Title(), Kind: w.Spec.Algorithm.Kind, N: w.Spec.Nodes, Names: w.Names(), Steps: w.carriage.Updates.Turns, Tokens: w.carriage.Lanes,
		Sigma: report.Number(local.Noise.Multiplier), NoiseStd: report.Number(local.Noise.Std()), Unit: w.unit(), Metric: metric.String(),
		planned: w.carriage.Run == nil, Sees: knowledgeNames[w.knows], Exact: w.carriage.Linear == "", Why: w.carriage.Linear,
	}
	if err := w.prepare(); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context) error{w.reconstruct, w.prove, w.allow, w.exposed, w.stop} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	w.note()
	w.worst()
	return w.answer, ctx.Err()
}

// unit returns the unit of privacy.
func (w *walkAttack) unit() string {
	if w.Spec.Records() {
		return string(privacy.Record)
	}
	return string(privacy.Participant)
}

// prepare computes the route of the attacked run and the attackers' knowledge of it.
func (w *walkAttack) prepare() error {
	c, n := w.carriage, w.Spec.Nodes
	for lane := range c.Lanes {
		track := c.Updates.Track(c.Releases(w.Spec.Seed, step.Lane(lane)))
		w.tracks, w.boards = append(w.tracks, track), append(w.boards, walklikelihood.NewBoard(track, n))
	}
	for _, set := range w.sets {
		one := Case{Attackers: set, Single: []int{}, Exact: []int{}, Near: []int{}}
		sights := w.sights(w.tracks, set)
		hops := w.distances(set)
		energies, sound, counts, direct := make([]float64, n), make([]float64, n), make([]int, n), make([]int, n)
		for lane, list := range sights {
			one.Receipts += len(list)
			for u, e := range w.boards[lane].Energies(list) {
				energies[u] += e
			}
			for u, e := range w.boards[lane].Sound(list) {
				sound[u] += e
			}
			for _, s := range list {
				for _, turn := range w.tracks[lane][s.Begin:s.End] {
					if turn.Contributed {
						counts[turn.Holder]++
						if s.Len() == 1 {
							direct[turn.Holder]++
						}
					}
				}
			}
		}
		std := float64(w.answer.NoiseStd)
		for u := range n {
			if !slices.Contains(set, u) {
				t := Target{Node: u, Distance: hops[u], Contributions: counts[u], Direct: direct[u], Error: notKnown, NoisyError: notKnown, Route: notKnown,
					Proved: notKnown, Sound: notKnown, energy: energies[u], Std: report.Number(std / math.Sqrt(energies[u])), Floor: report.Number(std / math.Sqrt(sound[u]))}
				if std == 0 {
					t.Std, t.Floor = 0, 0
				}
				one.Targets = append(one.Targets, t)
			}
		}
		w.answer.Attacks = append(w.answer.Attacks, one)
	}
	return nil
}

// notKnown is NaN. It marks values that are not known, which are shown as a dash.
var notKnown = report.Number(math.NaN())

// sights returns the sights of a set, by lane.
func (w *walkAttack) sights(tracks [][]walklikelihood.Turn, set []int) (all [][]walklikelihood.Sight) {
	attacks := make([]bool, w.Spec.Nodes)
	for _, v := range set {
		attacks[v] = true
	}
	for lane, track := range tracks {
		all = append(all, walklikelihood.Sights(track, lane, w.carriage.Updates.Final, func(v int) bool { return attacks[v] }))
	}
	return all
}

// distances returns the hops from the nearest attacker. They are -1 without a graph or a
// path.
func (w *walkAttack) distances(set []int) []int {
	hops := slices.Repeat([]int{-1}, w.Spec.Nodes)
	if w.Graph == nil {
		return hops
	}
	for u, d := range graph.NewSearch(w.Graph).Nearest(set) {
		hops[u] = int(d)
	}
	return hops
}

// knowing returns the attacks of a set on a target, by lane. It returns nil if the path is
// known.
func (w *walkAttack) knowing(set []int, target int) (all []*walklikelihood.Hidden, err error) {
	if w.knows == walklikelihood.Route {
		return nil, nil
	}
	for lane := range w.carriage.Lanes {
		h, err := walklikelihood.NewHidden(w.oneWalk(lane), set, target, w.knows)
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// oneWalk returns the law of one token.
func (w *walkAttack) oneWalk(lane int) schedule.Walk { return w.carriage.Walk.Token(step.Lane(lane)) }

// note adds the notes that a reader needs.
func (w *walkAttack) note() {
	a := w.answer
	if w.carriage.Linear != "" {
		a.Notes = append(a.Notes, "Not exact: "+w.carriage.Linear+". What attackers find of this run is a lower bound of what they could; an eps is proved for losses that are linear and gradients that differ by all that the clip allows, which the accountant must cover.")
	}
	if len(w.sets) > 1 && len(w.sets) < w.Spec.Nodes {
		a.Notes = append(a.Notes, fmt.Sprintf("Of %d nodes %d attack, a sample of all degrees: all pairs would not fit into memory.", w.Spec.Nodes, len(w.sets)))
	}
	if w.Public {
		a.Notes = append(a.Notes, "The participants' rows are not here: what attackers receive is known, how near their estimates come is not.")
	}
	if a.Sigma > 0 && !w.Public {
		a.Notes = append(a.Notes, "Noise of this run is simulated and protects nobody.")
	}
	if w.knows != walklikelihood.Route {
		a.Notes = append(a.Notes, fmt.Sprintf("One route was drawn from the seed of the spec, of which attackers know %s. Who is reconstructed holds for this route; an eps for all.", map[walklikelihood.Knowledge]string{
			walklikelihood.Ends: "to and from whom the token went when they held it", walklikelihood.Hops: "how long the token was away"}[w.knows]))
	}
}
