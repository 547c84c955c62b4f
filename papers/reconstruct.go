package papers

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

//go:embed specs/cifar10.yaml
var images []byte

// A gallery places images on the nodes of a graph. The nodes learn by D-GD, and some of them attack alone.
type gallery struct {
	graph     string
	steps     int
	rate      float64
	attackers []int // nil: all nodes
	digits    bool  // MNIST and a convolutional network instead of CIFAR-10 and a regression
	change    func(*spec.Spec)
	most      int     // products of the search for a digit; 0: as many as are promising
	seen      viewing // nil: images are not kept
}

// A hanging is an attacker's result for a node's image.
type hanging struct {
	attacker, node, distance int
	psnr, off                float64 // off: relative square distance
	guess                    float64 // PSNR of the mean of all images, a guess without messages
}

// show runs the gallery with images drawn by a seed, and attacks as 002 prints it, or with refinement.
func (g gallery) show(ctx context.Context, data string, seed uint64, published bool) (all []hanging, err error) {
	study := Study{ID: "gallery", base: images, Data: "cifar10"}
	if g.digits {
		study.base, study.Data = digits, "mnist"
	}
	s, err := study.Spec(Variant{Name: g.graph, change: func(s *spec.Spec) {
		s.Graph, s.Seed, s.Algorithm.Steps, s.Algorithm.StepSize = g.graph, seed, g.steps, spec.StepSize{Base: g.rate}
		if g.change != nil {
			g.change(s)
		}
	}}, data)
	if err != nil {
		return nil, err
	}
	opened, err := experiment.Open(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	made, err := opened.Algorithm.WithNoise(0)
	if err != nil {
		return nil, err
	}
	a := made.(*gossipfamily.Algorithm)
	attackers := g.attackers
	if attackers == nil {
		attackers = everyone(a.Protocol.Nodes)
	}
	for _, v := range attackers {
		hung, err := g.hang(ctx, a, seed, v, published)
		if err != nil {
			return nil, err
		}
		all = append(all, hung...)
	}
	return all, nil
}

func (g gallery) hang(ctx context.Context, a *gossipfamily.Algorithm, seed uint64, attacker int, published bool) (all []hanging, err error) {
	p := a.Protocol
	run, err := a.Simulation(seed)
	if err != nil {
		return nil, err
	}
	prepare := gradientinversion.Prepare
	if published {
		prepare = gradientinversion.PrepareAsPublished
	}
	found, err := prepare(p, run.Weights, true, []int{attacker}, gradientinversion.Ordinary,
		gradientinversion.Inversion{Model: p.Objective.Model, Features: a.Train.Features, Theta: p.Begin(), Box: &[2]float64{0, 1}, Most: g.most})
	if err != nil {
		return nil, err
	}
	found.Workers = workers()
	seen, watch := found.Knowledge().Listen(p.Params)
	if _, err := run.Bulk(ctx, sim.GossipWatcher{Values: watch}); err != nil {
		return nil, err
	}
	f, hops, guess := found.Run(seen), graph.NewSearch(a.Graph).From(attacker), gradientinversion.Guess(a.Train)
	for _, u := range found.Knowledge().Targets() {
		truth := a.Examples.Examples(step.NodeID(u))
		s, blind := gradientinversion.Compare(f.Points[u], truth, 1), gradientinversion.Compare(guess, truth, 1)
		h := hanging{attacker, u, int(hops[u]), math.Min(s.PSNR, mostPSNR), s.Error * s.Error, blind.PSNR}
		if g.seen != nil {
			x, _ := truth.Row(0)
			var found []float64
			if p := f.Points[u]; p != nil {
				found = p.X
			}
			g.seen(h, x, found)
		}
		all = append(all, h)
	}
	return all, nil
}

// mostPSNR is the PSNR of images that are found to the last bits. Its negative is that of images that are not found.
const mostPSNR = 100

// share returns the share of the images for which holds is true.
func share(all []hanging, holds func(hanging) bool) (part float64) {
	for _, h := range all {
		if holds(h) {
			part += 1 / float64(len(all))
		}
	}
	return part
}

func recognised(h hanging) bool { return h.psnr >= gradientinversion.Recognised }       // the criterion of 002
func guessed(h hanging) bool    { return h.guess >= gradientinversion.Recognised }      // the same for a guess
func learnt(h hanging) bool     { return recognised(h) && h.psnr > h.guess }            // by messages
func blind(h hanging) hanging   { return hanging{distance: h.distance, psnr: h.guess} } // the result of a guess

// byHops returns the mean PSNRs by distance from 1 on, and the largest distance up to which images are recognised on
// average.
func byHops(all []hanging) (psnr []float64, far int) {
	var sum, count []float64
	for _, h := range all {
		for len(sum) < h.distance {
			sum, count = append(sum, 0), append(count, 0)
		}
		sum[h.distance-1], count[h.distance-1] = sum[h.distance-1]+max(h.psnr, -mostPSNR), count[h.distance-1]+1
	}
	for k := range sum {
		psnr = append(psnr, sum[k]/count[k])
		if far == k && psnr[k] >= gradientinversion.Recognised {
			far = k + 1
		}
	}
	return psnr, far
}

// aboveGuess returns the largest distance up to which images are closer on average than the mean of all.
func aboveGuess(all []hanging) (far int) {
	psnr, _ := byHops(all)
	var guesses []hanging
	for _, h := range all {
		guesses = append(guesses, blind(h))
	}
	guess, _ := byHops(guesses)
	for far < len(psnr) && psnr[far] > guess[far] {
		far++
	}
	return far
}

// lineOfImages reproduces 002 Figures 4.4(a) and 4.6: the end of a line of 31 attacks.
func lineOfImages() Study {
	run := func(nodes, runs int) func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			return imagesByDistance(ctx, data, nodes, runs, say)
		}
	}
	return Study{ID: "002-figure-4.6", Title: "Images that the end of a line of 31 nodes reconstructs from D-GD, by distance",
		Source: "002 Figures 4.4(a) and 4.6",
		Data:   "cifar10/cifar10_train_first4000.bin", compute: run(31, 20), quick: run(21, 1)}
}

func imagesByDistance(ctx context.Context, data string, nodes, runs int, say func(string)) (*Findings, error) {
	f := &Findings{}
	table := Table{Name: "table", Header: []string{"distance", "PSNR as published", "PSNR refined"}}
	var hung [2][]hanging // as published, and refined
	g := gallery{graph: fmt.Sprintf("line:%d", nodes), steps: nodes, rate: 1e-5, attackers: []int{0}}
	images := rowsPanel(fmt.Sprintf("images of run 1, %s", g.graph), "distance in hops", "true", "as published", "refined")
	for k, published := range []bool{true, false} {
		for seed := range runs {
			if g.seen = nil; seed == 0 {
				g.seen = images.inRow(g, 1+k, byDistanceOf)
			}
			one, err := g.show(ctx, data, uint64(seed+1), published)
			if err != nil {
				return nil, err
			}
			hung[k] = append(hung[k], one...)
		}
		_, far := byHops(hung[k])
		say(fmt.Sprintf("%d runs: recognisable up to distance %d", runs, far))
	}
	printed, _ := byHops(hung[0])
	refined, _ := byHops(hung[1])
	for d := range printed {
		table.Rows = append(table.Rows, []string{fmt.Sprint(d + 1), number(printed[d]), number(refined[d])})
	}
	f.Tables, f.Charts = []Table{table}, []Chart{{"figure", []Panel{psnrPanel(g.graph, psnrLine("as published", printed), psnrLine("refined", refined))}}, {"images", []Panel{*images}}}
	f.judge(&hung, func() []Check { return imagesChecks(nodes, hung[0], hung[1]) })
	return f, nil
}

func imagesChecks(nodes int, printed, refined []hanging) []Check {
	psnr, far := byHops(printed)
	better, _ := byHops(refined)
	above, end := aboveGuess(printed), nodes-2
	return []Check{
		{farImages(nodes), AsPublished, within(float64(far), 28, 3) || far == nodes-1 && far < 28,
			fmt.Sprintf("mean PSNR of 10 or more up to distance %d of %d", far, nodes-1)},
		{"images are less well reconstructed the further away they are", AsPublished, psnr[0] > psnr[9] && psnr[9] > psnr[end],
			fmt.Sprintf("PSNR %.3g, %.3g and %.3g at distances 1, 10 and %d", psnr[0], psnr[9], psnr[end], nodes-1)},
		{farImages(nodes), WhatIsTrue, within(float64(above), 28, 3) || above == nodes-1 && above < 28,
			fmt.Sprintf("mean PSNR above that of a guess, the mean of all images, up to distance %d of %d", above, nodes-1)},
		{"attackers who run the protocol with what they have found do better", WhatIsTrue, better[9] > psnr[9]+10,
			fmt.Sprintf("PSNR at distance 10: %.3g, refined %.3g", psnr[9], better[9])},
	}
}

// psnrPanel draws PSNRs by distance.
func psnrPanel(title string, lines ...Line) Panel {
	return Panel{Title: title, X: "distance in hops", Y: "PSNR", Lines: lines, Linear: true}
}

// psnrLine is the line of PSNRs at distances 1, 2 and so on.
func psnrLine(name string, psnr []float64) Line {
	l := Line{Name: name, Y: psnr}
	for k := range psnr {
		l.X = append(l.X, float64(k+1))
	}
	return l
}

// farImages returns the claim for a line of nodes nodes.
func farImages(nodes int) string { return asFar("informative reconstruction", 28, nodes) }

// florentineImages reproduces 002 Figure 4.5: all nodes attack in turn.
func florentineImages() Study {
	run := func(runs int, attackers []int) func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			return everybodysImages(ctx, data, runs, attackers, say)
		}
	}
	return Study{ID: "002-figure-4.5", Title: "Images that each Florentine family reconstructs from D-GD", Source: "002 Figures 4.5 and A.4",
		Data: "cifar10/cifar10_train_first4000.bin", compute: run(10, everyone(families)), quick: run(1, []int{0, middle, 13})}
}

// families is the number of nodes of the Florentine graph.
const families = 15

// recognition holds the share of the others' images that each attacker recognises.
type recognition struct {
	published, refined []float64
	learnt, guessed    []float64 // published ones that are closer than a guess; and the result of a guess without messages
}

func everybodysImages(ctx context.Context, data string, runs int, attackers []int, say func(string)) (*Findings, error) {
	var r recognition
	d, err := newDetail(attackers)
	if err != nil {
		return nil, err
	}
	for k, published := range []bool{true, false} {
		by := make([][]hanging, len(attackers))
		for seed := range runs {
			g := gallery{graph: "florentine", steps: 8, rate: 1e-5, attackers: attackers}
			if seed == 0 {
				g.seen = d.viewing(g, 1+k)
			}
			all, err := g.show(ctx, data, uint64(seed+1), published)
			if err != nil {
				return nil, err
			}
			for v := range by {
				by[v] = append(by[v], all[(families-1)*v:(families-1)*(v+1)]...)
			}
		}
		r.count(by, published)
		say(fmt.Sprintf("as published %v, of %d attackers", published, len(attackers)))
	}
	table := Table{Name: "table", Header: []string{"attacker", "share recognised as published", "nearer than a guess", "by a guess", "refined"}}
	for v, share := range r.published {
		table.Rows = append(table.Rows, []string{fmt.Sprint(attackers[v]), number(share), number(r.learnt[v]), number(r.guessed[v]), number(r.refined[v])})
	}
	lines := []Line{{Name: "as published", Y: r.published}, {Name: "nearer than a guess", Y: r.learnt}, {Name: "refined", Y: r.refined}}
	for k := range lines {
		for _, v := range attackers {
			lines[k].X = append(lines[k].X, float64(v))
		}
	}
	f := &Findings{Tables: []Table{table}, Charts: []Chart{{"figure", []Panel{{Title: "florentine", X: "attacker", Y: "share recognised", Lines: lines, Linear: true}}}}}
	f.Charts = append(f.Charts, d.charts(r.published)...)
	f.judge(&r, func() []Check { return recognitionChecks(r) })
	return f, nil
}

func (r *recognition) count(by [][]hanging, published bool) {
	for _, all := range by {
		if !published {
			r.refined = append(r.refined, share(all, recognised))
			continue
		}
		r.published = append(r.published, share(all, recognised))
		r.learnt = append(r.learnt, share(all, learnt))
		r.guessed = append(r.guessed, share(all, guessed))
	}
}

// half counts the attackers with at least half of the others.
func half(shares []float64) (count int) {
	for _, s := range shares {
		if s >= 0.5 {
			count++
		}
	}
	return count
}

func recognitionChecks(r recognition) []Check {
	const claim = "most nodes can reconstruct a large proportion of other nodes with very good visual accuracy"
	better := len(r.published) > 0
	for v, share := range r.published {
		better = better && r.refined[v] >= share-0.1
	}
	most, nearer := half(r.published), half(r.learnt)
	return []Check{
		{claim, AsPublished, 2*most > len(r.published), fmt.Sprintf("%d of %d recognise half of the others or more", most, len(r.published))},
		{claim, WhatIsTrue, 2*nearer > len(r.learnt),
			fmt.Sprintf("%d of %d have half of the others or more nearer than a guess, the mean of all images", nearer, len(r.learnt))},
		{"a PSNR of 10 tells an image that was reconstructed from one that was guessed", WhatIsTrue, len(r.guessed) > 0 && mean(r.guessed) < 0.5,
			fmt.Sprintf("the mean of all images has 10 or more for %.3g of them", mean(r.guessed))},
		{"attackers who run the protocol with what they have found do at least as well", WhatIsTrue, better,
			fmt.Sprintf("mean share %.3g, refined %.3g", mean(r.published), mean(r.refined))},
	}
}

// learningRates reproduces 002 Figure A.6.
func learningRates() Study {
	run := func(runs int, rates ...float64) func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			return imagesByRate(ctx, data, runs, rates, say)
		}
	}
	return Study{ID: "002-figure-a.6", Title: "Learning rate and images reconstructed from D-GD on the Florentine graph", Source: "002 Figure A.6",
		Data: "cifar10/cifar10_train_first4000.bin", compute: run(4, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2), quick: run(1, 1e-6, 1e-2)}
}

// middle is the attacker of Figure A.6: Medici, with the most neighbours.
const middle = 8

func imagesByRate(ctx context.Context, data string, runs int, rates []float64, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"learning rate", "PSNR at distance 1", "2", "3", "at distance 2 refined"}}
	var second, refined []float64 // PSNR at distance 2, by rate
	panel := Panel{Title: "florentine, one attacker", X: "logarithm of the learning rate", Y: "PSNR", Linear: true,
		Lines: []Line{{Name: "distance 1"}, {Name: "distance 2"}, {Name: "distance 3"}, {Name: "distance 2, refined", Dashed: true}}}
	for _, rate := range rates {
		var all, better []hanging
		for seed := range runs {
			g := gallery{graph: "florentine", steps: 8, rate: rate, attackers: []int{middle}}
			for _, published := range []bool{true, false} {
				hung, err := g.show(ctx, data, uint64(seed+1), published)
				if err != nil {
					return nil, err
				}
				if published {
					all = append(all, hung...)
				} else {
					better = append(better, hung...)
				}
			}
		}
		psnr, _ := byHops(all)
		after, _ := byHops(better)
		second, refined = append(second, psnr[1]), append(refined, after[1])
		row := []string{number(rate)}
		for k, p := range append(psnr[:3:3], after[1]) {
			panel.Lines[k].X, panel.Lines[k].Y = append(panel.Lines[k].X, math.Log10(rate)), append(panel.Lines[k].Y, p)
		}
		for _, p := range psnr[:3] {
			row = append(row, number(p))
		}
		table.Rows = append(table.Rows, append(row, number(after[1])))
		say(fmt.Sprintf("learning rate %g: PSNR %.3g at distance 2", rate, psnr[1]))
	}
	f, by := &Findings{Tables: []Table{table}, Charts: []Chart{{"figure", []Panel{panel}}}}, [2][]float64{second, refined}
	f.judge(&by, func() []Check { return ratesChecks(rates, by[0], by[1]) })
	return f, nil
}

func ratesChecks(rates, second, refined []float64) []Check {
	end := len(rates) - 1
	return []Check{
		{"reconstructions become worse as the learning rate grows", AsPublished, second[end] < second[0]-10,
			fmt.Sprintf("PSNR at distance 2: %.3g at %g, %.3g at %g", second[0], rates[0], second[end], rates[end])},
		{"a large learning rate makes accurate reconstructions impossible", WhatIsTrue, refined[end] < gradientinversion.Recognised,
			fmt.Sprintf("PSNR at distance 2 and learning rate %g: %.3g, refined %.3g", rates[end], second[end], refined[end])},
	}
}
