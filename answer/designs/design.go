package designs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/design"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
)

// A Question holds the settings of `hearsay design`.
type Question struct {
	Out string // file of the spec
}

// Design searches for a plan that every policy accepts, writes its spec, and checks the file.
func (q *Question) Design(ask form.Asker, args []string) error {
	if ext := strings.ToLower(filepath.Ext(q.Out)); ext != ".yaml" && ext != ".yml" {
		return fault.New(fmt.Sprintf("--out: %q is no file for a spec", q.Out), "give --out spec.yaml")
	}
	w, err := form.Within(ask.Context, func() (*design.Wishes, error) { return design.Load(args[0]) })
	if err != nil {
		return err
	}
	page := strings.TrimSuffix(q.Out, filepath.Ext(q.Out)) + ".html"
	if err := writable(args[0], q.Out, page); err != nil {
		return err
	}
	live := terminal.NewLiveLine(ask.Stderr)
	tell := func(what string, done, total int) {
		shown := done
		if done == 0 { // a stage begins: its name is shown at once
			shown = total
		}
		live.Count(shown, total, func() string { return fmt.Sprintf("%s, %d of %d", what, done, total) })
	}
	d, err := form.Within(ask.Context, func() (*design.Design, error) { return design.Run(ask.Context, w, design.Options{Tell: tell}) })
	live.Wipe()
	if err != nil {
		return err
	}
	if d.Conflict != nil {
		if err := ask.Show(answer{Design: d}); err != nil {
			return err
		}
		hint := "loosen one of the wishes that contradict each other"
		if _, err := os.Stat(q.Out); err == nil {
			hint += "; " + q.Out + " is older, and was not compared with these wishes"
		}
		return fault.New("no plan keeps all wishes, and no spec was written", hint)
	}
	err = d.Write(ask.Context, q.Out, tell)
	if err == nil && w.Federation != nil {
		if d.Federation, err = federated(ask, w, q.Out, tell); err != nil {
			design.Remove(q.Out)
		}
	}
	live.Wipe()
	if err != nil {
		return err
	}
	if err := regular.Write(page, 0o644, d.WritePage); err != nil {
		return fault.Wrap(err, "cannot write "+page, "choose a folder you may write to, with space left")
	}
	return ask.Show(answer{d, q.Out, page})
}

// writable makes the folder of the spec, and refuses before the search what could not be written after it.
func writable(wishes, spec, page string) error {
	if err := os.MkdirAll(filepath.Dir(spec), 0o755); err != nil {
		return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
	}
	own, err := os.Stat(wishes)
	if there, missing := os.Stat(spec); err == nil && missing == nil && os.SameFile(own, there) {
		return fault.New(fmt.Sprintf("--out: %s is the file of the wishes", spec), "give another file, such as --out out/spec.yaml")
	}
	for _, path := range []string{spec, page} {
		if err := regular.Writable(path); err != nil {
			return fault.Wrap(err, "cannot write "+path, "choose a file in a folder that you may write to")
		}
	}
	return nil
}

// An answer is a design as it is printed.
type answer struct {
	*design.Design
	spec, page string
}

// Print writes the answer as text.
func (a answer) Print(w io.Writer) error {
	if a.Conflict != nil {
		return a.contradiction(w)
	}
	fmt.Fprintf(w, "%s %s\n\n", a.Won, a.Why)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "plan\tcontributions\t%s\tnoise\ttime\tmessages\n", a.Column())
	for _, p := range a.Plans {
		if p.Share == 1 {
			fmt.Fprintf(t, "%s\t%d\t%s\t%.3g\t%.3g s\t%d\n", p.Called(), p.Rounds, a.Measured(p.Utility), p.Sigma, p.Seconds, p.Messages)
		}
	}
	t.Flush()
	for _, p := range a.Plans {
		if p.Lost != "" {
			fmt.Fprintf(w, "\nlost: %s\n", p.Lost)
		}
	}
	for _, r := range a.Refused {
		fmt.Fprintf(w, "\nnone: %s: %s\n", r.Family, r.Why)
	}
	fmt.Fprintln(w)
	for _, l := range a.Nearest() {
		fmt.Fprintf(w, "%s: %s (%s)\n", l.Wish, report.Loss(float64(l.Spent), report.Status(l.Status)), l.Status)
	}
	if others := a.Others(); others != "" {
		fmt.Fprintln(w, others)
	}
	fmt.Fprintf(w, "%s\n", a.Covers)
	for _, note := range a.Notes {
		fmt.Fprintf(w, "\nnote: %s", note)
	}
	fmt.Fprintln(w)
	if a.Federation != nil {
		fmt.Fprintf(w, "\n%s\n", a.Federation.Says())
		for _, command := range a.Federation.Commands {
			fmt.Fprintf(w, "  %s\n", command)
		}
	}
	_, err := fmt.Fprintf(w, "\nThe spec is %s, the page %s\n", a.spec, a.page)
	return err
}

// contradiction writes the wishes that contradict each other, and changes that help.
func (a answer) contradiction(w io.Writer) error {
	these := "These wishes contradict each other, and without any one of them there is a plan for the others of this list:"
	if len(a.Conflict.Wishes) == 1 {
		these = "None was found for this wish alone either:"
	}
	fmt.Fprintln(w, "No plan was found. "+these)
	for _, wish := range a.Conflict.Wishes {
		fmt.Fprintf(w, "  %s\n", wish)
	}
	if len(a.Conflict.Changes) == 0 {
		fmt.Fprintln(w, "No change of one of them that was tried makes a plan possible: other wishes may contradict each other, too.")
	} else {
		fmt.Fprintln(w, "Any one of these changes makes a plan possible:")
	}
	for _, change := range a.Conflict.Changes {
		fmt.Fprintf(w, "  %s\n", change)
	}
	return nil
}
