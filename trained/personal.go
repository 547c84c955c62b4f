package trained

import (
	"context"
	"fmt"
	"runtime"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// homeIterations is the number of iterations of each fit at home, as in the comparison of a run. mostHeld is the
// largest number of multiplications for all ten parts on which fits are tried, about half a minute; a row adds the time
// of rowWork. fewParts is the number of parts if ten exceed it.
const (
	homeIterations = 300
	mostHeld       = 2e10
	rowWork        = 50
	fewParts       = 3
)

// A Personal is a joint model after one participant's last step at home, and its scores there.
type Personal struct {
	File  *report.ModelFile // of the model at home
	Rows  int               // rows that were fitted
	Left  int               // rows left out: a value or the label is missing
	Parts int               // number of held-out tenths of the rows behind Joint, Alone and Home

	Joint, Alone, Home Score // on rows that no fit has seen; the joint model may have seen them
	Wins               int   // parts on which Home has a lower loss than Joint
}

// Personalise fits the model to the labelled rows of a sheet. name stands for the sheet in messages. It scores the
// joint model, a model of the rows alone and the step at home on tenths of the rows. All choices for a tenth are made
// on the other rows.
func (m *Model) Personalise(ctx context.Context, sheet *dataset.Sheet, name string, progress func(done, total int)) (*Personal, error) {
	ex, left, err := m.toFit(sheet, name)
	if err != nil {
		return nil, err
	}
	p := &Personal{Rows: ex.Len(), Left: left, Parts: model.Folds}
	if work := homeIterations * model.Folds * model.TunedWork * float64(ex.Len()) * float64(len(m.Theta)+rowWork); work > mostHeld {
		p.Parts = fewParts
	}
	if err := m.tryParts(ctx, p, ex, progress); err != nil {
		return nil, err
	}
	fit := m.objective.AtHome(ex, m.Theta, homeIterations)
	for _, v := range fit.Theta {
		if !finite(v) {
			return nil, fault.New(fmt.Sprintf("the fit to %s diverged", name), "check the values of its columns")
		}
	}
	home := &report.Home{Near: fit.Near, Weight: report.Number(fit.Weight), Rows: p.Rows,
		Chosen: "least loss in 10-fold cross-validation of these rows, among the joint model, four fits near it and four without it"}
	p.File = m.File.AtHome(home, fit.Theta)
	return p, nil
}

// toFit returns the rows of a sheet that can be fitted, and how many cannot.
func (m *Model) toFit(sheet *dataset.Sheet, name string) (model.Examples, int, error) {
	fail := func(what, hint string) (model.Examples, int, error) {
		return model.Examples{}, 0, fault.New(what, hint)
	}
	switch {
	case m.File.Home != nil:
		return fail("the model holds rows of a home already", "give the joint model: the model.json of a result or of a participant")
	case m.File.Kind == (model.ConvNet{}).Name():
		return fail("a convnet is not fitted at home: choosing takes some hundred trainings", "use features that are computed (data.features) with kind multinomial")
	case sheet.Labels == nil:
		return fail(fmt.Sprintf("%s has no column %q, which holds the label", name, m.File.Target), "add it: a model is fitted to rows whose answer is known")
	}
	ex, unlabelled, unknown := m.labelled(sheet)
	switch {
	case len(unknown) > 0 && len(m.File.Classes) > 0:
		return fail(fmt.Sprintf("%s: %d labels are no class of the model, %q among them", name, len(unknown), unknown[0]), fmt.Sprintf("its classes are %q", []string(m.File.Classes)))
	case len(unknown) > 0:
		return fail(fmt.Sprintf("%s: %d labels are no number, %q among them", name, len(unknown), unknown[0]), "correct them, or leave the rows out")
	case unlabelled > 0 && m.File.Missing == "error":
		return fail(fmt.Sprintf("%s: %d rows have no label, and the model was trained with missing: error", name, unlabelled), "leave the rows out")
	case ex.Len() < model.LeastTuned:
		return fail(fmt.Sprintf("%s has %d complete rows with a label, of at least %d", name, ex.Len(), model.LeastTuned), "use the joint model: so few rows cannot choose")
	}
	return ex, len(sheet.Place) - ex.Len(), nil
}

// begin returns the initial parameters of a model trained alone.
func (m *Model) begin() []float64 {
	if starts, ok := m.predictor.(model.Starter); ok {
		var s step.Stream
		bound := math.Inf(1)
		if m.File.RowNorm != nil {
			bound = *m.File.RowNorm
		}
		return starts.Start(m.width, bound, s.At(1, 0, 0, 0, step.Placement))
	}
	return make([]float64, len(m.Theta))
}

// tryParts scores the three models on tenths of the rows.
func (m *Model) tryParts(ctx context.Context, p *Personal, ex model.Examples, progress func(done, total int)) error {
	tallies := make([][3]held, p.Parts)
	done := parallel.Count(p.Parts, progress)
	parallel.Each(p.Parts, runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() != nil {
			return
		}
		learnt, kept := m.objective.Fold(ex, i)
		if learnt.Len() > 0 && kept.Len() > 0 {
			alone := m.objective.Tuned(learnt, m.begin(), homeIterations)
			home := m.objective.AtHome(learnt, m.Theta, homeIterations)
			for k, theta := range [][]float64{m.Theta, alone.Theta, home.Theta} {
				tallies[i][k].add(m, theta, kept)
			}
		}
		done(1)
	})
	var sums [3]held
	for _, part := range tallies {
		if part[2].loss < part[0].loss {
			p.Wins++
		}
		for k := range sums {
			sums[k].merge(&part[k])
		}
	}
	p.Joint, p.Alone, p.Home = sums[0].score(m), sums[1].score(m), sums[2].score(m)
	return ctx.Err()
}

// A held holds the sums over rows that were held out of a fit.
type held struct {
	model.Tally
	loss float64 // sum over rows
}

func (h *held) add(m *Model, theta []float64, kept model.Examples) {
	loss, _ := m.objective.Score(theta, kept)
	h.loss += float64(loss * float64(kept.Len()))
	h.Add(m.predictor, theta, kept)
}

func (h *held) merge(other *held) {
	h.loss += other.loss
	h.Merge(&other.Tally)
}

// score converts sums to means.
func (h *held) score(m *Model) Score {
	n := float64(h.Rows)
	s := Score{Rows: h.Rows, Loss: h.loss / n}
	if len(m.File.Classes) == 0 {
		root, mean := m.unit()*h.RMSE(), m.unit()*h.MAE()
		s.RMSE, s.MAE = &root, &mean
		return s
	}
	accuracy := h.Right()
	s.Accuracy = &accuracy
	if balanced := h.Balanced(); !math.IsNaN(balanced) {
		s.Balanced = &balanced
	}
	return s
}

// Advice returns a sentence that says which model to use.
func (p *Personal) Advice() string {
	switch least := min(p.Joint.Loss, p.Alone.Loss, p.Home.Loss); {
	case math.IsInf(float64(p.File.Home.Weight), 1):
		return "Use the joint model: no fit to these rows did better, and the file has its parameters as they are."
	case p.Home.Loss == least:
		return fmt.Sprintf("Use the model at home for rows like these: on rows that it has not seen it loses less than the joint model in %d of %d parts.", p.Wins, p.Parts)
	case p.Alone.Loss == least:
		return "Use either the model at home or one of these rows alone: the joint model adds nothing here that was found."
	}
	return "Use the joint model: a choice made on other rows of the table did worse than it."
}
