package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/demo"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
)

// isFolder reports whether path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// RunDemo starts a federation of processes on this machine, follows it to its end, and shows the result.
// With only set it writes the files of the participants, a folder each, and starts nothing.
func RunDemo(ask form.Asker, c demo.Config, only bool) (err error) {
	if !ask.Given("heart") && !isFolder(c.Heart) {
		c.Heart = ""
	}
	if err := c.Check(); err != nil {
		return err
	}
	if c.Dir, err = demoDir(c.Dir); err != nil {
		return err
	}
	if only {
		return form.Answer(ask, func() (prepared, error) {
			names, err := demo.Prepare(c)
			return prepared{c.Dir, names}, err
		})
	}
	live := terminal.NewLiveLine(ask.Stderr)
	c.Say, c.Live, c.Command = live.Say, live.Show, form.Itself
	result, err := demo.Run(ask.Context, c)
	live.Wipe()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = fault.Wrap(err, "demonstration", "all its nodes were ended; their logs are in "+c.Dir)
		}
		return err
	}
	if ask.JSON {
		err = ask.Value(result)
	} else {
		err = printDemo(ask.Stdout, result)
	}
	return errors.Join(err, result.Sound())
}

// prepared holds the folder of a demonstration that was not started.
type prepared struct {
	Folder       string   `json:"folder"`
	Participants []string `json:"participants"`
}

// Print writes where the files are.
func (p prepared) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s has a folder for each of %s, with key, policy, data and spec; deploy/compose.yaml starts a container for each\n", p.Folder, strings.Join(p.Participants, ", "))
	return err
}

// demoDir returns an empty folder to work in: given, which is created, or a temporary one. It returns an error if given is not
// empty.
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
		"Each participant has a page of its own, one of them: %s\n"+
		"and a budget book of all runs on its rows: hearsay budget show %s\n", r.Ledgers, r.TurnsTaken, r.Turns, r.TurnsTwice, either(r.SameModel, "yes", "no"), r.Folder, r.Page,
		filepath.Join(r.Folder, r.Each[0].Name+".key"))
	return err
}

func fromTo(b demo.Between) string {
	return report.Loss(b.Least, report.Sound) + " to " + report.Loss(b.Worst, report.Sound)
}

// NewDemo returns the settings of a demonstration.
func NewDemo() demo.Config { return demo.Config{Timeout: 5 * time.Minute, Seed: 1} }
