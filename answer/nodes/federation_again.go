package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/spec"
)

// again returns the names of the participants that continue from the spec of --from, and the graph for that many nodes. The graph
// is "" if the terms keep theirs. names is nil if neither --without nor --with is given.
func (t *TermsQuestion) again(ask form.Asker) (names []string, graph string, err error) {
	if t.Without == nil && t.With == nil {
		return nil, "", nil
	}
	if t.From == "" {
		return nil, "", fault.New("--without and --with change who takes part in a spec", "name it: --from SPEC")
	}
	s, err := form.LoadSpec(ask.Context, t.From)
	if err != nil {
		return nil, "", err
	}
	names = s.Names()
	before := len(names)
	for _, name := range t.Without {
		if !slices.Contains(names, name) {
			return nil, "", fault.New(fmt.Sprintf("--without %s: no participant of %s is called so", name, t.From), strings.TrimSpace(fault.DidYouMean(name, names)+" its participants are "+strings.Join(names, ", ")))
		}
		names = slices.DeleteFunc(names, func(n string) bool { return n == name })
	}
	for _, name := range t.With {
		if slices.Contains(names, name) {
			return nil, "", fault.New(fmt.Sprintf("--with %s: takes part in %s already", name, t.From), "name who is to join")
		}
		names = append(names, name)
	}
	if !slices.Contains(names, t.As) {
		return nil, "", fault.New(fmt.Sprintf("--as %s: is not among those who go on", t.As), strings.TrimSpace(fault.DidYouMean(t.As, names)+" who invites takes part: "+strings.Join(names, ", ")))
	}
	return names, graphOf(s, before, len(names)), nil
}

// goOn makes the model file of --earlier the one that the run begins with. The terms then hold its numbers.
func (t *TermsQuestion) goOn(ctx context.Context, draft *spec.Spec) error {
	two := *draft // the graph of all participants does not stand yet, and the model does not ask for it
	two.Graph = "complete:2"
	h, err := experiment.PublicHoldings(ctx, &two)
	if err != nil {
		return err
	}
	e, simulated, err := experiment.OpenEarlier(t.Earlier, h)
	if err != nil {
		return err
	}
	if simulated {
		return fault.New(fmt.Sprintf("--earlier %s: it is of a simulation, whose noise came from a seed and protects nobody", t.Earlier), "give the model.json of a participant of a real run")
	}
	numbers := asYAML(map[string]any{"spec": e.Spec, "parameters": e.Parameters})
	if most := spec.MostTerms * 3 / 4; len(numbers) > most {
		return fault.New(fmt.Sprintf("--earlier %s: its %d parameters take %d bytes, and terms hold %d of them at most", t.Earlier, len(e.Parameters), len(numbers), most),
			"leave --earlier out and begin anew, or learn a model of at most some 4,500 parameters")
	}
	t.Set = append(t.Set, "model.earlier="+numbers)
	return nil
}

// graphOf returns the spec's graph generator with after nodes instead of before. It returns "", which keeps the graph, if the graph
// is no generator of before nodes.
func graphOf(s *spec.Spec, before, after int) string {
	if name, count, ok := strings.Cut(s.Graph, ":"); ok && count == fmt.Sprint(before) {
		return fmt.Sprintf("%s:%d", name, after)
	}
	return ""
}
