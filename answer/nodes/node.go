package nodes

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/resident"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/spec"
)

// A NodeQuestion holds the settings of `hearsay node`.
type NodeQuestion struct {
	Name, Data, Key, Policy, Dir, Status string
	By                                   string // column by which test rows are scored
	NotLeft                              string // who was said to have left, and has not
	DataSet                              string // the owner's name for the rows
	Listen, StatusHosts                  []string
	Quiet, NewTable                      bool
	Table                                textfile.Notation // how its file is written, if not as the spec says
	Model                                string            // the program that computes an external model
	Dashboard                            DashboardQuestion
}

// RunNode runs one participant of the spec in a file until its run has ended or ask.Context does.
func RunNode(ask form.Asker, path string, flags NodeQuestion) error {
	resident.Lean(os.Getenv("GOGC"))
	s, err := form.LoadSpec(ask.Context, path)
	if err != nil {
		return err
	}
	if err := flags.checkData(s); err != nil {
		return err
	}
	end, err := form.Program{Command: flags.Model}.Attach(ask, s)
	if err != nil {
		return err
	}
	defer end()
	watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	ctx := experiment.Watching(ask.Context, watch)
	f, err := federation.Open(ctx, s, flags.Name)
	if err != nil {
		return err
	}
	f.Written(flags.Table)
	options, err := flags.options(ctx, ask.Stderr)
	if err != nil {
		return err
	}
	var outcome *federation.Outcome
	err = flags.Dashboard.Beside(ask, &options, func() (err error) {
		shown := options.Running
		options.Running = func(status func() node.Status) {
			if shown != nil {
				shown(status)
			}
			go resident.Keep(ctx)
		}
		outcome, err = f.Join(ctx, options)
		return err
	})
	if outcome == nil || err != nil && ask.JSON {
		return err
	}
	if ask.JSON {
		return ask.Value(outcome)
	}
	if printed := outcome.Print(ask.Stdout); err == nil {
		err = printed
	}
	if outcome.Ended && outcome.Model != nil && outcome.Own != nil && outcome.Model.Kind != (model.ConvNet{}).Name() && !s.External() {
		fmt.Fprintf(ask.Stdout, "Fitted to your own rows once more it may do better on them; nothing is sent: hearsay personalise %s --data %s --out %s\n",
			textfile.Quoted(outcome.Folder), textfile.Quoted(flags.Data), textfile.Quoted(outcome.Folder+"-home"))
	}
	return err
}

// checkData returns an error if the file of rows is missing, or is given although a program holds the rows.
func (n NodeQuestion) checkData(s *spec.Spec) error {
	switch {
	case n.Data == "" && !s.External():
		return fault.New("--data: is missing", "name this participant's CSV file")
	case n.Data != "" && s.External():
		return fault.New("--data: the rows of an external model stay in its program", "leave --data out; --model says which program")
	}
	return nil
}

// options returns the options of the node. It reads the key and the policy.
func (n NodeQuestion) options(ctx context.Context, log io.Writer) (federation.Options, error) {
	setDefault(&n.Key, n.Name+".key")
	setDefault(&n.Dir, "hearsay-"+n.Name)
	level := slog.LevelInfo
	if n.Quiet {
		level = slog.LevelWarn
	}
	o := federation.Options{
		Data: n.Data, Dir: n.Dir, NewTable: n.NewTable, By: n.By, NotLeft: n.NotLeft, From: federation.Purse{Book: budget.Beside(n.Key), DataSet: n.DataSet}, Status: n.Status, StatusHosts: n.StatusHosts, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level})),
	}
	o.Say = func(what string) { o.Log.Info(what) }
	var err error
	if o.Key, err = identity.Load(n.Key); err != nil {
		return o, err
	}
	if o.Policy, err = OpenPolicy(ctx, n.Policy, n.Key); err != nil {
		return o, err
	}
	if n.Listen != nil {
		o.Listen, err = federation.Addresses(n.Listen)
	}
	return o, err
}

func setDefault(value *string, otherwise string) {
	if *value == "" {
		*value = otherwise
	}
}

// PlanFor prices a federation for its participant name. It returns an error if policyFile is given and
// the policy refuses the plan.
func PlanFor(ask form.Asker, s *spec.Spec, name, policyFile string, rows int, cache form.Cache) error {
	if name == "" {
		return fault.New("the plan of a federation is one participant's", "say which with --name")
	}
	watch, err := cache.Plain(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	ctx := experiment.Watching(ask.Context, watch)
	var own *policy.Policy
	var sizes []int
	if policyFile != "" {
		if own, err = OpenPolicy(ctx, policyFile, ""); err != nil {
			return err
		}
		sizes = own.Sizes()
	}
	fmt.Fprintln(ask.Stderr, "computing what joining would cost")
	f, err := federation.Open(ctx, s, name)
	if err != nil {
		return err
	}
	plan, err := f.Plan(ctx, sizes...)
	if err == nil && rows != 0 {
		err = plan.ForRows(rows)
	}
	if err != nil {
		return err
	}
	show := func() error { return plan.Print(ask.Stdout) }
	if ask.JSON {
		show = func() error { return ask.Value(plan) }
	}
	if err := show(); err != nil || own == nil {
		return err
	}
	return againstPolicy(plan, own, policyFile, ask.Stderr)
}

func againstPolicy(plan *federation.Plan, own *policy.Policy, file string, say io.Writer) error {
	if refusal := plan.Refusal(plan.Objections(own)); refusal != nil {
		return refusal
	}
	if pending := own.Pending(); pending != "" {
		fmt.Fprintf(say, "%s accepts this plan by itself; %s\n", file, pending)
		return nil
	}
	fmt.Fprintf(say, "%s accepts this plan\n", file)
	return nil
}
