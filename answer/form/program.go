package form

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/trainer"
)

// A Program holds the user's settings of the program that computes a spec's external model.
type Program struct {
	Command   string // "": no program
	Processes int    // 0: one
}

// Attach starts the program that computes the external model of a spec, checks it against the spec and sets it in the spec. The
// caller must call end.
func (p Program) Attach(ask Asker, s *spec.Spec) (end func(), err error) {
	all := Programs{Program: p}
	if err := all.Attach(ask, s); err != nil {
		return nil, err
	}
	return all.Close, nil
}

// Programs holds the programs of several specs, such as the cells of a sweep. It starts one program for each seed. It is safe for
// concurrent use.
type Programs struct {
	Program
	one  sync.Mutex
	open map[uint64]*trainer.Crew
}

// Attach sets the program of the spec's seed in a spec with an external model. It starts the program if needed. It returns an
// error if the program does not match the spec, or if only one of the two asks for a program.
func (p *Programs) Attach(ask Asker, s *spec.Spec) error {
	switch {
	case p.Command == "" && p.Processes > 0:
		return fault.New("--models needs a program, and none is given", "give one with --model, such as --model 'python3 my_model.py'")
	case p.Command == "" && s.External():
		return fault.New(fmt.Sprintf("model.kind: external, and no program answers for %s: a spec names none", s.Model.Name),
			"say which with --model, such as --model 'python3 my_model.py'")
	case p.Command == "":
		return nil
	case !s.External():
		return fault.New(fmt.Sprintf("--model: the spec's model is of kind %s, which Hearsay computes itself", s.Model.Kind), "leave --model out, or use model.kind: external")
	}
	t, err := p.of(ask, s)
	if err != nil {
		return err
	}
	if err := holdTo(s, t.Hello()); err != nil {
		return err
	}
	s.Model.Program = t
	return nil
}

// of returns the program that was started with the seed of a spec. It starts the program if there is none.
func (p *Programs) of(ask Asker, s *spec.Spec) (*trainer.Crew, error) {
	p.one.Lock()
	defer p.one.Unlock()
	if t := p.open[s.Seed]; t != nil {
		return t, nil
	}
	fmt.Fprintln(ask.Stderr, "starting the program that answers for "+s.Model.Name)
	t, err := trainer.OpenCrew(ask.Context, trainer.Options{Command: p.Command, Seed: s.Seed, Stderr: ask.Stderr}, max(1, p.Processes))
	if err != nil {
		return nil, err
	}
	if p.open == nil {
		p.open = map[uint64]*trainer.Crew{}
	}
	p.open[s.Seed] = t
	return t, nil
}

// Close ends all programs.
func (p *Programs) Close() {
	p.one.Lock()
	defer p.one.Unlock()
	for _, t := range p.open {
		t.Close()
	}
}

// holdTo returns an error if the program's name, layout, rows or initial parameters differ from those in the spec.
func holdTo(s *spec.Spec, h trainer.Hello) error {
	m, d := s.Model, s.Data
	hint := "run the program that the spec was written for, or write what this one says into the spec: hearsay model check --model PROGRAM prints the block"
	for _, c := range []struct {
		key       string
		want, got any
	}{
		{"model.name", m.Name, h.Name}, {"model.parameters", m.Parameters, h.Layout.Parameters()}, {"model.layout", m.Layout, h.Layout.Digest()},
		{"data.train_rows", d.TrainRows, h.TrainRows}, {"data.test_rows", d.TestRows, h.TestRows},
	} {
		if s.Federated() && strings.HasPrefix(c.key, "data.") { // each program has rows of its own
			continue
		}
		if c.want != c.got {
			return fault.New(fmt.Sprintf("%s: the spec says %v, and the program %v", c.key, c.want, c.got), hint)
		}
	}
	if m.Initial != "" && m.Initial != h.Begin {
		return fault.New(fmt.Sprintf("model.initial: the spec begins with %.23s..., and the program with %.23s...", m.Initial, h.Begin),
			"have the program begin with the same numbers every time: torch.manual_seed before the module is made, or weights from a file")
	}
	return nil
}
