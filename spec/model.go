package spec

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Widths lists the units of hidden layers, or other sizes. YAML may give a list or one number.
type Widths []int

// UnmarshalYAML implements the two spellings.
func (w *Widths) UnmarshalYAML(unmarshal func(any) error) error {
	var scalar any
	if err := unmarshal(&scalar); err != nil {
		return err
	}
	given, list := scalar.([]any)
	if !list {
		given = []any{scalar}
	}
	*w = nil
	for _, value := range given {
		var x float64
		if !isNumber(fmt.Sprint(value), &x) || x != math.Trunc(x) || !(x >= 1 && x <= mostUnits) {
			return invalid(fmt.Sprintf("hidden, maps or shape: %v is no number of units, maps or pixels", value),
				fmt.Sprintf("give whole numbers from 1 to %d, such as [32]", mostUnits))
		}
		*w = append(*w, int(x))
	}
	return nil
}

// The largest network: a small one.
const mostUnits, mostLayers, usualUnits = 4096, 2, 32

// Defaults of a convolutional network, and its largest kernel and number of maps.
const (
	convolving, usualKernel, mostKernel, mostMaps = 2, 5, 15, 256
	usualAbove                                    = 64
)

// checkConvNet fills in the defaults of a convolutional network and checks its keys.
func (s *Spec) checkConvNet() error {
	m := &s.Model
	if m.Hidden == nil {
		m.Hidden = Widths{usualAbove}
	}
	if m.Maps == nil {
		m.Maps = Widths{32, 64}
	}
	if m.Kernel == 0 {
		m.Kernel = usualKernel
	}
	switch {
	case !m.Intercept:
		return invalid("model.intercept: a convnet always has constants", "leave it out, or use kind: mlp")
	case len(m.Hidden) != 1:
		return invalid(fmt.Sprintf("model.hidden: %d hidden layers of a convnet", len(m.Hidden)), "give the units of the one it has, such as 64")
	case len(m.Maps) != convolving || slices.Max(m.Maps) > mostMaps:
		return invalid(fmt.Sprintf("model.maps: %v", []int(m.Maps)), fmt.Sprintf("give those of two convolutions, up to %d, such as [32, 64]", mostMaps))
	case m.Kernel < 1 || m.Kernel > mostKernel || m.Kernel%2 == 0:
		return invalid(fmt.Sprintf("model.kernel: %d", m.Kernel), fmt.Sprintf("give an odd number up to %d, such as 5", mostKernel))
	}
	return nil
}

// checkShape checks the shape of pictures.
func (s *Spec) checkShape() error {
	if n := len(s.Data.Shape); n != 0 && n != 3 {
		return invalid(fmt.Sprintf("data.shape: %d numbers", n), "give planes, rows and columns of a picture, such as [1, 28, 28]")
	}
	return nil
}

// checkModel refuses keys that belong to another kind and fills in the defaults of a network.
// Which kinds exist, and whether they fit the labels, is checked where the data are known.
func (s *Spec) checkModel() error {
	m := &s.Model
	if m.is("softmax") {
		m.Kind = "multinomial"
	}
	for _, check := range []func() error{s.checkShape, s.checkFeatures} {
		if err := check(); err != nil {
			return err
		}
	}
	switch {
	case m.is("convnet"):
		if err := s.checkConvNet(); err != nil {
			return err
		}
	case m.Maps != nil || m.Kernel != 0:
		return invalid(fmt.Sprintf("model: maps and kernel are of a convnet, not of %s", m.Kind), "leave them out, or use kind: convnet")
	case m.is("mlp") && m.Hidden == nil:
		m.Hidden = Widths{usualUnits}
	case m.is("mlp") && (len(m.Hidden) == 0 || len(m.Hidden) > mostLayers):
		return invalid(fmt.Sprintf("model.hidden: %d hidden layers", len(m.Hidden)), "give the units of one or two, such as [32] or [64, 32]")
	case !m.is("mlp") && m.Hidden != nil:
		return invalid(fmt.Sprintf("model.hidden: a %s model has no hidden layers", m.Kind), "leave it out, or use kind: mlp")
	case m.ClassWeights != nil && !m.classifies():
		return invalid(fmt.Sprintf("model.class_weights: a %s model has no classes", m.Kind), "leave them out, or use kind: logistic, hinge, multinomial, mlp or convnet")
	}
	if err := s.checkExternal(); err != nil {
		return err
	}
	if err := s.checkRegulariser(); err != nil {
		return err
	}
	for class, w := range m.ClassWeights {
		if !(w >= 1e-6 && w <= 1e6) {
			return invalid(fmt.Sprintf("model.class_weights: %q weighs %g", class, w), "give public numbers between 1e-06 and 1e+06")
		}
	}
	return nil
}

// checkDeclared checks the classes that a simulation is given, so that it does not read them
// from the data.
func (s *Spec) checkDeclared() error {
	d := &s.Data
	switch {
	case d.Classes == nil:
		return nil
	case d.Source != "csv" || d.Task == "regression":
		return invalid(fmt.Sprintf("data.classes is for source: csv, and the source is %q", d.Source), "leave classes out, or write source: csv")
	case len(d.Classes) < 2:
		return invalid(fmt.Sprintf("data.classes: %d", len(d.Classes)), "list all labels, of two the positive one last")
	}
	for i, class := range d.Classes {
		if slices.Contains(d.Classes[:i], class) {
			return invalid(fmt.Sprintf("data.classes: %q stands there twice", class), "list every label once")
		}
	}
	return nil
}

// classifies reports whether the model can have classes.
func (m Model) classifies() bool { return m.isOf("logistic", "hinge", "multinomial", "mlp", "convnet") }
