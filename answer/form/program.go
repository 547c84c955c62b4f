package form

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/trainer"
)

// Attach starts the program that answers for the external model of a spec, holds it to what the spec says of it, and has
// the spec know it. command is what the person who runs it gave, "" where nothing was given. The program is to be ended.
func Attach(ask Asker, s *spec.Spec, command string) (end func(), err error) {
	switch {
	case command == "" && s.External():
		return nil, fault.New(fmt.Sprintf("model.kind: external, and no program answers for %s: a spec names none", s.Model.Name),
			"say which with --model, such as --model 'python3 my_model.py'")
	case command == "":
		return func() {}, nil
	case !s.External():
		return nil, fault.New(fmt.Sprintf("--model: the spec's model is of kind %s, which Hearsay computes itself", s.Model.Kind), "leave --model out, or use model.kind: external")
	}
	fmt.Fprintln(ask.Stderr, "starting the program that answers for "+s.Model.Name)
	t, err := trainer.Open(ask.Context, trainer.Options{Command: command, Seed: s.Seed, Stderr: ask.Stderr})
	if err != nil {
		return nil, err
	}
	if err := holdTo(s, t.Hello()); err != nil {
		t.Close()
		return nil, err
	}
	s.Model.Program = t
	return t.Close, nil
}

// holdTo reports a program that is not the one that a spec was written for.
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
