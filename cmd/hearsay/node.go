package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/resident"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/spec"
)

// nodeFlags are what a participant brings besides the spec.
type nodeFlags struct {
	name, data, key, policy, dir, status string
	listen, statusHosts                  []string
	quiet                                bool
	dashboard                            dashboardFlags
}

func newNodeCommand() *cobra.Command {
	var flags nodeFlags
	cmd := &cobra.Command{
		Use:   "node SPEC.yaml",
		Short: "Take part in a federation as one participant",
		Long: "Node joins the federation that the spec describes: it computes what each other\n" +
			"participant could learn, holds that against the policy, trains, and ends with\n" +
			"the model, a report and its privacy statement. Started again with the same\n--dir it goes on from its ledger.",
		Args: func(cmd *cobra.Command, args []string) error {
			return argument("spec file")(cmd, flags.dashboard.takeAddress(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runNode(cmd, flags.dashboard.takeAddress(args)[0], flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.dashboard.listen, "dashboard", "", "show this node in a browser, at ADDRESS (alone: "+usualDashboard+")")
	f.Lookup("dashboard").NoOptDefVal = usualDashboard
	f.StringVar(&flags.dashboard.token, "dashboard-token", "", "file whose first line whoever asks the dashboard must know")
	f.StringSliceVar(&flags.dashboard.hosts, "dashboard-host", nil, "name under which a proxy serves the dashboard; repeatable")
	f.StringVar(&flags.name, "name", "", "which participant of the spec this is")
	f.StringVar(&flags.data, "data", "", "this participant's CSV file")
	f.StringVar(&flags.key, "key", "", "its key file (default NAME.key)")
	f.StringVar(&flags.policy, "policy", "", "what it accepts (default NAME.policy.yaml beside the key)")
	f.StringVar(&flags.dir, "dir", "", "folder of its ledger and results (default hearsay-NAME)")
	f.StringVar(&flags.status, "status", "127.0.0.1:0", "address of the health endpoint; empty for none")
	f.StringSliceVar(&flags.statusHosts, "status-host", nil, "name under which it is asked, such as a container's; repeatable")
	f.StringSliceVar(&flags.listen, "listen", nil, "multiaddresses to listen on, where they are not those of the spec")
	f.BoolVar(&flags.quiet, "quiet", false, "log warnings and errors only")
	for _, name := range []string{"name", "data"} {
		_ = cmd.MarkFlagRequired(name) // fails only for a flag that is not there
	}
	return cmd
}

func runNode(cmd *cobra.Command, path string, flags nodeFlags) error {
	resident.Lean(os.Getenv("GOGC"))
	s, err := loadSpec(cmd.Context(), path)
	if err != nil {
		return err
	}
	watch, err := form.Cache("").Plain(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	ctx := experiment.Watching(cmd.Context(), watch)
	f, err := federation.Open(ctx, s, flags.name)
	if err != nil {
		return err
	}
	options, err := flags.options(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	var outcome *federation.Outcome
	err = flags.dashboard.beside(cmd, &options, func() (err error) {
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
	if outcome == nil || err != nil && wantJSON(cmd) {
		return err
	}
	if wantJSON(cmd) {
		return printJSON(cmd, outcome)
	}
	if printed := outcome.Print(cmd.OutOrStdout()); err == nil {
		err = printed
	}
	return err
}

// options reads the files that the flags name.
func (n nodeFlags) options(ctx context.Context, log io.Writer) (federation.Options, error) {
	setDefault(&n.key, n.name+".key")
	setDefault(&n.dir, "hearsay-"+n.name)
	level := slog.LevelInfo
	if n.quiet {
		level = slog.LevelWarn
	}
	o := federation.Options{
		Data: n.data, Dir: n.dir, Status: n.status, StatusHosts: n.statusHosts, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level})),
	}
	o.Say = func(what string) { o.Log.Info(what) }
	var err error
	if o.Key, err = identity.Load(n.key); err != nil {
		return o, err
	}
	if o.Policy, err = openPolicy(ctx, n.policy, n.key); err != nil {
		return o, err
	}
	if n.listen != nil {
		o.Listen, err = federation.Addresses(n.listen)
	}
	return o, err
}

func setDefault(value *string, otherwise string) {
	if *value == "" {
		*value = otherwise
	}
}

// planFor prices a federation for one of its participants, against a policy if
// one is given: an objection is an error.
func planFor(cmd *cobra.Command, s *spec.Spec, name, policyFile string, rows int, cache form.Cache) error {
	if name == "" {
		return fault.New("the plan of a federation is one participant's", "say which with --name")
	}
	watch, err := cache.Plain(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	ctx := experiment.Watching(cmd.Context(), watch)
	var own *policy.Policy
	var sizes []int
	if policyFile != "" {
		if own, err = openPolicy(ctx, policyFile, ""); err != nil {
			return err
		}
		sizes = own.Sizes()
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "computing what joining would cost")
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
	show := func() error { return plan.Print(cmd.OutOrStdout()) }
	if wantJSON(cmd) {
		show = func() error { return printJSON(cmd, plan) }
	}
	if err := show(); err != nil || own == nil {
		return err
	}
	return againstPolicy(plan, own, policyFile, cmd.ErrOrStderr())
}

func againstPolicy(plan *federation.Plan, own *policy.Policy, file string, say io.Writer) error {
	if refusal := plan.Refusal(plan.Objections(own)); refusal != nil {
		return refusal
	}
	fmt.Fprintf(say, "%s accepts this plan\n", file)
	return nil
}
