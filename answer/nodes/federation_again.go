package nodes

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/spec"
)

// known sets the names of participants that the flags give, and their graph.
func (t *TermsQuestion) known(ask form.Asker) (err error) {
	graph := ""
	switch {
	case t.Without != nil || t.With != nil:
		t.names, graph, err = t.again(ask)
	case t.From != "":
		t.names, graph, err = onFile(t.From)
		if err == nil && t.names != nil && !slices.Contains(t.names, t.As) {
			err = fault.New(fmt.Sprintf("--as %s: is no node of the graph of %s", t.As, t.From), "who invites takes part: "+strings.Join(t.names, ", "))
		}
	}
	if graph != "" {
		t.Set = append([]string{"graph=" + graph}, t.Set...)
	}
	return err
}

// onFile returns the names of the nodes of the graph file that the spec at path names, and a generator of that graph. Participants
// have no common file. names is nil for a spec without a graph file.
func onFile(path string) (names []string, graph string, err error) {
	text, err := regular.Read(path, spec.Largest)
	if err != nil {
		return nil, "", fault.Wrap(err, "cannot read the spec", "give a spec with --from, or leave it out")
	}
	file, err := spec.GraphOf(text)
	if err != nil || file == "" || file == spec.EdgesGraph || gen.IsExpression(file) {
		return nil, "", err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(path), file)
	}
	g, err := graphfile.Open(file, 1)
	switch {
	case err != nil:
		return nil, "", err
	case g.Directed():
		return nil, "", fault.New(fmt.Sprintf("%s: the graph is directed, and participants exchange messages both ways", file), "give a spec with an undirected graph file, or a generator with --set graph=ring:4")
	}
	for u := range g.Len() {
		names = append(names, g.Label(u))
	}
	return names, gen.Pairs(g), nil
}

// Drafted returns the spec of the federation that `hearsay federation new --from path` begins with these settings, as if all had
// accepted with as many rows.
func Drafted(path string, set []string) (*spec.Spec, error) {
	t := TermsQuestion{From: path}
	names, graph, err := onFile(path)
	if err != nil {
		return nil, err
	}
	t.names, t.Set = names, append([]string{"graph=" + graph}, set...)
	text, _, err := t.terms()
	if err != nil {
		return nil, err
	}
	terms, err := assembly.NewTerms(text, names)
	if err != nil {
		return nil, err
	}
	return terms.Suppose(nil, usualRecords)
}

// again returns the names of the participants that continue from the spec of --from, and the graph for that many nodes. The graph
// is "" if the terms keep theirs.
func (t *TermsQuestion) again(ask form.Asker) (names []string, graph string, err error) {
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
	all := *draft // the graph of all participants does not stand yet, and the model does not ask for it
	all.Graph = fmt.Sprintf("complete:%d", all.Nodes)
	h, err := experiment.PublicHoldings(ctx, &all)
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
	given := map[string]any{"spec": e.Spec, "parameters": e.Parameters}
	if e.Before != nil {
		given["before"] = e.Before
	}
	numbers := asYAML(given)
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
