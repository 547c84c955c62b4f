package dossier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family/gossip"
	"github.com/hearsay-dp/hearsay/model"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/sim"
)

// exposureWork is how many multiplications views of single participants may take together,
// some seconds.
const exposureWork = 2e9

// expose says who could reconstruct whom if nobody added noise.
func (d *Dossier) expose(ctx context.Context, p *experiment.Priced, o Options) error {
	if p.Graph == nil {
		d.Without = Exposure{How: "This kind has one place that is shown everything: without noise it has all data as they are."}
		return nil
	}
	if g, ok := p.Algorithm.(*gossip.Algorithm); ok {
		return d.exposeGossip(ctx, p, g, o)
	}
	kind, near := p.Spec.Algorithm.Kind, neighbours(p)
	switch {
	case strings.HasPrefix(kind, "ring-"):
		d.Without.How = "On a ring the one before a participant and the one after it compare what they saw, and hold what it gave exactly, if nobody adds noise. Nobody alone can: others see what several gave together."
		near = func(int) []int { return nil }
	case kind == "admm-federated":
		d.Without.How = "Without noise the participant who sums is shown every change as it is."
	default:
		d.Without.How = "A message carries what all before it have added. Without noise whoever has it right before a participant's turn and right after it subtracts, and holds what that participant added exactly: " +
			"a neighbour to whom it comes back can alone, two neighbours who hand it over and take it can together. Others see what several added together."
	}
	if p.Spec.Nodes <= mostListed {
		d.list(p, p.Spec.Nodes, near)
	}
	return nil
}

// neighbours are those of each participant.
func neighbours(p *experiment.Priced) func(u int) []int {
	return func(u int) (all []int) {
		for _, v := range p.Neighbours(u) {
			all = append(all, int(v))
		}
		return all
	}
}

// mostListed is the most participants whose exposure is listed one by one.
const mostListed = 4096

// exposeGossip is exact: what the messages single out.
func (d *Dossier) exposeGossip(ctx context.Context, p *experiment.Priced, g *gossip.Algorithm, o Options) error {
	what, first := "its value", ""
	if _, averages := p.Objective.Model.(model.Mean); !averages || p.Spec.Algorithm.Kind != "gossip" {
		what, first = "its first gradient", " (of later rounds as far as gradients do not change)"
	}
	d.Without = Exposure{Exact: true, How: fmt.Sprintf("Without noise every neighbour is sent what a participant begins with, %s, as it is%s; whoever else is listed could "+
		"work it out from the messages that reach it, by solving linear equations. hearsay attack does it.", what, first)}
	n, near := p.Spec.Nodes, neighbours(p)
	if n > mostListed {
		return nil
	}
	beyond, err := reconstructed(ctx, p, g, o)
	if err != nil {
		return err
	}
	if beyond == nil {
		d.Without.Missing = "Who could beyond neighbours was not worked out: that would take too long, or the graph changes from turn to turn."
	}
	d.list(p, n, func(u int) []int {
		who := near(u)
		if beyond != nil {
			who = append(who, beyond[u]...)
		}
		slices.Sort(who)
		return slices.Compact(who)
	})
	return nil
}

// reconstructed are, of each node, those who single it out alone; nil where that was not
// worked out.
func reconstructed(ctx context.Context, p *experiment.Priced, g *gossip.Algorithm, o Options) ([][]int, error) {
	n := p.Spec.Nodes
	if size := float64(n); g.Changes() || size*size*size*size > exposureWork {
		return nil, nil
	}
	run, err := g.Simulation(p.Spec.Seed)
	if err != nil {
		return nil, err
	}
	accountant, err := gossiploss.New(run.Weights.Matrix(0), int(p.Algorithm.Turns()))
	if err != nil {
		return nil, nil // nothing is known of such weights
	}
	o.say("working out who could reconstruct whom without the noise")
	by := make([][]int, n)
	err = sim.Each(ctx, n, 1, func(_ context.Context, v int) error {
		view, err := accountant.View([]int{v})
		if err == nil {
			by[v] = view.Reconstructed()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	of := make([][]int, n)
	for v, found := range by {
		for _, u := range found {
			if u != v {
				of[u] = append(of[u], v)
			}
		}
	}
	return of, nil
}

// list says of each participant who could, most exposed first.
func (d *Dossier) list(p *experiment.Priced, n int, who func(u int) []int) {
	for u := range n {
		alone := who(u)
		if len(alone) == 0 {
			d.Without.Nobody++
			continue
		}
		e := Exposed{Name: plainName(p, u), Count: len(alone)}
		for _, v := range alone[:min(len(alone), mostNames)] {
			e.Alone = append(e.Alone, plainName(p, v))
		}
		d.Without.Each = append(d.Without.Each, e)
	}
	slices.SortStableFunc(d.Without.Each, func(a, b Exposed) int { return b.Count - a.Count })
	d.Without.Each = d.Without.Each[:min(len(d.Without.Each), mostRows)]
}

// plainName is a participant's name, or what a node is called.
func plainName(p *experiment.Priced, u int) string {
	if p.Spec.Federated() {
		return p.Names()[u]
	}
	return p.Name(u)
}
