package nodes

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/report"
)

// A LeaveQuestion holds the settings of `hearsay federation leave`.
type LeaveQuestion struct {
	Key    string
	Stay   bool
	Tell   time.Duration
	Listen []string
}

// parted is the outcome of leaving a run.
type parted struct {
	*federation.Outcome
	stays string // why the participant cannot go on without its data; "": it can
}

// Print writes the spent loss, the remaining loss, and the effect on the run.
func (p *parted) Print(w io.Writer) error {
	s := p.Statement
	fmt.Fprintf(w, "%s has left %q. It cost what was spent: %d contributions of at most %d, epsilon %s (%s) at delta %g towards all others together, about %s. Leaving takes nothing back.\n\n", p.Name, s.Federation,
		s.Contributed, s.Contributions, report.Loss(s.SpentLocal, report.Status(s.Status)), s.Status, s.Delta, s.About())
	s.Left.Print(w, s.Status, s.Delta)
	fmt.Fprintf(w, "\nThe ledger and the signed statement in %s say so: keep them.\n", p.Folder)
	if !p.Ended {
		for _, v := range p.Status.Neighbours {
			fmt.Fprintf(w, "%s %s.\n", v.Name, either(v.Told, "knows", "has not confirmed that it knows: hearsay federation leave "+textfile.Quoted(p.Folder)+" tells it again"))
		}
	}
	_, err := fmt.Fprintln(w, p.fate())
	return err
}

// fate writes the effect on the run.
func (p *parted) fate() string {
	switch {
	case p.Ended:
		return "The run has ended for it: nobody waits."
	case p.Statement.MostLate > 0:
		return "The others go on without it: it counts among those who may miss each step (algorithm.absent). Where more are missing, they wait."
	case p.stays == "":
		return "The run cannot end without its noise and its turns: the others stop, with the model so far, unless it goes on without its data (--stay)."
	}
	return "The run does not go on without it, since " + p.stays + ", unless the spec has unreachable: around or a lease: the others stop, and go on under a new spec (hearsay federation new NEXT --from SPEC --without " + p.Name + ")."
}

// Leave ends a participant's part in the run of the folder dir.
func (q *LeaveQuestion) Leave(ask form.Asker, dir string) error {
	f, ctx, err := ofFolder(ask, dir)
	if err != nil {
		return err
	}
	setDefault(&q.Key, f.Name()+".key")
	o := federation.Options{Dir: dir, Leave: node.Goes, Tell: q.Tell, Now: time.Now, Log: slog.New(slog.NewTextHandler(ask.Stderr, nil))}
	o.From.Book = budget.Beside(q.Key)
	if q.Stay {
		o.Leave = node.Stays
	}
	if o.Key, err = identity.Load(q.Key); err != nil {
		return err
	}
	if q.Listen != nil {
		if o.Listen, err = federation.Addresses(q.Listen); err != nil {
			return err
		}
	}
	outcome, err := f.Leave(ctx, o)
	if outcome == nil || err != nil {
		return err
	}
	return ask.Show(&parted{outcome, f.Stays()})
}
