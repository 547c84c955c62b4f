package runs

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/trainer"
)

// A CheckQuestion holds the settings of `hearsay model check`.
type CheckQuestion struct {
	Model    string
	Rows     int
	Isolated int // number of rows that are computed again, each in its own process
	Seed     uint64
}

// A Checked holds a program's description of its model and the findings of the probes.
type Checked struct {
	Name      string          `json:"name"`
	Engine    string          `json:"engine"`
	Tensors   []report.Tensor `json:"tensors"`
	Parameter int             `json:"parameters"`
	Layout    string          `json:"layout"`
	Initial   string          `json:"initial"`
	Task      dataset.Task    `json:"task"`
	TrainRows int             `json:"train_rows"`
	TestRows  int             `json:"test_rows"`
	*trainer.Checkup
}

// Check starts a program, probes it and shows the block that a spec needs for it. It returns an error if a probe fails.
func (q *CheckQuestion) Check(ask form.Asker) error {
	if q.Model == "" {
		return fault.New("--model: is missing", "such as hearsay model check --model 'python3 my_model.py'")
	}
	if q.Rows < 2 || q.Rows > 4096 {
		return fault.New(fmt.Sprintf("--rows %d", q.Rows), "give how many rows are probed, 2 to 4096; as many as a step takes at once, best")
	}
	if q.Isolated < 0 || q.Isolated > q.Rows {
		return fault.New(fmt.Sprintf("--isolated %d", q.Isolated), "give how many of the rows are computed again, each in a process of its own, 0 to --rows")
	}
	ask.Say("starting the program")
	t, err := trainer.Open(ask.Context, trainer.Options{Command: q.Model, Seed: q.Seed, Stderr: ask.Stderr})
	if err != nil {
		return err
	}
	defer t.Close()
	ask.Say("probing it")
	found, err := t.Check(q.Rows, q.Isolated, rand.New(rand.NewPCG(q.Seed, 0)))
	if err != nil {
		return err
	}
	h := t.Hello()
	task, err := taskOf(t)
	if err != nil {
		return err
	}
	answer := &Checked{Name: h.Name, Engine: h.Engine, Tensors: h.Layout.Tensors, Parameter: h.Layout.Parameters(), Layout: h.Layout.Digest(),
		Initial: h.Begin, Task: task, TrainRows: h.TrainRows, TestRows: h.TestRows, Checkup: found}
	if err := ask.Show(answer); err != nil {
		return err
	}
	if !found.Passed() {
		return fault.New("the program did not pass", "a number for one record does not hold for it; unit: participant holds for any program")
	}
	return nil
}

// taskOf returns the task of a program. It is classification if the score of the initial model has an accuracy, and else
// regression.
func taskOf(t *trainer.Trainer) (dataset.Task, error) {
	rows := make([]int, min(64, t.Hello().TrainRows))
	for i := range rows {
		rows[i] = i
	}
	s, err := t.Score(t.Initial(), rows)
	if err != nil || !math.IsNaN(s.Accuracy) {
		return dataset.Classification, err
	}
	return dataset.Regression, nil
}

// Print implements form.Printer.
func (c *Checked) Print(w io.Writer) error {
	fmt.Fprintf(w, "What a spec says of this program:\n\nmodel:\n  kind: external\n  name: %s\n  parameters: %d\n  layout: %s\n  initial: %s\n  task: %s\ndata: {source: external, train_rows: %d, test_rows: %d}\n\n",
		c.Name, c.Parameter, c.Layout, c.Initial, c.Task, c.TrainRows, c.TestRows)
	fmt.Fprintf(w, "%d rows were probed; gradients are computed by: %s\n", c.Rows, c.Engine)
	for _, f := range c.Findings {
		verdict := "ok"
		if f.Bad {
			verdict = "FOUND: " + f.Means
		}
		fmt.Fprintf(w, "  %-28s apart by %.1e  %s\n", f.Probe, f.Off, verdict)
	}
	if c.NotFinite > 0 {
		fmt.Fprintf(w, "  FOUND: the gradients of %d rows are not finite, and count as zero\n", c.NotFinite)
	}
	for _, name := range c.Unmoved {
		fmt.Fprintf(w, "  FOUND: no row's gradient moves %s: it is never learnt\n", name)
	}
	_, err := fmt.Fprintf(w, "\nProbes find what there is to find at these rows. They do not prove that a row's gradient depends on that row alone: a number for one\n"+
		"record is sound if it does. With engine vmap or loop each row is computed as a batch of its own; a module that remembers rows could still mix them.\n")
	return err
}
