package federation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
	"github.com/hearsay-dp/hearsay/trained"
)

// stage is a federation on the loopback interface, its participants in
// goroutines of this process.
type stage struct {
	t     *testing.T
	dir   string
	spec  *spec.Spec
	names []string
	unit  string           // line of all policies
	from  map[string]Purse // by name; none: no book
}

// newStage is a ring of three whose spec ends with the given lines.
func newStage(t *testing.T, more string) *stage {
	return newStageOf(t, []string{"lyon", "nice", "paris"}, "complete:3", more)
}

// newStageOf is the same of other names on another graph.
func newStageOf(t *testing.T, names []string, graph, more string) *stage {
	s := &stage{t: t, dir: t.TempDir(), names: names}
	text := "name: test\nparticipants:\n"
	ports, err := loopback.Hold(len(s.names))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ports.Close() })
	for i, name := range s.names {
		text += fmt.Sprintf("  - {name: %s, key: %s, addresses: [%s]}\n", name, keyOf(t, name).Peer(), ports[i].Multiaddress())
		if err := os.WriteFile(s.file(name), []byte(patients(uint64(i))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.spec = parse(t, text+"graph: "+graph+"\n"+more)
	return s
}

func (s *stage) file(name string) string { return filepath.Join(s.dir, name+".csv") }

// patients are 50 rows in which those who weigh more are ill.
func patients(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	text := "age,weight,ill\n"
	for range 50 {
		weight := 40 + 100*r.Float64()
		text += fmt.Sprintf("%.1f,%.1f,%s\n", 100*r.Float64(), weight, map[bool]string{true: "yes", false: "no"}[weight > 90])
	}
	return text
}

// options are those of a participant that accepts nearly everything.
func (s *stage) options(name string) Options {
	own, err := policy.Parse([]byte(s.unit+"delta: 1.0e-6\nepsilon: {neighbours: 100, others: 100}\n"), "policy.yaml")
	if err != nil {
		s.t.Fatal(err)
	}
	return Options{
		Key: keyOf(s.t, name), Policy: own, Data: s.file(name), Dir: filepath.Join(s.dir, name), Status: "127.0.0.1:0", From: s.from[name],
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

func (s *stage) join(ctx context.Context, name string) (*Outcome, error) {
	return open(s.t, s.spec, name).Join(ctx, s.options(name))
}

// all runs all participants until the end.
func (s *stage) all(ctx context.Context) []*Outcome {
	outcomes := make([]*Outcome, len(s.names))
	var group sync.WaitGroup
	for i, name := range s.names {
		group.Go(func() {
			var err error
			if outcomes[i], err = s.join(ctx, name); err != nil {
				s.t.Errorf("%s: %v (%s)", name, err, fault.Hint(err))
			}
		})
	}
	group.Wait()
	if s.t.Failed() {
		s.t.FailNow()
	}
	return outcomes
}

// patience is when a test gives up that hangs: longer than the slowest machine takes.
const patience = 5 * time.Minute

const quick = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: logistic}
algorithm: {kind: walk, steps: 60, step_size: 0.1, clip: 0.2, contributions: 30}
privacy: {sigma: 3, release: final, accountant: local}
federation: {linger: 30s}
`

// A run ends with the same model everywhere, and each statement is what its
// ledger says: as many contributions as the machine counts, and never more spent
// than was allowed.
func TestRunsEndWithModelAndStatement(t *testing.T) {
	gossip := strings.Replace(quick, "kind: walk, steps: 60, step_size: 0.1, clip: 0.2, contributions: 30",
		"kind: gossip-sgd, batch: 5, gossip_steps: 3, steps: 5, step_size: 0.1, clip: 0.2, contributions: 4", 1)
	for name, text := range map[string]string{
		"walk":     strings.Replace(quick, ", accountant: local", "", 1),
		"proximal": strings.NewReplacer(", accountant: local", "", "kind: walk", "kind: proximal-walk", "logistic", "hinge").Replace(quick),
		"admm": strings.NewReplacer("kind: walk, steps: 60, step_size: 0.1", "kind: admm-walk, steps: 60", "kind: logistic", "kind: logistic, regulariser: {kind: l1, weight: 0.01}").
			Replace(quick),
		"admm path": strings.NewReplacer("kind: walk, steps: 60, step_size: 0.1", "kind: admm-walk, steps: 60, skip: 0.1", "kind: logistic", "kind: hinge", ", accountant: local", "").Replace(quick),
		"secret":    strings.Replace(quick, "release: final", "release: none", 1),
		"around":    strings.Replace(quick, "linger: 30s", "linger: 30s, unreachable: around, lease: 20s", 1),
		"gossip":    strings.Replace(gossip, ", release: final", "", 1),
		"average":   averaging,
		"network":   strings.Replace(strings.Replace(gossip, "kind: logistic", "kind: mlp, hidden: 3", 1), ", release: final", "", 1),
		"softmax":   strings.Replace(strings.Replace(quick, "kind: logistic", "kind: softmax, class_weights: {yes: 2}", 1), "[no, yes]", "[no, maybe, yes]", 1),
		"matchings": strings.Replace(strings.Replace(gossip, "gossip_steps: 3, steps: 5", "wake: matchings, average: half, steps: 12", 1), ", release: final", "", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "proximal" {
				testdata.Sequential(t) // its nodes are those of the walk, its price takes longer
			}
			s := newStage(t, text)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			models, total := 0, 0
			for i, o := range s.all(ctx) {
				p := o.Statement
				if !o.Ended || p.Contributed != o.Status.Contributions || len(p.Spent) != 2 {
					t.Errorf("%s ended %v with %d contributions in the ledger, %d by the machine: %+v", o.Name, o.Ended, p.Contributed, o.Status.Contributions, p.Spent)
				}
				for _, spent := range p.Spent {
					if spent.Epsilon > spent.Allowed || spent.Epsilon > p.SpentLocal || p.Contributed > 0 && !(spent.Epsilon > 0) {
						t.Errorf("%s: %+v", o.Name, spent)
					}
				}
				total += p.Contributed
				s.holdsOwnPage(o)
				if o.Model != nil {
					models++
					s.modelIsUsed(o, filepath.Join(s.dir, s.names[i]))
				}
			}
			// The cap of 30 leaves a walk of 60 turns 31 contributions at the least.
			want := map[string][3]int{"walk": {3, 31, 60}, "proximal": {3, 31, 60}, "admm": {3, 31, 60}, "admm path": {3, 31, 60}, "secret": {1, 31, 60}, "around": {3, 31, 60}, "gossip": {3, 12, 12}, "average": {3, 3, 3},
				"network": {3, 12, 12}, "softmax": {3, 31, 60}, "matchings": {3, 12, 12}}[name]
			if models != want[0] || total < want[1] || total > want[2] {
				t.Errorf("%d models and %d contributions, want %v", models, total, want)
			}
		})
	}
}

// modelIsUsed wants the model in a participant's folder to be what it ended with, and
// to predict from its file; a mean is refused.
func (s *stage) modelIsUsed(o *Outcome, folder string) {
	s.t.Helper()
	m, err := trained.Open(folder, 0)
	if o.Model.Task == string(dataset.Mean) {
		if err == nil {
			s.t.Errorf("%s: a mean predicts", o.Name)
		}
		return
	}
	if err != nil {
		s.t.Errorf("%s: %v", o.Name, err)
		return
	}
	layout := m.Layout()
	sheet, err := layout.Open(s.file(o.Name))
	if err != nil {
		s.t.Errorf("%s: %v", o.Name, err)
		return
	}
	claim := m.File.Claim
	if score := m.Score(sheet); !slices.Equal(m.Theta, o.Model.parameters) || score.Rows != 50 || claim.Simulated || !(claim.Epsilon > 0) {
		s.t.Errorf("%s: %v, scored %+v, under %+v", o.Name, m.Theta, score, claim)
	}
}

// holdsOwnPage wants the page of an outcome in its folder: of its numbers and of
// nobody else's data.
func (s *stage) holdsOwnPage(o *Outcome) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.Folder, PageFile))
	if err != nil {
		s.t.Error(err)
		return
	}
	for _, want := range []string{"This is the page of <b>" + o.Name, o.standing(), o.Name + " holds <b>",
		fmt.Sprintf("The ledger holds %d contribution", o.Statement.Contributed)} {
		if !strings.Contains(string(text), want) {
			s.t.Errorf("the page of %s does not say %q", o.Name, want)
		}
	}
	if o.Ended == strings.Contains(string(text), "has not ended") || (o.Model != nil) != strings.Contains(string(text), `id="model"`) {
		s.t.Errorf("the page of %s, ended %v, does not say how the run stands", o.Name, o.Ended)
	}
}

const averaging = `data: {source: csv, ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: mean}
algorithm: {kind: gossip, steps: 6, clip: 1}
privacy: {sigma: 3}
federation: {linger: 30s}
`

// stopped has the first participant stopped once it is past a turn and started again,
// while the others go on; they all come to the end.
func (s *stage) stopped(past step.Turn) (before, after *Outcome, others []*Outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var group sync.WaitGroup
	defer group.Wait()
	others = make([]*Outcome, len(s.names)-1)
	for i, name := range s.names[1:] {
		group.Go(func() {
			var err error
			if others[i], err = s.join(ctx, name); err != nil {
				s.t.Errorf("%s: %v", name, err)
			}
		})
	}
	first, stop := context.WithCancel(ctx)
	group.Go(func() {
		defer stop()
		for ctx.Err() == nil {
			if status, err := AskStatus(ctx, filepath.Join(s.dir, s.names[0])); err == nil && status.Turn > past {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	before, err := s.join(first, s.names[0])
	if !errors.Is(err, context.Canceled) || !strings.Contains(fault.Hint(err), "same --dir") || before == nil || before.Ended {
		s.t.Fatalf("%v (%s)", err, fault.Hint(err))
	}
	s.holdsOwnPage(before)
	if after, err = s.join(ctx, s.names[0]); err != nil {
		s.t.Fatal(err)
	}
	return before, after, others
}

// answersNoStranger asks a node's endpoint under a name that is not this machine's.
func (s *stage) answersNoStranger(ctx context.Context, dir string) {
	var e endpoint
	if err := readJSON(filepath.Join(dir, EndpointFile), &e); err != nil {
		s.t.Error(err)
		return
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.Address+"/status", nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	request.Host = "evil.example"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusMisdirectedRequest {
		s.t.Errorf("under another name the endpoint answers %s", response.Status)
	}
}

// begins joins alone, and stops once the node answers.
func (s *stage) begins(f *Federation, o Options) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() {
		defer stop()
		for ctx.Err() == nil {
			if _, err := AskStatus(ctx, o.Dir); err == nil {
				s.answersNoStranger(ctx, o.Dir)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	if _, err := f.Join(ctx, o); !errors.Is(err, context.Canceled) {
		s.t.Fatalf("a run without the others ended: %v", err)
	}
}

// A node that is stopped says how to go on, and goes on from its ledger: the run
// ends, no turn is taken twice, and the statement counts both parts.
func TestStopAndGoOn(t *testing.T) {
	steps := 3000
	if testing.Short() {
		steps = 1000
	}
	s := newStage(t, strings.Replace(quick, "steps: 60", fmt.Sprintf("steps: %d", steps), 1))
	before, after, others := s.stopped(20)
	if !after.Ended || after.Statement.Releases < before.Statement.Releases || after.Status.Incarnation != before.Status.Incarnation+1 {
		t.Errorf("before %+v, after %+v", before.Status, after.Status)
	}
	for _, o := range others {
		if o == nil || !slices.Equal(o.Model.parameters, after.Model.parameters) {
			t.Error("the participants ended with different models")
		}
	}
	s.noTurnTwice(steps)
}

// noTurnTwice verifies all ledgers and holds that each turn was taken once.
func (s *stage) noTurnTwice(turns int) {
	taken := map[Taking]int{}
	for _, name := range s.names {
		l, err := ledger.Open(filepath.Join(s.dir, name, LedgerFile))
		if err != nil {
			s.t.Fatal(err)
		}
		own, err := Takings(l, step.Turn(turns))
		if err := errors.Join(err, l.Verify(), l.Close()); err != nil {
			s.t.Error(err)
		}
		for turn, times := range own {
			taken[turn] += times
		}
	}
	for turn := range step.Turn(turns) {
		if times := taken[Taking{Turn: turn}]; times != 1 {
			s.t.Fatalf("turn %d was taken %d times", turn, times)
		}
	}
}

// Nobody joins with another's key, against its policy, or without its data, and
// then leaves no ledger behind.
func TestJoinRefuses(t *testing.T) {
	s := newStage(t, quick)
	f := open(t, s.spec, "lyon")
	for want, change := range map[string]func(o *Options){
		"the key is that of": func(o *Options) { o.Key = keyOf(t, "nice") },
		"does not join": func(o *Options) {
			strict, err := policy.Parse([]byte("delta: 1.0e-6\nepsilon: {neighbours: 0.5, others: 0.1}\n"), "p")
			if err != nil {
				t.Fatal(err)
			}
			o.Policy = strict
		},
		"no data file":           func(o *Options) { o.Data = "nothing.csv" },
		"cannot make the folder": func(o *Options) { o.Dir = filepath.Join(s.file("lyon"), "below a file") },
	} {
		o := s.options("lyon")
		change(&o)
		outcome, err := f.Join(context.Background(), o)
		if err == nil || outcome != nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", want, err, fault.Hint(err))
		}
		if _, err := os.Stat(filepath.Join(s.dir, "lyon", LedgerFile)); err == nil {
			t.Errorf("%s: a ledger was made", want)
		}
	}
}

// A spec that changed is another federation, and the old ledger is not its.
func TestAnotherSpecNeedsAnotherLedger(t *testing.T) {
	s := newStage(t, quick)
	f := open(t, s.spec, "lyon")
	o := s.options("lyon")
	s.begins(f, o)
	sigma := 5.0
	s.spec.Privacy.Sigma = &sigma
	if _, err := open(t, s.spec, "lyon").Join(context.Background(), o); err == nil || !strings.Contains(fault.Hint(err), "new federation") {
		t.Errorf("%v (%s)", err, fault.Hint(err))
	}
}

// A folder that is not there is not taken for a host.
func TestStatusOfAFolderThatIsMissing(t *testing.T) {
	if _, err := AskStatus(t.Context(), filepath.Join(t.TempDir(), "lyon")); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("%v", err)
	}
}

// A node ends for good when the spec's deadline has passed since it first
// joined, however often it was started.
func TestDeadlineCountsFromTheFirstStart(t *testing.T) {
	s := newStage(t, strings.Replace(quick, "linger: 30s", "deadline: 1h", 1))
	f := open(t, s.spec, "lyon")
	o := s.options("lyon")
	s.begins(f, o)
	o.Now = func() time.Time { return time.Now().Add(time.Hour) }
	_, err := f.Join(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "has not ended within 1h") || !strings.Contains(fault.Hint(err), "new federation") {
		t.Errorf("%v (%s)", err, fault.Hint(err))
	}
}
