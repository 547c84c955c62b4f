// Package trained uses the result of a run. It reads a model file, predicts from the
// rows of a table, and exports the model as ONNX.
package trained

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/scatter"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// FileName is the name of the model file in the folder of a result or a participant.
const FileName = "model.json"

// Limits on a model file. A hostile file is refused before anything is allocated for
// it.
const (
	mostBytes    = 256 << 20
	mostFeatures = 1 << 20
	mostParams   = 1 << 24
	mostClasses  = 100
	mostUnits    = 4096
	mostLayers   = 2
)

// A Model is a checked model file with one of its models. It is safe for concurrent
// use.
type Model struct {
	File  *report.ModelFile
	Theta []float64 // the parameters

	objective model.Objective
	predictor model.Predictor
	columns   []dataset.Column
	chain     *scatter.Chain // nil: rows are not encoded
	width     int            // of an encoded row
	label     *dataset.Column
}

// Open reads the model file at path, or in the folder at path. trial selects the
// model, from 0, if the file holds several trials.
func Open(path string, trial int) (*Model, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	text, err := regular.Read(path, mostBytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fault.New("no model at "+path, "give a model.json, or the folder of a result or of a participant that holds one")
	}
	if err != nil {
		return nil, fault.Wrap(err, "cannot read "+path, cmp.Or(fault.Hint(err), "give the model.json of a result or of a participant"))
	}
	m, err := Read(text, trial)
	if err != nil {
		return nil, fault.Wrap(err, path, fault.Hint(err))
	}
	return m, nil
}

// changed is the hint for a file that no run writes.
const changed = "the model file was changed by hand or damaged: take the original"

// Read parses the text of a model file. It is otherwise the same as Open.
func Read(text []byte, trial int) (*Model, error) {
	file := &report.ModelFile{}
	if err := json.Unmarshal(text, file); err != nil {
		return nil, fault.Wrap(err, "not a model file", "give the model.json of a result or of a participant")
	}
	switch {
	case file.Format != report.ModelFormat:
		return nil, fault.New("not a model file of this kind", "give the model.json of a result or of a participant; those written before version 1 lack what predicting needs: run the spec again")
	case file.Version != report.ModelVersion && file.Version != report.LaterVersion || (file.Version == report.LaterVersion) != file.Later():
		return nil, fault.New(fmt.Sprintf("version %d of the model file is not known here", file.Version),
			fmt.Sprintf("use the hearsay that wrote it, or a newer one; this one reads versions %d and %d", report.ModelVersion, report.LaterVersion))
	}
	m := &Model{File: file}
	for _, check := range []func() error{m.checkKind, m.checkFeatures, m.checkScaling, m.checkEncoding, func() error { return m.choose(trial) }} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// checkKind creates the objective and the predictor.
func (m *Model) checkKind() error {
	f := m.File
	classes, err := m.classes()
	if err != nil {
		return err
	}
	o := model.Options{Intercept: f.WithIntercept, Classes: classes, Hidden: f.Hidden, Maps: f.Maps, Kernel: f.Kernel}
	fits := map[string]bool{"logistic": classes == 2, "hinge": classes == 2, "absolute": classes == 0, "multinomial": classes >= 2, "mlp": true, "convnet": classes >= 2, "ridge": classes == 0}
	switch {
	case f.External != nil:
		return fault.New("a program computes this model, and it alone can use it", "give the program model.safetensors (docs/MODELS.md)")
	case f.Kind == (model.Mean{}).Name():
		return fault.New("a mean predicts nothing", "train a model with labels: logistic, hinge, multinomial, mlp, ridge or absolute")
	case !fits[f.Kind]:
		return fault.New(fmt.Sprintf("a model of kind %q with %d classes", f.Kind, classes), changed)
	case f.Kind == model.ConvNet{}.Name():
		if err := m.checkConvNet(&o); err != nil {
			return err
		}
	case (f.Kind == model.Network{}.Name()) != (len(f.Hidden) > 0) || len(f.Hidden) > mostLayers || f.Hidden != nil && f.Activation != "tanh":
		return fault.New(fmt.Sprintf("%d hidden layers of %q", len(f.Hidden), f.Activation), changed)
	}
	for _, width := range f.Hidden {
		if width < 1 || width > mostUnits {
			return fault.New(fmt.Sprintf("a hidden layer of %d units", width), changed)
		}
	}
	if o.Weights, err = m.weights(); err != nil {
		return err
	}
	made, _ := model.New(f.Kind, o)
	m.objective, m.predictor = model.Objective{Model: made}, made.(model.Predictor)
	return nil
}

// checkConvNet sets the shape of pictures. It refuses an impossible network.
func (m *Model) checkConvNet(o *model.Options) error {
	f := m.File
	if len(f.Shape) == 3 {
		o.Picture = model.Picture{Planes: f.Shape[0], Rows: f.Shape[1], Columns: f.Shape[2]}
	}
	c, few := o.Convolution(), func(n int) bool { return n > 0 && n <= mostUnits }
	if !c.Fits() || !few(c.Picture.Planes) || !few(c.Picture.Rows) || !few(c.Picture.Columns) || !few(c.Maps[0]) || !few(c.Maps[1]) ||
		c.Picture.Pixels() != len(f.Features) || c.Kernel > mostUnits || f.Activation != "relu" || !f.WithIntercept {
		return fault.New(fmt.Sprintf("a convnet of %d features with shape %v, maps %v, kernel %d, hidden %v", len(f.Features), f.Shape, f.Maps, f.Kernel, f.Hidden), changed)
	}
	return nil
}

// classes returns the number of classes, or 0 for a regression.
func (m *Model) classes() (int, error) {
	k := len(m.File.Classes)
	switch {
	case m.File.Task == string(dataset.Regression) && k == 0:
		return 0, nil
	case m.File.Task == string(dataset.Classification) && k >= 2 && k <= mostClasses:
		for i, name := range m.File.Classes {
			if dataset.ClassIndex(m.File.Classes, name) != i {
				return 0, fault.New(fmt.Sprintf("two classes are %q", name), changed)
			}
		}
		return k, nil
	case m.File.Task == string(dataset.Mean):
		return 0, nil
	}
	return 0, fault.New(fmt.Sprintf("the task %q with %d classes", m.File.Task, k), changed)
}

// weights returns the class weights of the loss. It returns nil if all are 1.
func (m *Model) weights() ([]float64, error) {
	if m.File.ClassWeights == nil {
		return nil, nil
	}
	weights := slices.Repeat([]float64{1}, len(m.File.Classes))
	for name, w := range m.File.ClassWeights {
		c := dataset.ClassIndex(m.File.Classes, name)
		if c < 0 || !(w > 0) || math.IsInf(w, 1) {
			return nil, fault.New(fmt.Sprintf("class %q weighs %g", name, w), changed)
		}
		weights[c] = w
	}
	return weights, nil
}

// Layout returns the layout in which rows are read.
func (m *Model) Layout() dataset.Layout {
	f := m.File
	layout := dataset.Layout{Features: f.Features, Target: f.Target, Categories: f.Categories, Fill: f.Fill, SkipMissing: f.Missing == "drop"}
	if f.Table != nil {
		layout.Notation = *f.Table
	}
	return layout
}

// checkFeatures refuses names that no table can have.
func (m *Model) checkFeatures() error {
	if f := m.File; len(f.Features) > mostFeatures || f.Missing != "drop" && f.Missing != "error" {
		return fault.New(fmt.Sprintf("%d features, and missing values are dealt with by %q", len(f.Features), f.Missing), changed)
	}
	return m.Layout().Check()
}

// checkScaling sets the scaling of the features and the label.
func (m *Model) checkScaling() error {
	f := m.File
	if len(f.Columns) != 0 && len(f.Columns) != len(f.Features) {
		return fault.New(fmt.Sprintf("%d columns are scaled, of %d features", len(f.Columns), len(f.Features)), changed)
	}
	for j, c := range f.Columns {
		if c.Name != f.Features[j] {
			return fault.New(fmt.Sprintf("column %q stands where feature %q does", c.Name, f.Features[j]), changed)
		}
		column, err := scaling(c)
		if err != nil {
			return err
		}
		m.columns = append(m.columns, column)
	}
	if f.RowNorm != nil && *f.RowNorm != 1 {
		return fault.New(fmt.Sprintf("rows of norm %g", *f.RowNorm), changed)
	}
	if f.Label == nil {
		return nil
	}
	label, err := scaling(*f.Label)
	m.label = &label
	if err == nil && label.Factor == 0 {
		return fault.New("the label was constant when the model was trained", "train on labels that differ")
	}
	return err
}

// checkEncoding prepares the encoding of rows.
func (m *Model) checkEncoding() (err error) {
	m.width = len(m.File.Features)
	if m.chain, err = m.File.Encoding.Chain(m.width); err != nil {
		return fault.Wrap(err, "encoding", changed)
	}
	if m.chain != nil {
		m.width = m.chain.Size()
	}
	return nil
}

// scaling converts a scaling to a column of package dataset.
func scaling(s report.Scaling) (dataset.Column, error) {
	c := dataset.Column{Name: s.Name, Shift: s.Shift, Factor: s.Factor, Limit: float64(s.Limit)}
	if !finite(c.Shift) || !finite(c.Factor) || !(c.Limit > 0) {
		return c, fault.New(fmt.Sprintf("column %q is scaled by %g and %g, limited to %g", c.Name, c.Shift, c.Factor, c.Limit), changed)
	}
	return c, nil
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// choose selects the parameters of a trial.
func (m *Model) choose(trial int) error {
	f := m.File
	has := max(1, len(f.Trials))
	if trial < 0 || trial >= has {
		return fault.New(fmt.Sprintf("there is no trial %d among %d", trial, has), fmt.Sprintf("give a number from 0 to %d", has-1))
	}
	p := f.Parameters
	if len(f.Trials) > 0 {
		p = f.Trials[trial].Parameters
	}
	want := m.predictor.Params(m.width)
	if want > mostParams {
		return fault.New(fmt.Sprintf("%d parameters", want), fmt.Sprintf("at most %d can be read", mostParams))
	}
	theta, err := m.inOrder(p, want)
	if err != nil {
		return err
	}
	for _, v := range theta {
		if !finite(v) {
			return fault.New("a parameter is not a number", "the run that trained the model diverged, or "+changed)
		}
	}
	m.Theta = theta
	return nil
}

// inOrder returns the want parameters in the order of the features.
func (m *Model) inOrder(p report.Parameters, want int) ([]float64, error) {
	if p.Coefficients == nil || m.chain != nil {
		if len(p.Values) != want {
			return nil, fault.New(fmt.Sprintf("%d parameters where the model has %d", len(p.Values), want), changed)
		}
		return p.Values, nil
	}
	if len(p.Coefficients) != len(m.File.Features) || p.Values != nil || (p.Intercept != nil) != (want == len(m.File.Features)+1) {
		return nil, fault.New(fmt.Sprintf("%d coefficients where the model has %d parameters", len(p.Coefficients), want), changed)
	}
	theta := make([]float64, 0, want)
	for _, name := range m.File.Features {
		v, has := p.Coefficients[name]
		if !has {
			return nil, fault.New(fmt.Sprintf("feature %q has no coefficient", name), changed)
		}
		theta = append(theta, float64(v))
	}
	if p.Intercept != nil {
		theta = append(theta, float64(*p.Intercept))
	}
	if len(theta) != want {
		return nil, fault.New(fmt.Sprintf("%d parameters where the model has %d", len(theta), want), changed)
	}
	return theta, nil
}
