// Command hearsay trains models over data that must not move. It bounds how much every participant can
// learn about every other.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/internal/visible"
)

func main() { os.Exit(start()) }

// start runs main and returns the exit code. The first interrupt ends the context. A second Ctrl-C kills
// the process if the first could not end it.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// run runs the command in args and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	out := terminal.NewOutput(stdout)
	root.SetArgs(args)
	root.SetOut(out)
	said := terminal.NewPulse(stderr, time.Now)
	root.SetErr(said)
	started, stop := false, func() {}
	defer func() { stop() }()
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		err := cmd.ValidateRequiredFlags() // cobra itself checks them only later
		if started = err == nil; started && !speaksForItself(cmd) {
			stop = said.Watch(cmd.CommandPath())
		}
		return err
	}
	cmd, err := root.ExecuteContextC(ctx)
	stop()
	stop = func() {}
	out.Close()
	switch {
	case out.Err != nil:
		err = fault.Wrap(out.Err, "cannot print the answer", "free some space, or send it somewhere else")
	case err == nil:
		return form.ExitOK
	case !started:
		complain(stderr, err, cmd.CommandPath()+" --help shows how it is used")
		return form.ExitUsage
	case errors.Is(err, context.Canceled):
		err = &fault.Error{What: "stopped before the end", Hint: cmp.Or(fault.Hint(err), said.Advice()), Err: err}
	}
	complain(stderr, err, fallbackHint(err))
	if errors.Is(err, fault.ErrLater) {
		return form.ExitLater
	}
	return form.ExitFault
}

// speaksForItself reports whether a command runs for as long as its user wants and prints its own
// progress.
func speaksForItself(cmd *cobra.Command) bool {
	return slices.Contains([]string{"node", "demo", "serve", "relay", "worker", "leave"}, cmd.Name())
}

// complain prints one error line and one hint: the error's own if it has one.
func complain(stderr io.Writer, err error, hint string) {
	if own := fault.Hint(err); own != "" {
		hint = own
	}
	fmt.Fprintf(stderr, "error: %s\nhint: %s\n", visible.Text(oneLine(err.Error())), visible.Text(oneLine(hint)))
}

// oneLine joins the lines of a message with semicolons.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

func fallbackHint(err error) string {
	if errors.Is(err, context.Canceled) {
		return "nothing was written; run it again to start over"
	}
	return "this may be a fault of Hearsay itself; please report it with the command that led here"
}

// argument returns the check of a command that takes exactly one argument.
func argument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return fmt.Errorf("%s takes one %s, not %d arguments", cmd.CommandPath(), what, len(args))
	}
}

// exactly returns the check of a command that takes exactly n arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return fmt.Errorf("%s takes %s, not %d arguments", cmd.CommandPath(), what, len(args))
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "hearsay",
		Short: "Private decentralized learning, and who learns what about whom",
		Long: "Hearsay lets people who hold data train a model together with no server,\n" +
			"and tells each of them what every other participant can learn about them.",
		Version:       experiment.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Name}} version {{.Version}}\n" + experiment.Build() + "\n")
	root.PersistentFlags().Bool("json", false, "print one JSON value on stdout and nothing else there")
	addGroups(root)
	return root
}

// wantJSON reports whether --json was given.
func wantJSON(cmd *cobra.Command) bool {
	want, err := cmd.Flags().GetBool("json")
	return err == nil && want
}

// answering returns the function of a command that calls find and shows the answer, as JSON if --json was given.
func answering[A form.Printer](find func() (A, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		found, err := find()
		if err != nil {
			return err
		}
		ask := askerOf(cmd)
		return ask.Show(found)
	}
}

// printJSON writes v as the one JSON value of a command.
func printJSON(cmd *cobra.Command, v any) error {
	ask := askerOf(cmd)
	return ask.Value(v)
}
