package pair

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/web"
)

// An explainer explains pairs for the dashboard, as hearsay privacy explain does. It keeps the last run,
// because pricing all pairs takes longer than one explanation.
type explainer struct {
	allowed []string // folders whose files may be read because a run's spec names them

	mu    sync.Mutex
	key   string // folder and spec of setup
	setup *experiment.Priced
}

// NewExplainer returns an explainer of runs whose files lie in the folders allowed.
func NewExplainer(allowed []string) *explainer { return &explainer{allowed: allowed} }

// Explain describes in words how much one node of a run could tell about another.
func (x *explainer) Explain(ctx context.Context, a web.Ask, say func(string)) (*web.Explanation, error) {
	setup, err := x.open(ctx, a.Dir, say)
	if err != nil {
		return nil, err
	}
	say("putting it into words")
	var e *family.Explanation
	err = experiment.Within(ctx, func() (err error) {
		e, err = setup.Explain(a.About, a.Observer)
		return err
	})
	if err != nil {
		return nil, hinted(err)
	}
	var text []web.Paragraph
	for _, p := range e.Text {
		text = append(text, web.Paragraph{Heading: p.Heading, Text: p.Text})
	}
	return &web.Explanation{Text: text}, nil
}

// open prices the pairs of the run in a folder.
func (x *explainer) open(ctx context.Context, dir string, say func(string)) (*experiment.Priced, error) {
	path := filepath.Join(dir, "spec.yaml")
	s, err := experiment.Load(path)
	if err != nil {
		return nil, hinted(err)
	}
	if err := x.CheckFiles(s, dir); err != nil {
		return nil, err
	}
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if key := dir + "\x00" + string(text); x.key != key {
		setup, err := experiment.OpenForPairs(ctx, s, say)
		if err != nil {
			return nil, hinted(err)
		}
		x.key, x.setup = key, setup
	}
	return x.setup, nil
}

// CheckFiles returns an error if a spec names a file outside the allowed folders. A foreign folder must
// not choose the files that this machine reads.
func (x *explainer) CheckFiles(s *spec.Spec, dir string) error {
	for _, name := range experiment.Files(s) {
		if name == "" || x.allows(name) {
			continue
		}
		return fault.New(fmt.Sprintf("To explain, the run is priced again, from %s, which is in none of the folders that are shown. "+
			"Start the server with --data %s, or run: hearsay privacy explain %s --about U --observer V",
			name, filepath.Dir(name), filepath.Join(dir, "spec.yaml")), "")
	}
	return nil
}

// allows reports whether a file is below one of the allowed folders after links are resolved.
func (x *explainer) allows(name string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	for _, folder := range x.allowed {
		whole, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		if whole, err = filepath.EvalSymlinks(whole); err != nil {
			continue
		}
		if inside, err := filepath.Rel(whole, real); err == nil && filepath.IsLocal(inside) {
			return true
		}
	}
	return false
}

// hinted returns an error with its hint in one line.
func hinted(err error) error {
	if hint := fault.Hint(err); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}
