package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Result is what a demonstration came to.
type Result struct {
	Folder      string        `json:"folder"`
	Page        string        `json:"page"` // of one participant; each folder has one
	Nodes       int           `json:"nodes"`
	Turns       int           `json:"turns"`
	Seconds     float64       `json:"seconds"`
	Killed      string        `json:"killed"`
	KilledAt    int64         `json:"killed_at_turn"`
	Accuracy    float64       `json:"accuracy"`        // of the federation's model, on rows nobody trained on
	Pooled      float64       `json:"pooled_accuracy"` // of training on everybody's rows in one place, without noise
	Delta       float64       `json:"delta"`
	Unit        string        `json:"unit"`             // what losses are about
	Record      string        `json:"record,omitempty"` // in words
	Each        []Participant `json:"participants"`
	Ledgers     int           `json:"ledgers_verified"`
	TurnsTaken  int           `json:"turns_taken"`       // how many turns some ledger holds
	TurnsTwice  int           `json:"turns_taken_twice"` // how many of them more than once
	SameModel   bool          `json:"same_model"`        // all participants ended with the same
	Incarnation uint64        `json:"incarnations_of_killed"`
}

// Participant is what the run cost one of them.
type Participant struct {
	Name          string  `json:"name"`
	Contributions int     `json:"contributions"`
	Cap           int     `json:"cap"`
	Allowed       Between `json:"allowed_epsilon"` // towards one other
	Spent         Between `json:"spent_epsilon"`
	Together      float64 `json:"spent_towards_all_epsilon"`
}

// Between is the least and the worst loss towards one other participant.
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

// review reads what all have left behind.
func review(ctx context.Context, c Config, all *cast, t *troupe, took time.Duration) (*Result, error) {
	r := &Result{Folder: c.Dir, Page: filepath.Join(all.folder(all.names[0]), federation.PageFile), Nodes: len(all.names), Turns: c.Steps,
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
		r.SameModel = r.SameModel && slices.Equal(first, theta)
		r.Delta, r.Unit, r.Record = o.Statement.Delta, string(o.Statement.Unit), o.Statement.Record
		r.Each = append(r.Each, spent(name, o.Statement))
		if name == r.Killed {
			r.Incarnation = o.Status.Incarnation
		}
	}
	if err := r.audit(all); err != nil {
		return nil, err
	}
	return r, r.compare(f, all, first)
}

func readJSON(path string, value any) error {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		return fault.Wrap(err, "cannot read a participant's results", "see the log beside it")
	}
	return nil
}

// parameters are those of a model file in the order of the features.
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

// audit verifies all ledgers and looks for turns that were taken twice, by one
// node or by two.
func (r *Result) audit(all *cast) error {
	taken := map[federation.Taking]int{}
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
		}
		r.Ledgers++
	}
	for _, times := range taken {
		r.TurnsTaken++
		if times > 1 {
			r.TurnsTwice++
		}
	}
	return nil
}

// compare scores the model, and one trained on all rows in one place.
func (r *Result) compare(f *federation.Federation, all *cast, theta []float64) error {
	test, err := examples(f, all.test)
	if err != nil {
		return err
	}
	pool := model.Examples{Features: test.Features}
	for _, name := range all.names {
		ex, err := examples(f, all.file(name, ".csv"))
		if err != nil {
			return err
		}
		pool.X, pool.Y = append(pool.X, ex.X...), append(pool.Y, ex.Y...)
	}
	_, r.Accuracy = f.Objective().Score(theta, test)
	_, r.Pooled = f.Objective().Score(minimise(f.Objective(), pool, len(theta)), test)
	return nil
}

func examples(f *federation.Federation, path string) (model.Examples, error) {
	shard, err := f.Read(path, 0)
	if err != nil {
		return model.Examples{}, err
	}
	return model.Examples{Features: shard.Train.Features, X: shard.Train.X, Y: shard.Train.Y}, nil
}

// minimise is gradient descent on all rows.
func minimise(o model.Objective, ex model.Examples, params int) []float64 {
	theta, gradient, sum := make([]float64, params), make([]float64, params), make([]float64, params)
	rate := 1 / (o.Guarantees(1).Smoothness() * float64(ex.Len()))
	for range 300 {
		clear(sum)
		for i := range ex.Len() {
			x, y := ex.Row(i)
			o.Gradient(gradient, theta, x, y)
			sparse.Axpy(sum, 1, gradient)
		}
		sparse.Axpy(sum, o.L2*float64(ex.Len()), theta)
		sparse.Axpy(theta, -rate, sum)
	}
	return theta
}

// Sound reports whether everything a demonstration is to show has been seen.
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
