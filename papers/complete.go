package papers

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/report"
)

// Sums on the complete graph: turns a node, and the delta of the figures' curves. The papers do not say how delta is
// divided; here every part is delta.
const (
	turnsEach    = 100
	completeWalk = 10 // number of drawn walks
	figureDelta  = 1e-6
)

// figure71a reproduces 002 Figure 7.1(a): the full bound of Theorem 7.1 beside the local one, by the number of nodes,
// for a bounded and for a fixed number of contributions.
func figure71a() Study {
	s := Study{ID: "002-figure-7.1a", Title: "Bounds of network and local losses of real summation on the complete graph",
		Source: "002 Figure 7.1(a)"}
	s.compute = boundsOfSums{nodes: []int{10, 20, 30, 50, 100, 200, 500, 1000}, local: 0.5, sound: 100}.run
	s.quick = boundsOfSums{nodes: []int{10, 20, 50, 200, 1000}, local: 0.5, sound: 20}.run
	return s
}

// boundsOfSums prices sums over various numbers of nodes, for contributions with a given local loss. Up to sound nodes
// it also computes the true loss of the same noise.
type boundsOfSums struct {
	nodes []int
	local float64
	sound int
}

func (b boundsOfSums) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	f := &Findings{Tables: []Table{{Name: "bounds", Header: []string{"nodes", "network", "local", "network, fixed", "local, fixed",
		"sound", "sound, local"}}}}
	panel := Panel{Title: fmt.Sprintf("T = %d n, local loss %g of a contribution", turnsEach, b.local), X: "nodes", Y: "epsilon"}
	lines := []Line{{Name: "network"}, {Name: "local"}, {Name: "network, fixed contributions"}, {Name: "local, fixed contributions"},
		{Name: "sound network"}}
	var priced pricedSums
	for _, n := range b.nodes {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := sums.Complete{Nodes: n, Turns: turnsEach * n}
		network, err := c.Published(b.local, figureDelta, figureDelta, figureDelta)
		if err != nil {
			return nil, err
		}
		visits, _ := privacy.CountUpper(c.Turns, 1/float64(n), figureDelta)
		row := []float64{network.Epsilon, privacy.AdvancedComposition(visits, b.local, figureDelta),
			printedCycles(2*turnsEach, b.local, n), privacy.AdvancedComposition(turnsEach, b.local, figureDelta)}
		if n <= b.sound {
			exact, local, err := b.soundAt(c)
			if err != nil {
				return nil, err
			}
			row = append(row, exact, local)
			priced.exact, priced.local = append(priced.exact, exact), append(priced.local, local)
		}
		cells := []string{fmt.Sprint(n)}
		for i, x := range row {
			cells = append(cells, decimal(x))
			if i < len(lines) {
				lines[i].X, lines[i].Y = append(lines[i].X, float64(n)), append(lines[i].Y, x)
			}
		}
		for len(cells) < len(f.Tables[0].Header) {
			cells = append(cells, "")
		}
		f.Tables[0].Rows = append(f.Tables[0].Rows, cells)
		priced.gains = append(priced.gains, row[1]/row[0])
		say(fmt.Sprintf("n=%d: network %.3g, local %.3g", n, row[0], row[1]))
	}
	panel.Lines = lines
	f.Charts = []Chart{{"bounds", []Panel{panel}}}
	f.judge(&priced, func() []Check { return b.checks(priced) })
	return f, nil
}

// printedCycles returns the bound of Theorem 7.1 for a known number of cycles.
func printedCycles(k, eps float64, nodes int) float64 {
	each := 3 * eps / math.Sqrt(float64(nodes))
	return float64(math.Sqrt(2*k*-math.Log(figureDelta))*each) + float64(math.Sqrt(k)*eps*math.Expm1(each))
}

// soundAt returns the true loss of contributions with the classical Gaussian mechanism's noise, at 3 delta in total,
// and the local loss of the same contributions.
func (b boundsOfSums) soundAt(c sums.Complete) (network, local float64, err error) {
	sigma, m := math.Sqrt(2*math.Log(1.25/figureDelta))/b.local, privacy.Metric{Delta: 3 * figureDelta, Conversion: privacy.Tightest}
	network, _, err = c.Sound(sigma, m)
	visits := privacy.BinomialUpper(c.Turns, 1/float64(c.Nodes), figureDelta)
	return network, privacy.GaussianLoss(float64(visits), sigma, privacy.Metric{Delta: 2 * figureDelta}), err
}

// pricedSums holds losses by number of nodes: local over network as printed, and the true ones for the smallest
// numbers.
type pricedSums struct{ gains, exact, local []float64 }

func (b boundsOfSums) checks(p pricedSums) []Check {
	from20, grows, sound, pairs := true, true, true, ""
	for i, n := range b.nodes {
		from20 = from20 && (n < 20 || p.gains[i] > 1)
		grows = grows && (i == 0 || p.gains[i] > p.gains[i-1])
		if i < len(p.exact) {
			sound = sound && (n < 20 || p.exact[i] < p.local[i])
			pairs += fmt.Sprintf("n=%d: %.3g against %.3g; ", n, p.exact[i], p.local[i])
		}
	}
	measured := fmt.Sprintf("local over network loss %.3g at %v nodes", p.gains, b.nodes)
	return []Check{
		{"Theorem 7.1 improves upon local DP as soon as n >= 20", AsPublished, from20, measured},
		{"the gains become more significant as n increases", AsPublished, grows, measured},
		{"the sound loss is below the local one from 20 nodes on", WhatIsTrue, sound, pairs},
	}
}

// figure71b reproduces 002 Figure 7.1(b), and figureD1 Figure D.1: losses of pairs on drawn walks, beside the local
// one.
func figure71b() Study {
	s := Study{ID: "002-figure-7.1b", Title: "Losses of pairs on walks that were drawn, real summation on the complete graph",
		Source: "002 Figure 7.1(b)"}
	s.compute = drawnWalks{nodes: []int{10, 20, 50, 100, 200}, walks: completeWalk, charge: chargedSum(0.5)}.run
	s.quick = drawnWalks{nodes: []int{10, 20, 50}, walks: 2, charge: chargedSum(0.5)}.run
	return s
}

func figureD1() Study {
	s := Study{ID: "002-figure-d.1", Title: "Losses of pairs on walks that were drawn, histograms on the complete graph", Source: "002 Figure D.1"}
	s.compute = drawnWalks{nodes: []int{20, 50, 100, 200}, walks: 2, charge: chargedHistogram(0.5)}.run
	s.quick = drawnWalks{nodes: []int{20, 50}, walks: 1, charge: chargedHistogram(0.5)}.run
	return s
}

// A chargedWalk holds the losses of pairs as printed, if there is a formula, and the true ones. It also holds the local
// loss of all contributions of a node.
type chargedWalk struct {
	printed, sound    *sums.PairValues
	local, soundLocal float64
}

// drawnWalks prices drawn walks of turnsEach turns a node.
type drawnWalks struct {
	nodes  []int
	walks  int
	charge func(sums.ActualWalk) (chargedWalk, error)
}

func (d drawnWalks) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	f := &Findings{Tables: []Table{{Name: "losses", Header: []string{"nodes", "curve", "status", "mean", "least", "most", "local"}}}}
	panel := Panel{Title: fmt.Sprintf("T = %d n, mean, least and most of all pairs and %d walks", turnsEach, d.walks), X: "nodes", Y: "epsilon"}
	lines := map[string]*Line{"network, printed": {Name: "network, printed"}, "network, sound": {Name: "network, sound"},
		"local": {Name: "local", Dashed: true}}
	var gains, trueGains []float64
	for _, n := range d.nodes {
		var printed, sound sums.Spread
		var local, soundLocal float64
		for k := range d.walks {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c, err := d.charge(sums.DrawWalk(n, turnsEach*n, rand.New(rand.NewPCG(1, uint64(k)))))
			if err != nil {
				return nil, err
			}
			if c.printed != nil {
				printed.Add(c.printed, privacy.Claim{})
			}
			sound.Add(c.sound, privacy.Claim{})
			local, soundLocal = local+c.local/float64(d.walks), soundLocal+c.soundLocal/float64(d.walks)
		}
		d.row(f, lines, n, "network, sound", report.Sound, &sound, soundLocal)
		if trueGains = append(trueGains, soundLocal/sound.Mean()); printed.Walks > 0 {
			d.row(f, lines, n, "network, printed", report.Published, &printed, local)
			gains = append(gains, local/printed.Mean())
		}
		lines["local"].X, lines["local"].Y = append(lines["local"].X, float64(n)), append(lines["local"].Y, soundLocal)
		say(fmt.Sprintf("n=%d: mean %.3g, local %.3g", n, sound.Mean(), soundLocal))
	}
	for _, name := range []string{"network, printed", "network, sound", "local"} {
		if len(lines[name].X) > 0 {
			panel.Lines = append(panel.Lines, *lines[name])
		}
	}
	f.Charts = []Chart{{"losses", []Panel{panel}}}
	if gains != nil {
		f.judge(&gains, func() []Check { return d.gain("as charged in print", AsPublished, gains) })
	}
	f.judge(&trueGains, func() []Check { return d.gain("as it is", WhatIsTrue, trueGains) })
	return f, nil
}

func (d drawnWalks) row(f *Findings, lines map[string]*Line, n int, name string, status report.Status, s *sums.Spread, local float64) {
	f.Tables[0].Rows = append(f.Tables[0].Rows, []string{fmt.Sprint(n), name, string(status), decimal(s.Mean()), decimal(s.Least),
		decimal(s.Most), decimal(local)})
	l := lines[name]
	l.X, l.Y, l.Low, l.High = append(l.X, float64(n)), append(l.Y, s.Mean()), append(l.Low, s.Least), append(l.High, s.Most)
}

// gain checks the paper's statements about the gap between network and local losses.
func (d drawnWalks) gain(how string, basis Basis, gains []float64) []Check {
	last := len(gains) - 1
	measured := fmt.Sprintf("local over mean network loss %.3g at %v nodes", gains, d.nodes)
	return []Check{
		{"network DP gains over local DP on walks that were drawn, " + how, basis, gains[last] > 1, measured},
		{"the gains grow with the number of nodes, " + how, basis, gains[last] > gains[0], measured},
	}
}

// chargedSum prices sums whose contributions have a given local loss by the classical Gaussian mechanism.
func chargedSum(local float64) func(sums.ActualWalk) (chargedWalk, error) {
	sigma, m := math.Sqrt(2*math.Log(1.25/figureDelta))/local, privacy.Metric{Delta: figureDelta, Conversion: privacy.Tightest}
	return func(w sums.ActualWalk) (c chargedWalk, err error) {
		if c.printed, c.local, _, err = w.Published(local, figureDelta); err != nil {
			return c, err
		}
		if c.sound, _, err = w.Sound(sigma, m); err != nil {
			return c, err
		}
		c.soundLocal, err = w.Local(sigma, m)
		return c, err
	}
}

// chargedHistogram prices histograms of ten values whose answers have a given local loss.
func chargedHistogram(local float64) func(sums.ActualWalk) (chargedWalk, error) {
	r := sums.Respond(10, local)
	return func(w sums.ActualWalk) (c chargedWalk, err error) {
		if c.printed, c.local, _, err = w.PublishedHistogram(r, figureDelta); err != nil {
			return c, err
		}
		if c.sound, _, err = w.SoundHistogram(r, figureDelta); err != nil {
			return c, err
		}
		for _, k := range w.Visits() {
			all, _ := r.LocalEpsilon(k, figureDelta)
			c.soundLocal += all / float64(w.Nodes)
		}
		return c, nil
	}
}
