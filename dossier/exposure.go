package dossier

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
)

// expose adds who could reconstruct whom if nobody added noise.
func (d *Dossier) expose(ctx context.Context, p *experiment.Priced, o Options) error {
	o.say("working out who could reconstruct whom without the noise")
	e, err := family.Exposed(ctx, p.Algorithm)
	if err != nil {
		return err
	}
	d.Without = Exposure{How: e.How, Missing: e.Missing}
	for u, alone := range e.Alone {
		if len(alone) == 0 {
			d.Without.Nobody++
			continue
		}
		one := Exposed{Name: plainName(p, u), Count: len(alone)}
		for _, v := range alone[:min(len(alone), mostNames)] {
			one.Alone = append(one.Alone, plainName(p, v))
		}
		d.Without.Each = append(d.Without.Each, one)
	}
	slices.SortStableFunc(d.Without.Each, func(a, b Exposed) int { return b.Count - a.Count })
	d.Without.Each = d.Without.Each[:min(len(d.Without.Each), mostRows)]
	return nil
}

// plainName returns the name of a participant or node.
func plainName(p *experiment.Priced, u int) string {
	if p.Spec.Federated() {
		return p.Names()[u]
	}
	return p.Name(u)
}
