// Command hearsay trains models over data that must not move, and says in
// numbers that hold what every participant can learn about every other.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"hearsay/internal/fault"
)

// Exit codes.
const (
	exitOK    = 0
	exitFault = 1 // it failed; the error says why
	exitUsage = 2 // it was called wrongly
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program: arguments in, an exit code out.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case !started:
		complain(stderr, err, "hearsay --help shows what there is")
		return exitUsage
	case errors.Is(err, context.Canceled):
		complain(stderr, errors.New("stopped before the end"), "nothing was written; run it again to start over")
		return exitFault
	}
	complain(stderr, err, "this may be a fault of Hearsay itself; please report it with the command that led here")
	return exitFault
}

// complain prints one error line and one hint.
func complain(stderr io.Writer, err error, hint string) {
	if own := fault.Hint(err); own != "" {
		hint = own
	}
	fmt.Fprintf(stderr, "error: %v\nhint: %s\n", err, hint)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "hearsay",
		Short:         "Private decentralized learning, and who learns what about whom",
		Long:          "Hearsay lets people who hold data train a model together with no server,\nand tells each of them what every other participant can learn about them.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().Bool("json", false, "print one JSON value on stdout and nothing else there")
	root.AddCommand(newRunCommand(), newPlanCommand(), newDataCommand(), newGraphCommand(), newPapersCommand())
	return root
}

// wantJSON reports whether --json was given.
func wantJSON(cmd *cobra.Command) bool {
	want, err := cmd.Flags().GetBool("json")
	return err == nil && want
}

// printJSON writes v as the one JSON value of a command.
func printJSON(cmd *cobra.Command, v any) error {
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
