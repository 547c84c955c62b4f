package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// A Result holds the outcome of a demonstration.
type Result struct {
	Folder      string        `json:"folder"`
	Page        string        `json:"page"` // of one participant; each folder has such a page
	Nodes       int           `json:"nodes"`
	Turns       int           `json:"turns"`
	Seconds     float64       `json:"seconds"`
	About       string        `json:"about"`
	Killed      string        `json:"killed"`
	KilledAt    int64         `json:"killed_at_turn"`
	Accuracy    float64       `json:"accuracy"`        // of the federation's model, on rows that nobody trained on
	Pooled      float64       `json:"pooled_accuracy"` // of a model trained on all rows in one place, without noise
	Alone       float64       `json:"alone_accuracy"`  // of models trained on each participant's own rows, without noise, on all test rows; mean
	OwnAccuracy float64       `json:"own_accuracy"`    // of the federation's model on each participant's own test rows; mean
	OwnAlone    float64       `json:"own_alone"`       // of models trained on each participant's own rows, on its own test rows; mean
	TestRows    int           `json:"test_rows"`
	Delta       float64       `json:"delta"`
	Unit        string        `json:"unit"`             // of the losses
	Record      string        `json:"record,omitempty"` // in words
	Each        []Participant `json:"participants"`
	Ledgers     int           `json:"ledgers_verified"`
	TurnsTaken  int           `json:"turns_taken"`       // number of turns taken: of a token by some node, of gossip by all nodes
	TurnsTwice  int           `json:"turns_taken_twice"` // number of turns that were taken more than once
	SameModel   bool          `json:"same_model"`        // all participants ended with the same model; in gossip up to 1e-6
	Incarnation uint64        `json:"incarnations_of_killed"`
}

// Participant holds the losses of the run for one participant.
type Participant struct {
	Name          string  `json:"name"`
	Contributions int     `json:"contributions"`
	Cap           int     `json:"cap"`
	Allowed       Between `json:"allowed_epsilon"` // towards one other
	Spent         Between `json:"spent_epsilon"`
	Together      float64 `json:"spent_towards_all_epsilon"`
}

// Between holds the least and the worst loss towards one other participant.
type Between struct {
	Least float64 `json:"least"`
	Worst float64 `json:"worst"`
}

func (b *Between) add(loss float64, first bool) {
	if first {
		*b = Between{loss, loss}
	}
	b.Least, b.Worst = min(b.Least, loss), max(b.Worst, loss)
}

// review reads the results of all participants.
func review(ctx context.Context, c Config, all *cast, t *troupe, took time.Duration) (*Result, error) {
	r := &Result{Folder: c.Dir, Page: filepath.Join(all.folder(all.names[0]), federation.PageFile), Nodes: len(all.names), Turns: all.turns, About: all.about,
		Seconds: took.Seconds(), SameModel: true, KilledAt: t.at, Killed: t.victim}
	f, err := load(ctx, all, all.names[0])
	if err != nil {
		return nil, err
	}
	var first []float64
	for _, name := range all.names {
		var o federation.Outcome
		if err := readJSON(filepath.Join(all.folder(name), federation.ReportFile), &o); err != nil {
			return nil, err
		}
		if o.Model == nil || o.Statement == nil {
			return nil, fault.New("node "+name+" ended without a model", "its log is "+all.file(name, ".log"))
		}
		theta := parameters(f, o.Model)
		if first == nil {
			first = theta
		}
		r.SameModel = r.SameModel && all.same(first, theta)
		r.Delta, r.Unit, r.Record = o.Statement.Delta, string(o.Statement.Unit), o.Statement.Record
		r.Each = append(r.Each, spent(name, o.Statement))
		if name == r.Killed {
			r.Incarnation = o.Status.Incarnation
		}
	}
	if err := r.audit(all); err != nil {
		return nil, err
	}
	return r, r.compare(ctx, all, first)
}

// same reports whether two models are the same. Nodes that average end within a millionth of each
// other. A token is exactly one model.
func (c *cast) same(a, b []float64) bool {
	if c.hopping {
		return slices.Equal(a, b)
	}
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-6 })
}

func readJSON(path string, value any) error {
	text, err := regular.Read(path, regular.MostFile)
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		return fault.Wrap(err, "cannot read a participant's results", "see the log beside it")
	}
	return nil
}

// parameters returns the parameters of a model file in the order of the features.
func parameters(f *federation.Federation, m *federation.Model) []float64 {
	var theta []float64
	for _, name := range f.Features() {
		theta = append(theta, float64(m.Coefficients[name]))
	}
	if m.Intercept != nil {
		theta = append(theta, float64(*m.Intercept))
	}
	return theta
}

func spent(name string, s *federation.Statement) Participant {
	p := Participant{Name: name, Contributions: s.Contributed, Cap: s.Contributions, Together: s.SpentLocal}
	for i, towards := range s.Spent {
		p.Allowed.add(towards.Allowed, i == 0)
		p.Spent.add(towards.Epsilon, i == 0)
	}
	return p
}

// audit verifies all ledgers and counts turns that were taken twice. The turn of a token must not
// be taken twice by one node or by two. In gossip all nodes take every turn, so only two by one
// node count.
func (r *Result) audit(all *cast) error {
	taken, twice := map[federation.Taking]int{}, map[federation.Taking]bool{}
	for _, name := range all.names {
		l, err := ledger.Open(filepath.Join(all.folder(name), federation.LedgerFile))
		if err != nil {
			return err
		}
		own, err := federation.Takings(l, step.Turn(r.Turns))
		if err == nil {
			err = l.Verify()
		}
		if closed := l.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		for turn, times := range own {
			taken[turn] += times
			if times > 1 && !all.hopping {
				twice[turn] = true
			}
		}
		r.Ledgers++
	}
	for turn, times := range taken {
		switch {
		case twice[turn] || all.hopping && times > 1:
			r.TurnsTaken++
			r.TurnsTwice++
		case all.hopping || times == len(all.names):
			r.TurnsTaken++
		}
	}
	return nil
}

// compare scores three kinds of models on test rows: the federation's, one trained on all rows in
// one place, and each participant's own.
func (r *Result) compare(ctx context.Context, all *cast, theta []float64) error {
	var objective model.Objective
	var pool, test model.Examples
	var each, owns []model.Examples
	for _, name := range all.names {
		f, err := load(ctx, all, name)
		if err != nil {
			return err
		}
		learnt, own, err := all.examples(f, name)
		if err != nil {
			return err
		}
		objective, each, owns = f.Objective(), append(each, learnt), append(owns, own)
		pool.Features, test.Features = learnt.Features, learnt.Features
		pool.X, pool.Y = append(pool.X, learnt.X...), append(pool.Y, learnt.Y...)
		test.X, test.Y = append(test.X, own.X...), append(test.Y, own.Y...)
		if all.tests != "" { // the same for everybody
			test = own
		}
	}
	accuracy := func(theta []float64, test model.Examples) float64 {
		_, right := objective.Score(theta, test)
		return right
	}
	trained := func(ex model.Examples) []float64 { return objective.Minimise(ex, make([]float64, len(theta)), 300) }
	r.Accuracy, r.Pooled, r.TestRows = accuracy(theta, test), accuracy(trained(pool), test), test.Len()
	for k, ex := range each {
		alone, n := trained(ex), float64(len(each))
		r.Alone += accuracy(alone, test) / n
		r.OwnAccuracy, r.OwnAlone = r.OwnAccuracy+accuracy(theta, owns[k])/n, r.OwnAlone+accuracy(alone, owns[k])/n
	}
	return nil
}

// examples returns the examples on which a participant trains, and the test examples.
func (c *cast) examples(f *federation.Federation, name string) (learnt, test model.Examples, err error) {
	of := func(b *dataset.Block) model.Examples { return model.Examples{Features: b.Features, X: b.X, Y: b.Y} }
	share := 0.0
	if c.tests == "" {
		share = kept
	}
	shard, err := f.Read(c.file(name, ".csv"), share)
	if err != nil {
		return learnt, test, err
	}
	learnt, test = of(&shard.Train), of(&shard.Test)
	if c.tests != "" {
		if shard, err = f.Read(c.tests, 0); err == nil {
			test = of(&shard.Train)
		}
	}
	return learnt, test, err
}

// Sound reports whether the demonstration showed everything that it should; the error names the
// first failure.
func (r *Result) Sound() error {
	for _, wrong := range []struct {
		bad  bool
		what string
	}{
		{r.Ledgers != r.Nodes, fmt.Sprintf("%d of %d ledgers were verified", r.Ledgers, r.Nodes)},
		{r.TurnsTaken != r.Turns, fmt.Sprintf("the ledgers hold %d of %d turns", r.TurnsTaken, r.Turns)},
		{r.TurnsTwice != 0, fmt.Sprintf("%d turns were taken twice", r.TurnsTwice)},
		{!r.SameModel, "the participants ended with different models"},
	} {
		if wrong.bad {
			return fault.New(wrong.what, "this is a fault of Hearsay; please report it with the folder "+r.Folder)
		}
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
