package experiment

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Trainer is a program that computes an external model and has stated its layout and its rows.
type Trainer interface {
	model.Program
	// Initial returns the model's initial parameters, in the order of the layout.
	Initial() []float64
	// Tensors returns the program's own names of the model's parts, with their shapes, in the same order.
	Tensors() []report.Tensor
	// Rows returns the numbers of training rows and of test rows that the program holds.
	Rows() (train, test int)
	// Close ends the program. Later questions to it fail with an error.
	Close()
}

// externalRecipe returns a model file's part on an external model. It returns nil for other models.
func externalRecipe(m *spec.Model) *report.External {
	if m.Kind != (model.External{}).Name() {
		return nil
	}
	e := &report.External{Name: m.Name, Layout: m.Layout, Initial: m.Initial}
	if trainer, ok := m.Program.(Trainer); ok {
		e.Tensors = trainer.Tensors()
	}
	return e
}

// external returns the objective of a model that another program computes. The spec does not name the program.
func external(h *family.Holdings) (model.Objective, error) {
	m := h.Spec.Model
	made := model.External{Title: m.Name, Parameters: m.Parameters, Classifies: m.Task == "classification"}
	if trainer, ok := m.Program.(Trainer); ok {
		made.Program, made.Begin = trainer, trainer.Initial()
	}
	return model.Objective{Model: made, L2: m.L2}, nil
}

// trouble returns the reason why the program of an external model does not answer. It returns nil if it does or if there is none.
func trouble(h *family.Holdings) error {
	m, ok := h.Objective.Model.(model.External)
	switch {
	case !ok:
		return nil
	case m.Program == nil:
		return fault.New(fmt.Sprintf("model.kind: external, and no program answers for %s", m.Title), "say which with --model, such as --model 'python3 my_model.py'")
	}
	return m.Program.Err()
}
