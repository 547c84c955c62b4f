package dossier

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Recompute verifies as Verify does. It also makes the dossier again from its own spec and the
// facts that a node signed, and compares every field. A field that differs, is missing or is
// unknown is an error that names it. A simulation is run again.
func (f *File) Recompute(ctx context.Context, e Expect, o Options, name string) (*Check, error) {
	c, err := f.verify(e, name)
	if err == nil {
		err = f.recompute(ctx, o, c, name)
	}
	if err == nil {
		err = f.checkPage(c, name) // last, because an error that names a field says more
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (f *File) recompute(ctx context.Context, o Options, c *Check, name string) error {
	s, err := experiment.Parse([]byte(f.Spec), name+", its spec")
	if err != nil {
		return err
	}
	if err := s.ResolvePaths(o.Folder); err != nil {
		return err
	}
	if f.Federated != s.Federated() {
		return damaged(name, "federated: its spec is of another kind than it says")
	}
	o.Asks, o.Said = f.Asks, f.Said // taken over, because no program can check them; signatures cover both
	again, err := f.again(ctx, s, o)
	if err != nil {
		return fault.Wrap(err, name+" cannot be made again", fault.Hint(err))
	}
	said, err := f.Dossier.plain()
	if err != nil {
		return err
	}
	found, err := again.plain()
	if err != nil {
		return err
	}
	compared, apart := compare("", said, found, alike)
	if apart != nil {
		return fault.New(fmt.Sprintf("%s: %s", name, apart.worked()), "do not rely on it; have its owner make it again with this release")
	}
	c.Compared = compared
	c.Recomputed = fmt.Sprintf("%d numbers were worked out again from the spec in it, and are the same, as all its texts are", compared)
	if len(f.Said) > 0 {
		c.Recomputed += ", but for what its maker states, which no program can check"
	}
	return nil
}

// again returns the dossier that this release makes of the spec.
func (f *File) again(ctx context.Context, s *spec.Spec, o Options) (*Dossier, error) {
	switch f.About {
	case Planned:
		return Plan(ctx, s, o)
	case Simulated:
		return f.runAgain(ctx, s, o)
	}
	return ofFacts(ctx, s, f.Facts, o) // verify has refused other subjects, and a run without facts
}

// runAgain runs the simulation again and returns its dossier.
func (f *File) runAgain(ctx context.Context, s *spec.Spec, o Options) (*Dossier, error) {
	p, err := experiment.Prepare(ctx, s, o.Say)
	if err != nil {
		return nil, err
	}
	o.say("running the simulation again")
	bundle, err := p.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	if f.Compared {
		if bundle.Result.Baselines, err = p.Compare(ctx, bundle.Result, o.say, nil); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(bundle.Result)
	if err != nil {
		return nil, err
	}
	var r report.Result // as decoded from its file
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	return ofResult(ctx, s, &r, o)
}
