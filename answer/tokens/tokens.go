package tokens

import (
	"context"
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Question holds the settings of `hearsay attack walk`.
type Question struct {
	form.SpecQuestion
	Attackers []string
	Each      bool
	Sees      string
	Runs      int
}

// Answer opens the spec and attacks it.
func (f *Question) Answer(s *spec.Spec) (*Answer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	ctx, err := f.Watched()
	if err != nil {
		return nil, err
	}
	priced, carriage, err := openCarriage(ctx, s, f.Say)
	if err != nil {
		return nil, err
	}
	knows, err := f.knowledge(carriage)
	if err != nil {
		return nil, err
	}
	sets, err := exposure.AttackerSets(priced.Holdings, f.Attackers, f.Each)
	if err != nil {
		return nil, err
	}
	w := &walkAttack{Priced: priced, carriage: carriage, sets: sets, knows: knows, runs: f.Runs, say: f.Say, pulse: terminal.PulseOf(f.Stderr)}
	answer, err := form.Within(ctx, func() (*Answer, error) { return w.audit(ctx) })
	if err != nil {
		return nil, err
	}
	return answer, f.Out.Write(ctx, f.Say, answer, func(out io.Writer) error { return writeWalkPage(out, answer) })
}

func (f *Question) check() error {
	if f.Runs < 0 {
		return fault.New(fmt.Sprintf("--runs %d: there are no such routes", f.Runs), "give 0 or more; a thousand say something")
	}
	return f.Out.Check()
}

// unaskedPairs is the largest number of nodes for which all pairs are priced. Beyond it only shown pairs are priced, by
// laws of their own.
const unaskedPairs = 512

// openCarriage opens a spec, sets its noise and prices its pairs. For a federation it uses public data only.
func openCarriage(ctx context.Context, s *spec.Spec, say func(string)) (*experiment.Priced, *family.Carriage, error) {
	if s.Federated() {
		priced, err := experiment.OpenPublic(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		c, err := carriageOf(priced.Algorithm)
		return priced, c, err
	}
	opened, err := experiment.Open(ctx, s, say)
	if err != nil {
		return nil, nil, err
	}
	if _, err := carriageOf(opened.Algorithm); err != nil {
		return nil, nil, err
	}
	price := opened.Price
	if s.Nodes > unaskedPairs || opened.Spec.Nodes > unaskedPairs {
		price = opened.PriceSome
	}
	priced, err := price(ctx, say)
	if err != nil {
		return nil, nil, err
	}
	c, err := carriageOf(priced.Algorithm)
	return priced, c, err
}

// carriageOf returns the attackers' knowledge of the tokens of an algorithm.
func carriageOf(a family.Algorithm) (*family.Carriage, error) {
	carrier, ok := a.(family.Carrier)
	if !ok {
		return nil, fault.New(fmt.Sprintf("algorithm.kind: %s hands no token on, and this attack is on walks", a.Of().Spec.Algorithm.Kind),
			"use a walk or a sum, or hearsay attack gradients for gossip")
	}
	return carrier.Carriage()
}

// knowledge returns the attackers' knowledge of the path.
func (f *Question) knowledge(c *family.Carriage) (walklikelihood.Knowledge, error) {
	real := walklikelihood.Ends
	if c.Walk == nil {
		real = walklikelihood.Route
	}
	switch f.Sees {
	case "":
		return real, nil
	case "route":
		return walklikelihood.Route, nil
	case "ends", "hops":
		if c.Walk == nil {
			return 0, fault.New(fmt.Sprintf("--sees %s: on this route everybody knows who has which turn", f.Sees), "leave it out")
		}
		if f.Sees == "ends" {
			return walklikelihood.Ends, nil
		}
		return walklikelihood.Hops, nil
	}
	return 0, fault.New(fmt.Sprintf("--sees %.20q: there is no such knowledge", f.Sees), "use route, ends or hops")
}
