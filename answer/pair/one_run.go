package pair

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
)

// askOnce audits one run of a spec. It returns an error if a sound number is refuted.
func (f *AuditQuestion) askOnce(ask form.Asker, path string) error {
	s, err := form.LoadSpec(ask.Context, path, f.Set...)
	if err != nil {
		return err
	}
	ctx, err := f.Cache.Watched(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	priced, err := experiment.Prepare(ctx, s, func(what string) { fmt.Fprintln(ask.Stderr, what) })
	if err != nil {
		return err
	}
	found, err := priced.OneRun(ask.Context, f.Confidence)
	if err != nil {
		return err
	}
	if ask.JSON {
		err = ask.Value(found)
	} else {
		err = printOneRun(ask.Stdout, found)
	}
	if err != nil || !found.Refuted {
		return err
	}
	return fault.New("one run proved more than a sound number allows", fmt.Sprintf("by chance this happens at most once in %.4g audits: repeat it with another seed, and report it if it stays",
		1/(1-f.Confidence)))
}

// mostObservers is the largest number of observers that a table shows.
const mostObservers = 20

// printOneRun shows everybody together first, then the nodes.
func printOneRun(w io.Writer, o *experiment.OneRun) error {
	fmt.Fprintf(w, "What one run proves, by %d canaries, epsilon at delta %.4g, sigma %.4g, unit %s\n\n", o.Canaries, o.Delta, o.Sigma, o.Unit)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "observer\tguesses\tright\tat least (%s)\tclaimed (sound)\tby\n", o.Status)
	n := len(o.Observers) - 1
	for i := range o.Observers {
		v := o.Observers[(n+i)%(n+1)]
		if i > mostObservers {
			fmt.Fprintf(t, "%d more, with --json\n", n-mostObservers)
			break
		}
		fmt.Fprintf(t, "%s\t%d of %d\t%d\t%s\t%s\t%s\n", v.Name, v.Made, v.Coins, v.Right, form.Loss(v.Eps, report.Audit), form.Loss(v.Claimed, report.Sound), v.By)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	all := o.Observers[n]
	_, err := fmt.Fprintf(w, "\nAll messages together show a shift over noise of at least %.4g (%s), where %.4g is claimed (sound).\nAll bounds hold together with confidence %g.\n",
		float64(*all.Mu), o.Status, float64(*all.Said), o.Confidence)
	return err
}
