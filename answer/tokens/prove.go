package tokens

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/audit"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Limits of proofs. proofTurns bounds the turns of all simulated routes over all sets, and proofEnergies the stored
// energies. proofConfidence is the joint confidence of all proofs. fewestProofs is the least number of routes for a
// proof.
const (
	proofTurns      = 2e9
	proofEnergies   = 1 << 25
	proofConfidence = 0.99
	fewestProofs    = 50
)

// prove computes the eps that attackers prove about every node, once with the route known to them and once with their view alone.
func (w *walkAttack) prove(ctx context.Context) error {
	a := w.answer
	a.Proofs = Proof{Status: report.Audit}
	if a.Sigma == 0 {
		w.everywhere(func(t *Target) {
			t.Route, t.Proved = notKnown, notKnown
			if t.Contributions > 0 {
				t.Route = report.Number(math.Inf(1))
			}
			if t.Single {
				t.Proved = report.Number(math.Inf(1))
			}
		})
		return nil
	}
	if w.carriage.Walk == nil {
		return w.exact()
	}
	turns := float64(w.carriage.Lanes) * float64(w.carriage.Updates.Turns)
	targets := 0
	for _, one := range a.Attacks {
		targets += len(one.Targets)
	}
	proofs := 2 * min(targets, max(w.Spec.Nodes, len(a.Attacks[0].Targets)))
	runs := int(min(float64(w.runs), proofTurns/(turns*float64(len(w.sets)+8)), proofEnergies/float64(targets)))
	if runs < fewestProofs {
		a.Notes = append(a.Notes, fmt.Sprintf("No eps was proved: %d simulated routes of %.3g turns are too few, or too many to follow. Name attackers, or give --runs.", max(0, runs), turns))
		return nil
	}
	a.Proofs.Runs, a.Proofs.Confidence = runs, proofConfidence
	p := &prover{walkAttack: w, runs: runs, failure: (1 - proofConfidence) / float64(proofs)}
	if err := p.route(ctx); err != nil {
		return err
	}
	return p.seen(ctx)
}

// everywhere applies do to all targets.
func (w *walkAttack) everywhere(do func(t *Target)) {
	for k := range w.answer.Attacks {
		for i := range w.answer.Attacks[k].Targets {
			do(&w.answer.Attacks[k].Targets[i])
		}
	}
}

// multiplier returns the noise over node u's own sensitivity.
func (w *walkAttack) multiplier(u int) float64 {
	return family.Multiplier(w.Algorithm, u, float64(w.answer.Sigma))
}

// exact proves with a route that is public. It gives one Gaussian.
func (w *walkAttack) exact() error {
	for k := range w.answer.Attacks {
		one := &w.answer.Attacks[k]
		energies := make([]float64, w.Spec.Nodes)
		for lane, list := range w.sights(w.tracks, one.Attackers) {
			for u, e := range w.boards[lane].Energies(list) {
				energies[u] += e
			}
		}
		for i := range one.Targets {
			t := &one.Targets[i]
			t.Route = report.Number(privacy.GaussianLoss(energies[t.Node], w.multiplier(t.Node), w.metric))
			t.Proved = t.Route
		}
	}
	return nil
}

// A prover simulates routes.
type prover struct {
	*walkAttack
	runs    int
	failure float64 // of one proof
	longest int     // excursion whose hidden path is followed
}

// seedOf returns the seed of a simulated route. It differs from the seeds of trials.
func (p *prover) seedOf(run int) uint64 {
	var stream step.Stream
	return stream.At(p.Spec.Seed, 0, step.Turn(run)+1, 1, step.Audit).Uint64()
}

// routes calls show with all simulated routes, several at a time.
func (p *prover) routes(ctx context.Context, what string, show func(run int, tracks [][]walklikelihood.Turn) error) error {
	var mu sync.Mutex
	done := 0
	p.stage(what)
	return sim.Each(ctx, p.runs, runtime.GOMAXPROCS(0), func(_ context.Context, run int) error {
		var tracks [][]walklikelihood.Turn
		for lane := range p.carriage.Lanes {
			tracks = append(tracks, p.carriage.Updates.Track(p.carriage.Releases(p.seedOf(run), step.Lane(lane))))
		}
		err := show(run, tracks)
		mu.Lock()
		defer mu.Unlock()
		done++
		p.pulse.Progress(done, p.runs)
		return err
	})
}

// route proves with attackers who know the routes. Each route gives one Gaussian.
func (p *prover) route(ctx context.Context) error {
	energies := make([][][]float64, len(p.sets)) // by set, run, node
	for k := range energies {
		energies[k] = make([][]float64, p.runs)
	}
	err := p.routes(ctx, "routes that attackers know", func(run int, tracks [][]walklikelihood.Turn) error {
		boards := make([]*walklikelihood.Board, len(tracks))
		for lane, track := range tracks {
			boards[lane] = walklikelihood.NewBoard(track, p.Spec.Nodes)
		}
		for k, set := range p.sets {
			all := make([]float64, p.Spec.Nodes)
			for lane, list := range p.sights(tracks, set) {
				for u, e := range boards[lane].Energies(list) {
					all[u] += e
				}
			}
			energies[k][run] = all
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k := range p.answer.Attacks {
		for i := range p.answer.Attacks[k].Targets {
			t := &p.answer.Attacks[k].Targets[i]
			t.energy = 0
			for run := range energies[k] {
				t.energy += energies[k][run][t.Node] / float64(p.runs)
			}
		}
	}
	p.stage("what routes prove")
	chosen := p.chosen(math.MaxInt)
	for i, one := range chosen {
		p.pulse.Progress(i, len(chosen))
		sigma := p.multiplier(one.target.Node)
		one.target.Route = report.Number(p.gaussians(func(run int) float64 { return energies[one.set][run][one.target.Node] / (sigma * sigma) }))
	}
	return ctx.Err()
}

// gaussians returns the eps that runs prove if each gives a Gaussian with a squared shift.
func (p *prover) gaussians(square func(run int) float64) float64 {
	if p.metric.Order == 0 {
		return audit.Epsilon(p.runs, func(run int, eps float64) float64 {
			return math.Exp(privacy.LogDeltaGaussian(math.Sqrt(square(run)), eps))
		}, p.metric.Delta, p.failure)
	}
	// E exp(alpha(alpha-1)/2 square) is at least its value with squares clipped at the largest of the first half of the
	// runs.
	rate, half, most := p.metric.Order*(p.metric.Order-1)/2, p.runs/2, 0.0
	for run := range half {
		most = max(most, square(run))
	}
	var shares []float64
	for run := half; run < p.runs; run++ {
		shares = append(shares, math.Expm1(rate*min(square(run), most))/math.Expm1(rate*max(most, 1e-300)))
	}
	if most == 0 || math.IsInf(math.Expm1(rate*most), 1) {
		return 0
	}
	return math.Log1p(audit.LeastMean(shares, p.failure)*math.Expm1(rate*most)) / (p.metric.Order - 1)
}

// A hiddenPair is an attack on one node by attackers who do not know the route.
type hiddenPair struct {
	target *Target
	by     []*walklikelihood.Hidden // by lane
	score  bool                     // ratios are scores, not likelihood ratios
	ratios [2][]float64             // by world and run: with longer contributions, and without
}

// seen computes the eps that attackers prove from their view alone. For one set it covers every node, for several the set
// that learns most about each node, as far as the work limit allows.
func (p *prover) seen(ctx context.Context) error {
	if p.knows == walklikelihood.Route {
		p.everywhere(func(t *Target) { t.Proved = t.Route })
		return nil
	}
	chosen := p.chosen(int(max(1, hiddenWork/p.hiddenCost())))
	p.longest = p.followed()
	p.notProved(len(chosen))
	var mu sync.Mutex
	done := 0
	p.stage("excursions whose path is hidden")
	return sim.Each(ctx, len(chosen), runtime.GOMAXPROCS(0), func(ctx context.Context, i int) error {
		err := p.hidden(ctx, chosen[i])
		mu.Lock()
		defer mu.Unlock()
		done++
		p.pulse.Progress(done, len(chosen))
		return err
	})
}

// hidden proves with one set about one node.
func (p *prover) hidden(ctx context.Context, one chosenTarget) error {
	by, err := p.knowing(p.sets[one.set], one.target.Node)
	if err != nil {
		return nil // a walk whose contributions depend on more than visits: only attackers with the route are considered
	}
	pair := &hiddenPair{target: one.target, by: by, ratios: [2][]float64{make([]float64, p.runs), make([]float64, p.runs)}}
	if err := p.play(ctx, pair, p.sets[one.set]); err != nil {
		return err
	}
	if p.metric.Order == 0 && !pair.score {
		one.target.proves(audit.Epsilon(p.runs, func(run int, eps float64) float64 { return walklikelihood.Tells(pair.ratios[0][run], eps) }, p.metric.Delta, p.failure))
		return nil
	}
	found, err := audit.Scores(pair.ratios[0], pair.ratios[1], p.metric, p.failure)
	if err == nil {
		one.target.proves(found.Loss)
	}
	return err
}

// proves records the eps of attackers without the route. Attackers with the route prove at least as much.
func (t *Target) proves(eps float64) {
	t.Proved = report.Number(eps)
	t.Route = max(t.Route, t.Proved)
}

// A chosenTarget is a target of a set that is examined in detail.
type chosenTarget struct {
	set    int
	target *Target
}

// chosen returns at most most pairs of a set and a node. For one set it takes all nodes, for several the set that
// learns most about each node. Pairs with the most information come first.
func (p *prover) chosen(most int) (all []chosenTarget) {
	best := map[int]chosenTarget{} // by node
	for k := range p.answer.Attacks {
		for i := range p.answer.Attacks[k].Targets {
			t := &p.answer.Attacks[k].Targets[i]
			if len(p.sets) == 1 {
				all = append(all, chosenTarget{k, t})
			} else if known, ok := best[t.Node]; !ok || more(t, known.target) {
				best[t.Node] = chosenTarget{k, t}
			}
		}
	}
	for u := range p.Spec.Nodes {
		if t, ok := best[u]; ok {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b chosenTarget) int { return cmp.Compare(b.target.energy, a.target.energy) })
	return all[:min(len(all), most)]
}

// play draws the attackers' view of every route in both worlds.
func (p *prover) play(ctx context.Context, pair *hiddenPair, set []int) error {
	u := pair.target.Node
	sigma := p.multiplier(u)
	for _, h := range pair.by {
		h.Longest = p.longest
		h.Walk.Power = 0 // laws count contributions, whatever their weight
	}
	for lane, h := range pair.by {
		rows := make([][]walklikelihood.Row, 0, p.runs)
		games := h.Games(func(yield func([]walklikelihood.Turn, []walklikelihood.Sight) bool) {
			for run := range p.runs {
				track := p.carriage.Updates.Track(p.carriage.Releases(p.seedOf(run), step.Lane(lane)))
				sights := p.sights([][]walklikelihood.Turn{track}, set)[0]
				rows = append(rows, rowsOf(walklikelihood.NewBoard(track, p.Spec.Nodes), sights, u))
				if ctx.Err() != nil || !yield(track, sights) {
					return
				}
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		for run, game := range games {
			pair.score = pair.score || !game.Exact()
			r := rand.New(rand.NewPCG(p.seedOf(run), uint64(lane)))
			pair.ratios[0][run] += game.Play(rows[run], u, 1, sigma, r)
			pair.ratios[1][run] += game.Play(rows[run], u, 0, sigma, r)
		}
	}
	return nil
}

// rowsOf returns the rows of sights with the part of one node only.
func rowsOf(board *walklikelihood.Board, sights []walklikelihood.Sight, node int) (rows []walklikelihood.Row) {
	for _, s := range sights {
		all := board.Row(s)
		row := walklikelihood.Row{Sight: s, Variance: all.Variance, Carried: all.Carried}
		if at, ok := slices.BinarySearch(all.Nodes, node); ok {
			row.Nodes, row.Coefficients = []int{node}, []float64{all.Coefficients[at]}
		}
		rows = append(rows, row)
	}
	return rows
}
