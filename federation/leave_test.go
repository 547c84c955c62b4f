package federation

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/schedule"
)

const leaving = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 50], weight: [40, 140]}}
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: 150, step_size: 0.1, clip: 0.2}
privacy: {sigma: 3, release: final}
federation: {linger: 20s, pace: 10ms}
`

// leaves has the first participant stopped past a turn, and leave; the errors are the others'.
func (s *stage) leaves(way node.Leave) (left *Outcome, others []*Outcome, errs []error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	others, errs = make([]*Outcome, len(s.names)-1), make([]error, len(s.names)-1)
	var group sync.WaitGroup
	for i, name := range s.names[1:] {
		group.Go(func() { others[i], errs[i] = s.join(ctx, name) })
	}
	first, stop := context.WithCancel(ctx)
	group.Go(func() {
		defer stop()
		for ctx.Err() == nil {
			if status, err := AskStatus(ctx, filepath.Join(s.dir, s.names[0])); err == nil && status.Turn > 5 {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	if _, err := s.join(first, s.names[0]); err == nil {
		s.t.Fatal("the run was over before anybody could leave")
	}
	o := s.options(s.names[0])
	o.Data, o.Policy, o.Leave, o.Tell = "", nil, way, 20*time.Second
	left, err := open(s.t, s.spec, s.names[0]).Leave(ctx, o)
	if err != nil {
		s.t.Errorf("%v (%s)", err, fault.Hint(err))
	}
	group.Wait()
	if left == nil || left.Statement.Left == nil {
		s.t.Fatal("who has left does not say so")
	}
	return left, others, errs
}

// Who leaves and stays lets the run end, contributes nothing from then on, and is priced towards latecomers as hearsay forget does.
func TestWhoLeavesMayStayWithoutItsData(t *testing.T) {
	t.Parallel()
	s := newStage(t, leaving)
	left, others, errs := s.leaves(node.Stays)
	for i, err := range errs {
		if err != nil || !others[i].Ended || others[i].Status.Neighbours[0].Left == "" {
			t.Errorf("%s: %v, and knows of who left %q", s.names[i+1], err, others[i].Status.Neighbours[0].Left)
		}
	}
	s.statesNothingOfRows(others[0])
	of := left.Statement.Left
	if !left.Ended || left.Statement.Contributed != int(of.Turn) || of.Turn < 5 || of.Turn > 140 {
		t.Fatalf("ended %v, with %d contributions, none from turn %d on", left.Ended, left.Statement.Contributed, of.Turn)
	}
	f := open(t, s.spec, s.names[0])
	forgetting, err := flow.Forgetting(*f.setup.Algorithm.Schedule().(*schedule.Gossip), int(of.Turn), 5)
	if err != nil {
		t.Fatal(err)
	}
	best, err := forgetting.Optimal(0)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := f.Plan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	low := best.Energy / (f.Noise.Sigma * f.Noise.Sigma)
	if r := of.Remains[2]; r.After != 5 || !(r.Epsilon >= privacy.EpsilonGaussian(math.Sqrt(low), plan.Delta)) || r.Epsilon > 1.01*privacy.EpsilonGaussian(math.Sqrt(low), plan.Delta) || r.Epsilon >= left.Statement.SpentLocal {
		t.Errorf("%+v of energy %v, local %v", of.Remains, low, left.Statement.SpentLocal)
	}
	public := left.Statement.SpentPublic
	if of.Public == nil || public.Epsilon != of.Public.Epsilon || public.Epsilon >= plan.Public.Epsilon || public.Epsilon > of.Remains[len(of.Remains)-1].Epsilon {
		t.Errorf("the public is charged %+v, the plan %v, of what is left %+v", public, plan.Public.Epsilon, of)
	}
	s.pageSays("lyon", "if all of these follow the protocol", "holds <b>0</b> rows")
	if _, err := f.Join(context.Background(), s.options(s.names[0])); err == nil || !strings.Contains(err.Error(), "has left this run") {
		t.Errorf("it may contribute again: %v", err)
	}
	if _, err := f.Leave(context.Background(), s.options(s.names[0])); err == nil || !strings.Contains(err.Error(), "has ended for "+s.names[0]) {
		t.Errorf("a run that has ended is left: %v", err)
	}
	s.contributesNothingSince(filepath.Join(s.dir, s.names[0], LedgerFile))
}

// statesNothingOfRows checks that a statement, which may be handed out, counts no values of the participant's table. The page does.
func (s *stage) statesNothingOfRows(o *Outcome) {
	for file, want := range map[string]bool{PageFile: true, ReportFile: true, statementText: false, StatementFile: false} {
		text, err := os.ReadFile(filepath.Join(o.Folder, file))
		if err != nil || strings.Contains(string(text), "moved to its end") != want {
			s.t.Errorf("%s of %s, %v: says how many values were moved: %t", file, o.Name, err, !want)
		}
	}
}

// pageSays checks the page of a participant that has left.
func (s *stage) pageSays(name, want, never string) {
	text, err := os.ReadFile(filepath.Join(s.dir, name, PageFile))
	if page := string(text); err != nil || !strings.Contains(page, "has left:") || !strings.Contains(page, want) || strings.Contains(page, never) {
		s.t.Errorf("%v: the page of who has left says %q, or not %q", err, never, want)
	}
}

// contributesNothingSince checks a ledger by itself.
func (s *stage) contributesNothingSince(path string) {
	book, err := ledger.Open(path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer book.Close()
	since, err := book.Left()
	if err != nil || since == 0 {
		s.t.Fatal(since, err)
	}
	after := 0
	for row, err := range book.Show() {
		if err != nil {
			s.t.Fatal(err)
		}
		if row.Entry < since {
			continue
		}
		if after++; row.Contributed {
			s.t.Fatalf("turn %d is a contribution, in entry %d, and it left with entry %d", row.Turn, row.Entry, since)
		}
	}
	if after == 0 {
		s.t.Error("it passed nothing on after it had left")
	}
}

// Where nodes are away in some turns nothing is priced towards latecomers, and statements say so instead of failing.
func TestNothingIsPricedForLatecomersWhereNodesAreAway(t *testing.T) {
	s := newStage(t, strings.NewReplacer("steps: 150", "steps: 50, wake: edges", ", release: final", "").Replace(leaving))
	leaver, ok := open(t, s.spec, "lyon").setup.Algorithm.(family.Leaver)
	if !ok {
		t.Fatal("gossip that learns cannot go on without a participant's data")
	}
	if law, err := leaver.LeftLaw(0, 10, 50, 1); law != nil || err != nil {
		t.Errorf("%v, %v", law, err)
	}
	if law, err := leaver.LeftPublicLaw(0, 10); law != nil || err != nil {
		t.Errorf("%v, %v", law, err)
	}
}

// Who is gone for good stops the others at once, with what to do, in gossip and in walks.
func TestWhoIsGoneStopsTheOthers(t *testing.T) {
	t.Parallel()
	walk := strings.Replace(strings.Replace(quick, "steps: 60", "steps: 4000", 1), "linger: 30s", "linger: 20s, pace: 5ms", 1)
	for name, text := range map[string]string{"gossip": leaving, "walk": walk} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, text)
			left, others, errs := s.leaves(node.Goes)
			if left.Ended {
				t.Error("who is gone saw the end")
			}
			for _, r := range left.Statement.Left.Remains { // it adds no noise in later rounds
				if r.After > int(left.Status.Turn) {
					t.Errorf("who is gone after %d turns is priced %d rounds later", left.Status.Turn, r.After)
				}
			}
			var said strings.Builder
			if rest, err := StoppedIn(left.Folder); err != nil || rest.Print(&said) != nil || !strings.Contains(said.String(), "It has left: from turn ") || strings.Contains(said.String(), "Start it again") {
				t.Errorf("%v, of who has left: %s", err, said.String())
			}
			if name == "gossip" {
				s.pageSays("lyon", "No loss counts that anybody but lyon is shown it.", "The finished model")
			}
			for i, err := range errs {
				want := regexp.MustCompile(fmt.Sprintf("^lyon has left the run for good, as (lyon|nice|paris) says, and it cannot go on without: %s stops$", s.names[i+1]))
				if others[i].Ended || err == nil || !want.MatchString(err.Error()) || !strings.Contains(fault.Hint(err), "--without lyon") {
					t.Errorf("%s: %v", s.names[i+1], err)
				}
			}
		})
	}
	s := newStage(t, quick)
	o := s.options("lyon")
	o.Leave = node.Stays
	if _, err := open(t, s.spec, "lyon").Leave(context.Background(), o); err == nil || !strings.Contains(err.Error(), "cannot go on without its data") {
		t.Errorf("a walk is stayed in: %v", err)
	}
}
