package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/demo"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
)

func newDemoCommand() *cobra.Command {
	c := demo.Config{Timeout: 5 * time.Minute, Seed: 1}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a federation of real nodes on this machine, in a minute",
		Long: "Demo starts the four hospitals of examples/hospitals as processes on the loopback\n" +
			"interface, each with its own key, policy, patients and ledger. Every patient has epsilon\n" +
			"at most 1 towards everybody together. One hospital is killed with SIGKILL on the way and\n" +
			"started again. The patients are those of the heart disease data if it is there (hearsay\n" +
			"data fetch heart), else synthetic ones. With --nodes or --steps as many clinics hand a\n" +
			"model around instead, each on rows that are generated.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("nodes") && !cmd.Flags().Changed("steps") {
				c.Clinics = 0
			}
			if !cmd.Flags().Changed("heart") && !isFolder(c.Heart) {
				c.Heart = ""
			}
			return runDemo(cmd, c)
		},
	}
	cmd.Flags().StringVar(&c.Heart, "heart", filepath.Join("data", "heart"), "folder of the heart disease data")
	cmd.Flags().IntVar(&c.Clinics, "nodes", 8, "4 to 26 clinics, instead of the hospitals")
	cmd.Flags().IntVar(&c.Steps, "steps", 4000, "turns of the clinics' walk")
	cmd.Flags().StringVar(&c.Dir, "dir", "", "folder to keep everything in (default a new one for temporary files)")
	return cmd
}

// isFolder reports whether a folder can be looked into.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func runDemo(cmd *cobra.Command, c demo.Config) (err error) {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Dir, err = demoDir(c.Dir); err != nil {
		return err
	}
	live := terminal.NewLiveLine(cmd.ErrOrStderr())
	c.Say, c.Live, c.Command = live.Say, live.Show, itself
	result, err := demo.Run(cmd.Context(), c)
	live.Wipe()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = fault.Wrap(err, "demonstration", "all its nodes were ended; their logs are in "+c.Dir)
		}
		return err
	}
	if wantJSON(cmd) {
		err = printJSON(cmd, result)
	} else {
		err = printDemo(cmd.OutOrStdout(), result)
	}
	return errors.Join(err, result.Sound())
}

// demoDir is an empty folder to work in.
func demoDir(given string) (string, error) {
	if given == "" {
		return os.MkdirTemp("", "hearsay-demo-")
	}
	if err := os.MkdirAll(given, 0o700); err != nil {
		return "", fault.Wrap(err, "cannot make the demonstration's folder", "give a folder that can be written with --dir")
	}
	entries, err := os.ReadDir(given)
	if err == nil && len(entries) > 0 {
		return "", fault.New(given+" is not empty", "give a new folder with --dir")
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(given)
}

// itself is this program, under the name that it was started by.
func itself(ctx context.Context, args ...string) *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0] = os.Args[0]
	return cmd
}

func printDemo(w io.Writer, r *demo.Result) error {
	fmt.Fprintf(w, "%d nodes took %d turns in %.1f s: %s.\n%s was killed at turn %d and went on from its ledger.\n\n", r.Nodes, r.Turns, r.Seconds,
		r.About, r.Killed, r.KilledAt)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "right on rows that nobody trained on\tall %d\teach on its own\n", r.TestRows)
	fmt.Fprintf(t, "the model of all\t%.1f %%\t%.1f %%\n", 100*r.Accuracy, 100*r.OwnAccuracy)
	fmt.Fprintf(t, "each learning alone, without noise\t%.1f %%\t%.1f %%\n", 100*r.Alone, 100*r.OwnAlone)
	fmt.Fprintf(t, "all rows in one place, without noise\t%.1f %%\t\n", 100*r.Pooled)
	t.Flush()
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "participant\tcontributions\tat most\tallowed towards one\tspent\ttowards all together\n")
	for _, p := range r.Each {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\n", p.Name, p.Contributions, p.Cap, fromTo(p.Allowed), fromTo(p.Spent), report.Loss(p.Together, report.Sound))
	}
	t.Flush()
	fmt.Fprintf(w, "Losses are epsilon at delta %g, towards the furthest and the nearest: sound bounds,\n"+
		"for %s, replaced by any other.\n", r.Delta, r.Record)
	_, err := fmt.Fprintf(w, "\n%d ledgers verified: %d of %d turns in them, %d taken twice; all nodes ended with the same model: %s.\n"+
		"Keys, data, ledgers, models and privacy statements are in %s\n"+
		"Each participant has a page of its own, one of them: %s\n", r.Ledgers, r.TurnsTaken, r.Turns, r.TurnsTwice, either(r.SameModel, "yes", "no"), r.Folder, r.Page)
	return err
}

func fromTo(b demo.Between) string {
	return report.Loss(b.Least, report.Sound) + " to " + report.Loss(b.Worst, report.Sound)
}
