package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
)

// objective makes the model of a spec for the labels of the data.
func objective(h *family.Holdings) (model.Objective, error) {
	m := h.Spec.Model
	if m.Kind == (model.External{}).Name() {
		return external(h)
	}
	if err := checkTask(h); err != nil {
		return model.Objective{}, err
	}
	o := model.Options{Intercept: m.Intercept, Hidden: m.Hidden, Maps: m.Maps, Kernel: m.Kernel}
	var err error
	if m.Kind == (model.ConvNet{}).Name() {
		if o.Picture, err = pictures(h); err != nil {
			return model.Objective{}, err
		}
	}
	if h.Federation.Task == dataset.Classification {
		o.Classes = len(h.Federation.Classes)
		if o.Weights, err = classWeights(m.ClassWeights, h.Federation.Classes); err != nil {
			return model.Objective{}, err
		}
	}
	made, _ := model.New(m.Kind, o)
	return model.Objective{Model: made, L2: m.L2, Regulariser: regulariser(m.Regulariser)}, nil
}

// regulariser returns the function that a checked spec names, zero for none.
func regulariser(r *spec.Regulariser) model.Regulariser {
	if r == nil {
		return model.Regulariser{}
	}
	or := func(x *float64) float64 {
		if x == nil {
			return 0
		}
		return *x
	}
	return model.Regulariser{Kind: model.RegulariserKind(r.Kind), Weight: r.Weight, Low: or(r.Low), High: or(r.High), Total: or(r.Total)}
}

// checkTask refuses a model that the labels do not fit.
func checkTask(h *family.Holdings) error {
	task, kind, classes := h.Federation.Task, h.Spec.Model.Kind, len(h.Federation.Classes)
	if !slices.Contains(model.Kinds(), kind) {
		return fault.New(fmt.Sprintf("model.kind: %q is not known", kind), "use one of "+strings.Join(model.Kinds(), ", "))
	}
	fits := map[string]bool{
		"logistic":    task == dataset.Classification && classes == 2,
		"hinge":       task == dataset.Classification && classes == 2,
		"multinomial": task == dataset.Classification && classes >= 2,
		"mlp":         task == dataset.Classification && classes >= 2 || task == dataset.Regression && h.Spec.Model.ClassWeights == nil,
		"convnet":     task == dataset.Classification && classes >= 2,
		"ridge":       task != dataset.Mean, "absolute": task != dataset.Mean, "mean": true, "histogram": task == dataset.Classification && classes >= 2,
	}
	if fits[kind] {
		return nil
	}
	if kind == "mlp" && task == dataset.Regression {
		return fault.New("model.class_weights: the labels are numbers", "leave them out, or set data.task: classification")
	}
	return fault.New(fmt.Sprintf("model.kind: %s cannot learn from %s, %s", kind, h.Federation.Source, labels(h)),
		"logistic and hinge take two classes, multinomial and convnet two or more, mlp classes or numbers, ridge and absolute take numbers, mean takes no labels, histogram classes")
}

// pictures returns the shape of rows. The spec gives it, or the source is known to have it.
func pictures(h *family.Holdings) (p model.Picture, err error) {
	features, shape := h.Federation.Shards.Features, h.Spec.Data.Picture(h.Federation.Shards.Features)
	if shape == nil {
		return p, fault.New(fmt.Sprintf("data.shape: is missing, and a convnet takes rows of %d numbers as pictures", features),
			"give planes, rows and columns, such as shape: [1, 8, 8]")
	}
	if p = (model.Picture{Planes: shape[0], Rows: shape[1], Columns: shape[2]}); p.Pixels() != features {
		return p, fault.New(fmt.Sprintf("data.shape: pictures of %d planes of %d by %d have %d numbers, and rows have %d", p.Planes, p.Rows, p.Columns, p.Pixels(), features),
			"give planes, rows and columns whose product is the number of features")
	}
	if p.Rows < 4 || p.Columns < 4 {
		return p, fault.New(fmt.Sprintf("data.shape: a convnet halves pictures twice, and these are %d by %d", p.Rows, p.Columns), "use pictures of 4 by 4 or more, or kind: mlp")
	}
	return p, nil
}

// labels describes the labels of the data.
func labels(h *family.Holdings) string {
	switch h.Federation.Task {
	case dataset.Classification:
		return fmt.Sprintf("whose labels are %d classes", len(h.Federation.Classes))
	case dataset.Mean:
		return "which has no labels"
	}
	return "whose labels are numbers"
}

// classWeights returns weights in the order of the classes. It returns nil if none is given.
func classWeights(given map[string]float64, classes []string) ([]float64, error) {
	if given == nil {
		return nil, nil
	}
	weights, named := slices.Repeat([]float64{1}, len(classes)), map[int]string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		c := dataset.ClassIndex(classes, name)
		if c < 0 {
			return nil, fault.New(fmt.Sprintf("model.class_weights: there is no class %q", name), "the classes are "+strings.Join(classes, ", "))
		}
		if other, twice := named[c]; twice {
			return nil, fault.New(fmt.Sprintf("model.class_weights: %s and %s are the same class", other, name), "give each class one weight")
		}
		named[c], weights[c] = name, given[name]
	}
	return weights, nil
}
