package federation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/step"
)

// Left is what a statement says of a participant that has left its run.
type Left struct {
	Turn    step.Turn   `json:"turn"`           // from this one on it contributed nothing
	Remains []Remainder `json:"remains"`        // towards latecomers; none where no accountant of the spec prices it
	Says    string      `json:"nobody_forgets"` // what leaving does not do
}

// A Remainder is what is left of a participant's contributions towards whoever sees nothing until so many rounds after the
// last of them, and everything from then on.
type Remainder struct {
	After   int     `json:"rounds_after"`
	Epsilon float64 `json:"epsilon"`
}

// latecomers come so many rounds after somebody has left.
var latecomers = []int{0, 1, 5, 10, 20, 50, 100}

// nobodyForgets is the sentence of `hearsay forget`.
const nobodyForgets = "Whoever was sent its messages at the time forgets nothing: what it learnt stays, and leaving takes nothing back."

// left is what the statement of a ledger says, nil where the participant has not left.
func (f *Federation) left(p *Plan, l *ledger.Ledger, u *uses) (*Left, error) {
	if entry, err := l.Left(); err != nil || entry == 0 {
		return nil, err
	}
	left := &Left{Turn: u.last + 1, Remains: []Remainder{}, Says: nobodyForgets}
	leaver, ok := f.setup.Algorithm.(family.Leaver)
	if !ok {
		return left, nil
	}
	for _, after := range latecomers {
		law, err := leaver.LeftLaw(int(f.Self), left.Turn, after)
		if err != nil || law == nil {
			return left, err
		}
		left.Remains = append(left.Remains, Remainder{after, min(p.loss(p.onGrid(law), p.Sigma, p.Delta), p.local(u.count(), p.Sigma, p.Delta))})
	}
	return left, nil
}

// Print writes it for people.
func (l *Left) Print(w io.Writer, delta float64) {
	fmt.Fprintf(w, "It has left: from turn %d on nothing of its data was contributed.\n", l.Turn)
	var words []string
	for _, r := range l.Remains {
		words = append(words, fmt.Sprintf("%d rounds: epsilon %s", r.After, digits(r.Epsilon)))
	}
	switch {
	case len(words) > 0:
		fmt.Fprintf(w, "What whoever saw nothing until so many rounds after its last contribution, pools with nobody who did, and sees all from then on learns at most, at delta %g, if when it left does not follow from its data: %s.\n", delta, strings.Join(words, ", "))
	case l.Turn > 0:
		fmt.Fprintln(w, "No accountant of this spec says that less is left of it towards latecomers: count what was spent.")
	}
	fmt.Fprintln(w, l.Says)
}

// Stays is why a participant cannot go on without its data, "" if it can.
func (f *Federation) Stays() string {
	leaver, ok := f.setup.Algorithm.(family.Leaver)
	if !ok {
		return fmt.Sprintf("a %s takes a step on its data wherever it comes by", f.Spec.Algorithm.Kind)
	}
	return leaver.Stays()
}

// Leave ends this participant's part in the run of the folder o.Dir: from now on it contributes nothing, which its ledger and its
// statement say. With node.Stays it goes on without its data; with node.Goes it tells its neighbours, and stops.
func (f *Federation) Leave(ctx context.Context, o Options) (*Outcome, error) {
	if err := f.checkFolder(o.Dir); err != nil {
		return nil, err
	}
	if why := f.Stays(); o.Leave == node.Stays && why != "" {
		return nil, fault.New("--stay: "+f.Name()+" cannot go on without its data: "+why, "leave without --stay: the others are told that it is gone")
	}
	var err error
	if o.Policy, err = f.acceptedIn(o.Dir); err != nil {
		return nil, err
	}
	plan, err := f.consent(ctx, &o)
	if err != nil {
		return nil, err
	}
	return f.takePart(ctx, &o, plan, f.nobody())
}

// acceptedIn is the policy that the ledger of a folder holds.
func (f *Federation) acceptedIn(dir string) (*policy.Policy, error) {
	path := filepath.Join(dir, LedgerFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fmt.Sprintf("%s has not begun: %s holds no ledger", f.Name(), dir), "there is nothing to leave; do not start the node")
	}
	book, err := ledger.Open(path)
	if err != nil {
		return nil, err
	}
	own, err := policy.Parse(book.Federation().Policy, "the policy in the ledger")
	return own, errors.Join(err, book.Close())
}

// nobody is a shard without rows.
func (f *Federation) nobody() *dataset.Shard {
	empty := dataset.Block{Features: len(f.Features())}
	return &dataset.Shard{Train: empty, Test: empty}
}

// checkLeft refuses to contribute again.
func (o *Options) checkLeft(book *ledger.Ledger) error {
	if entry, err := book.Left(); err != nil || entry == 0 || o.Leave != node.Remains {
		return err
	}
	return fault.New(fmt.Sprintf("%s has left this run, and contributes no more", book.Federation().Node),
		fmt.Sprintf("hearsay federation leave %s tells its neighbours again; to take part anew agree on a new spec", o.Dir))
}

// mostUses is how often the data may have been used at most: who leaves uses it no more.
func (f *Federation) mostUses(o *Options, used *uses) int {
	if o.Leave != node.Remains {
		return used.count()
	}
	return f.setup.Algorithm.Contributions()
}

func (f *Federation) linger(o *Options) time.Duration {
	if o.Leave == node.Goes && o.Tell > 0 {
		return o.Tell
	}
	return f.Spec.Federation.Linger
}

// ParticipantOf is whose folder a folder is.
func ParticipantOf(dir string) (string, error) {
	var first joined
	if err := readJSON(filepath.Join(dir, joinedFile), &first); err != nil {
		return "", fault.Wrap(err, dir+" is not the folder of a node", "give one that hearsay node wrote, such as hearsay-lyon")
	}
	return first.Participant, nil
}
