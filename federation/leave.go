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
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/step"
)

// Left holds the part of a statement about a participant that has left its run.
type Left struct {
	Turn    step.Turn   `json:"turn"`             // first turn without a contribution of the participant
	Remains []Remainder `json:"remains"`          // towards latecomers, in rounds in which the participant added noise; empty if no accountant of the spec prices it
	Public  *LeftPublic `json:"public,omitempty"` // towards who sees the final models alone; nil if nobody is shown them, or if that is not priced
	Says    string      `json:"nobody_forgets"`   // limits of leaving, as a sentence
}

// A LeftPublic holds the loss of a participant that has left towards the public, which is shown the final models.
type LeftPublic struct {
	Epsilon float64 `json:"epsilon"`
	Guess   float64 `json:"guess"` // as Guess of Towards
}

// A Remainder holds the loss towards an observer who sees nothing until After rounds past the participant's last
// contribution, and everything from then on.
type Remainder struct {
	After   int     `json:"rounds_after"`
	Epsilon float64 `json:"epsilon"`
}

// latecomers lists the numbers of rounds after the last contribution for which statements give a
// Remainder.
var latecomers = []int{0, 1, 5, 10, 20, 50, 100}

// nobodyForgets is the sentence that `hearsay forget` prints.
const nobodyForgets = "Whoever was sent its messages at the time forgets nothing: what it learnt stays, and leaving takes nothing back."

// left returns the Left part of a statement for ledger l, nil if the participant has not left.
func (f *Federation) left(p *Plan, l *ledger.Ledger, u *uses) (*Left, error) {
	if entry, err := l.Left(); err != nil || entry == 0 {
		return nil, err
	}
	left := &Left{Turn: u.last + 1, Remains: []Remainder{}, Says: nobodyForgets}
	leaver, ok := f.setup.Algorithm.(family.Leaver)
	if !ok {
		return left, nil
	}
	remains := func(law *walkpath.Law) float64 {
		return min(p.loss(p.onGrid(law), p.Sigma, p.Delta), p.local(u.count(), p.Sigma, p.Delta))
	}
	for _, after := range latecomers {
		law, err := leaver.LeftLaw(int(f.Self), left.Turn, u.sent+1, after)
		if err != nil {
			return nil, err
		}
		if law == nil {
			break
		}
		left.Remains = append(left.Remains, Remainder{after, remains(law)})
	}
	law, err := leaver.LeftPublicLaw(int(f.Self), left.Turn)
	if law != nil {
		left.Public = &LeftPublic{remains(law), p.guess(p.onGrid(law))}
	}
	if average := f.Spec.Algorithm.Average; average != "none" && len(left.Remains) > 0 {
		left.Says = "A model of this run is a mean over rounds (average: " + average + "): it tells of earlier messages, too, and no latecomer is given one. " + left.Says
	}
	return left, err
}

// Print writes the losses after leaving as text. status and delta are those of the plan.
func (l *Left) Print(w io.Writer, status privacy.Status, delta float64) {
	fmt.Fprintf(w, "It has left: %s\n", strings.Join(l.Words(status, delta), "\n"))
}

// Words returns the losses after leaving: a clause that ends with a full stop and says since when, and further sentences.
func (l *Left) Words(status privacy.Status, delta float64) []string {
	words := []string{fmt.Sprintf("from turn %d on nothing of its data was contributed.", l.Turn)}
	var remains []string
	for _, r := range l.Remains {
		rounds := "rounds"
		if r.After == 1 {
			rounds = "round"
		}
		remains = append(remains, fmt.Sprintf("%d %s: epsilon %s", r.After, rounds, digits(r.Epsilon)))
	}
	switch {
	case len(remains) > 0:
		words = append(words,
			fmt.Sprintf("A latecomer sees nothing until some rounds after the last contribution, and every message from then on. It learns at most (%s, delta %g) after %s.", status, delta, strings.Join(remains, ", ")),
			"That holds if the latecomer pools with nobody who was there earlier, if all of these follow the protocol, and if the time of leaving does not depend on the data.")
	case l.Turn > 0:
		words = append(words, "No accountant of this spec says that less is left of it towards latecomers: count what was spent.")
	}
	return append(words, l.Says)
}

// Stays returns the reason why a participant cannot continue without its data, "" if it can.
func (f *Federation) Stays() string {
	leaver, ok := f.setup.Algorithm.(family.Leaver)
	if !ok {
		return fmt.Sprintf("a %s takes a step on its data wherever it comes by", f.Spec.Algorithm.Kind)
	}
	return leaver.Stays()
}

// Leave ends this participant's part in the run of the folder o.Dir. It contributes nothing from now on, and its ledger and its
// statement record that. With node.Stays it continues without its data. With node.Goes it tells its neighbours, and stops.
func (f *Federation) Leave(ctx context.Context, o Options) (*Outcome, error) {
	if err := f.checkFolder(o.Dir); err != nil {
		return nil, err
	}
	if err := f.checkRuns(o.Dir); err != nil {
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

// checkRuns returns an error if the run has ended for this participant, because leaving would change nothing but its results.
func (f *Federation) checkRuns(dir string) error {
	if was, err := StoppedIn(dir); err != nil || was == nil || !was.Ended {
		return err
	}
	return fault.New(fmt.Sprintf("the run has ended for %s: nothing is left to leave", f.Name()),
		fmt.Sprintf("hearsay status %s says how it ended, and %s what it cost", textfile.Quoted(dir), textfile.Quoted(filepath.Join(dir, statementText))))
}

// acceptedIn returns the policy that the ledger of a folder holds. A folder without a ledger is an
// error.
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

// nobody returns a shard without rows.
func (f *Federation) nobody() *dataset.Shard {
	empty := dataset.Block{Features: len(f.Features())}
	return &dataset.Shard{Train: empty, Test: empty}
}

// checkLeft returns an error if the participant has left the run and would contribute again.
func (o *Options) checkLeft(book *ledger.Ledger) error {
	if entry, err := book.Left(); err != nil || entry == 0 || o.Leave != node.Remains {
		return err
	}
	return fault.New(fmt.Sprintf("%s has left this run, and contributes no more", book.Federation().Node),
		fmt.Sprintf("hearsay federation leave %s tells its neighbours again; to take part anew agree on a new spec", o.Dir))
}

// mostUses returns the maximal number of uses of the data. A participant who leaves gets no more
// uses than it has made.
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

// ParticipantOf returns the name of the participant whose node wrote the folder.
func ParticipantOf(dir string) (string, error) {
	var first joined
	if err := readJSON(filepath.Join(dir, joinedFile), &first); err != nil {
		return "", fault.Wrap(err, dir+" is not the folder of a node", "give one that hearsay node wrote, such as hearsay-lyon")
	}
	return first.Participant, nil
}
