package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/rehearse"
	"github.com/hearsay-dp/hearsay/spec"
)

// readData parses the --data flags into o: one FILE for all participants, or NAME=FILE for each. It also checks the numbers in o.
func readData(o *rehearse.Options, given []string) error {
	o.Files = map[string]string{}
	for _, text := range given {
		name, file, named := strings.Cut(text, "=")
		switch {
		case !named && (o.Pool != "" || len(given) > 1):
			return fault.New("--data: one file for all and another", "give one FILE.csv, or NAME=FILE.csv for each participant that has one")
		case !named:
			o.Pool = text
		case o.Files[name] != "":
			return fault.New(fmt.Sprintf("--data: %s has two files", name), "give each participant one")
		default:
			o.Files[name] = file
		}
	}
	if o.Trials < 0 || o.Rows < 0 || o.LeastGain < 0 || o.LeastGain >= 1 || o.Latency < 0 {
		return fault.New("--trials, --rows, --latency: below 0, or --least-gain not in [0, 1)", "leave them out, or give positive values")
	}
	return nil
}

// policyFiles returns the given policies, or else the files NAME.policy.yaml of participants beside the spec at path.
func policyFiles(s *spec.Spec, path string, given []string) (all []rehearse.PolicyFile) {
	for _, text := range given {
		name, file, named := strings.Cut(text, "=")
		if !named {
			file, name = text, strings.TrimSuffix(filepath.Base(text), ".policy.yaml")
			if s.Number(name) < 0 {
				name = ""
			}
		}
		all = append(all, rehearse.PolicyFile{Participant: name, Path: file})
	}
	if len(given) > 0 {
		return all
	}
	for _, p := range s.Participants {
		file := filepath.Join(filepath.Dir(path), p.Name+".policy.yaml")
		if _, err := os.Stat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
			all = append(all, rehearse.PolicyFile{Participant: p.Name, Path: file})
		}
	}
	return all
}

// rehearsalContext returns the context under which accountants show progress and use a cache. For a federated spec the cache is
// used only if the flag names one.
func rehearsalContext(ask form.Asker, s *spec.Spec, cache form.Cache) (context.Context, error) {
	if !s.Federated() {
		return cache.Watched(ask.Context, ask.Stderr)
	}
	watch, err := cache.Plain(ask.Context, ask.Stderr)
	return experiment.Watching(ask.Context, watch), err
}

func runRehearsal(ask form.Asker, s *spec.Spec, o rehearse.Options, out string, cache form.Cache) error {
	stderr := ask.Stderr
	live := terminal.NewLiveLine(stderr)
	o.Say = func(what string) {
		live.Wipe()
		fmt.Fprintln(stderr, what)
	}
	o.Progress = func(done, total int) {
		live.Count(done, total, func() string { return fmt.Sprintf("%d of %d trials", done, total) })
	}
	ctx, err := rehearsalContext(ask, s, cache)
	if err != nil {
		return err
	}
	r, err := form.Within(ctx, func() (*rehearse.Rehearsal, error) { return rehearse.Run(ctx, s, o) })
	live.Wipe()
	if err != nil {
		return err
	}
	page, err := writeRehearsal(r, out)
	if err != nil {
		return err
	}
	if ask.JSON {
		return ask.Value(r)
	}
	if err := r.Print(ask.Stdout); err != nil || page == "" {
		return err
	}
	fmt.Fprintf(ask.Stdout, "\nThe page is %s\n", page)
	return nil
}

// writeRehearsal writes the page to out. If out is a folder, it also writes the numbers, as JSON. It returns the path of the page.
func writeRehearsal(r *rehearse.Rehearsal, out string) (page string, err error) {
	const hint = "choose a folder you may write to, with space left"
	switch {
	case out == "":
		return "", nil
	case strings.EqualFold(filepath.Ext(out), ".html"):
		page = out
	default:
		if err := os.MkdirAll(out, 0o755); err != nil {
			return "", fault.Wrap(err, "cannot make the output folder", hint)
		}
		page = filepath.Join(out, "rehearsal.html")
		numbers := func(w io.Writer) error {
			encoder := json.NewEncoder(w)
			encoder.SetIndent("", "  ")
			return encoder.Encode(r)
		}
		if err := regular.Write(filepath.Join(out, "rehearsal.json"), 0o644, numbers); err != nil {
			return "", fault.Wrap(err, "cannot write rehearsal.json", hint)
		}
	}
	if err := regular.Write(page, 0o644, r.WritePage); err != nil {
		return "", fault.Wrap(err, "cannot write "+page, hint)
	}
	return page, nil
}

// A RehearseQuestion holds the settings of `hearsay rehearse`.
type RehearseQuestion struct {
	Data, Policies, Set []string
	Out, Score          string
	Cache               form.Cache
	Model               form.Program
	Options             rehearse.Options
	Participants        int               // number for terms to which nobody has been invited
	Table               textfile.Notation // how files are written, if not as the spec says
}

// Rehearse simulates a federation before anybody joins.
func (q *RehearseQuestion) Rehearse(ask form.Asker, args []string) error {
	if err := readData(&q.Options, q.Data); err != nil {
		return err
	}
	s, path, err := q.spec(ask, args[0])
	if err != nil {
		return err
	}
	if s.External() && s.Federated() {
		return fault.New("model.kind: external, and rows that only participants' programs hold cannot be made up",
			"rehearse a spec that has graph and data.train_rows, and no participants, with a program of yours that holds rows for all of them")
	}
	end, err := q.Model.Attach(ask, s)
	if err != nil {
		return err
	}
	defer end()
	if q.Score != "own" && q.Score != "all" {
		return fault.New(fmt.Sprintf("--score: %q is not known", q.Score), "use own or all")
	}
	o := &q.Options
	o.Everybody, o.Written = q.Score == "all", q.Table
	o.Policies = policyFiles(s, path, q.Policies)
	return runRehearsal(ask, s, *o, q.Out, q.Cache)
}
