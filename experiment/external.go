package experiment

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Trainer is a program that computes an external model, once it has said what it holds.
type Trainer interface {
	model.Program
	// Initial is what its model begins with, in the order of the layout.
	Initial() []float64
	// Tensors are the program's own names of its parts, with their shapes, in the same order.
	Tensors() []report.Tensor
	// Rows are how many rows it holds to learn from, and for testing.
	Rows() (train, test int)
	// Close ends it, and whoever asks it is told.
	Close()
}

// externalRecipe is what a model file says of such a model; nil of others.
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

// external is the objective of a model that another program computes, which the spec does not name.
func external(h *family.Holdings) (model.Objective, error) {
	m := h.Spec.Model
	made := model.External{Title: m.Name, Parameters: m.Parameters, Classifies: m.Task == "classification"}
	if trainer, ok := m.Program.(Trainer); ok {
		made.Program, made.Begin = trainer, trainer.Initial()
	}
	return model.Objective{Model: made, L2: m.L2}, nil
}

// trouble is why the program of an external model does not answer, nil where it does or where there is none.
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
