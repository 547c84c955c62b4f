package runs

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// runSpec runs s, writes the folder if q.Out is not "", and prints the summary.
func (q *RunQuestion) runSpec(ask form.Asker, s *spec.Spec) error {
	out := q.Out
	bundle, err := q.execute(ask, s)
	if err != nil {
		return err
	}
	if ask.JSON {
		if bundle, err = bundle.Within(""); err != nil {
			return err
		}
		return ask.Value(bundle.Result)
	}
	if err := report.Table(ask.Stdout, bundle.Result, terminal.Colours(ask.Stdout)); err != nil {
		return err
	}
	if out != "" {
		fmt.Fprintf(ask.Stdout, "\nThe page is %s/report.html\n", out)
	}
	return nil
}

// execute runs s with progress on Stderr and writes the folder if q.Out is not "".
func (q *RunQuestion) execute(ask form.Asker, s *spec.Spec) (*report.Bundle, error) {
	out := q.Out
	if out != "" {
		if err := report.CheckDir(out); err != nil {
			return nil, err
		}
	}
	ctx, err := q.Cache.Watched(ask.Context, ask.Stderr)
	if err != nil {
		return nil, err
	}
	stderr := ask.Stderr
	note := newProgressNote(out, s.Name)
	defer note.remove()
	stage := func(what string) {
		fmt.Fprintln(stderr, what)
		note.stage(what)
	}
	setup, err := experiment.Prepare(ctx, s, stage)
	if err != nil {
		return nil, err
	}
	live := terminal.NewLiveLine(stderr)
	stage("training")
	progress := note.training(training(live))
	if q.Scores {
		progress = scores(stderr, live, progress)
	}
	bundle, err := setup.Run(ctx, progress)
	live.Wipe()
	if err != nil {
		return nil, err
	}
	live = terminal.NewLiveLine(stderr)
	bundle.Result.Baselines, err = setup.Compare(ctx, bundle.Result, stage, note.counting(training(live)))
	live.Wipe()
	if err != nil {
		return nil, err
	}
	if out == "" {
		return bundle, nil
	}
	stage("writing " + out)
	if err := report.WriteDir(ask.Context, out, bundle); err != nil {
		return nil, err
	}
	return bundle, nil
}

// A RunQuestion holds the settings of `hearsay run`.
type RunQuestion struct {
	Out    string
	Set    []string
	Scores bool // print scores as they appear
	Cache  form.Cache
	Model  form.Program
}

// Run runs a spec, writes its folder if there is to be one, and prints the summary.
func (q *RunQuestion) Run(ask form.Asker, args []string) error {
	s, err := form.LoadSpec(ask.Context, args[0], q.Set...)
	if err != nil {
		return err
	}
	end, err := q.Model.Attach(ask, s)
	if err != nil {
		return err
	}
	defer end()
	return q.runSpec(ask, s)
}
