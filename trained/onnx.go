package trained

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// Opset is the version of ONNX operators in an export. irVersion is the version of
// the format. onnxruntime 1.6 and later read both.
const (
	Opset     = 13
	irVersion = 7
)

// ONNX returns the map from features to predictions as an ONNX model. It uses doubles
// throughout, so it predicts the same as Predict. The input "features" is a matrix
// with a row for each example. A classifier has the outputs "label", the names of the
// classes, and "probabilities", a column for each class. A regression has the output
// "prediction".
func (m *Model) ONNX() ([]byte, error) {
	if m.File.Kind == (model.ConvNet{}).Name() {
		return nil, fault.New("a convnet is not exported: ONNX runtimes have no convolutions of doubles, and would predict something else",
			"use hearsay predict, or its parameters in model.json")
	}
	if m.chain != nil {
		return nil, fault.New("a model of encoded rows is not exported: ONNX has no wavelet scattering",
			"use hearsay predict, or its parameters and encoding in model.json")
	}
	g := &graph{}
	d := len(m.File.Features)
	x := m.scaled(g, "features", d)
	z := m.outputs(g, x, d)
	var outputs [][]byte
	if classes := len(m.File.Classes); classes == 0 {
		m.regress(g, z)
		outputs = append(outputs, valueInfo("prediction", elemDouble, 1))
	} else {
		m.classify(g, z)
		outputs = append(outputs, valueInfo("label", elemString, 0), valueInfo("probabilities", elemDouble, classes))
	}
	return g.encode(m.metadata(), valueInfo("features", elemDouble, d), outputs), nil
}

// metadata returns the metadata of the export.
func (m *Model) metadata() [][2]string {
	f := m.File
	list := [][2]string{
		{"kind", f.Kind}, {"target", f.Target}, {"hearsay", f.Hearsay}, {"spec", f.Spec}, {"notice", f.Notice},
		{"claim", fmt.Sprintf("%s of %s, worst pair %s, accountant %s, %s", f.Claim.Metric, cmp.Or(f.Claim.Record, "one "+f.Claim.Unit), report.Loss(float64(f.Claim.Epsilon), f.Claim.Status), f.Claim.Accountant,
			f.Claim.Status)},
	}
	if f.Home != nil {
		list[len(list)-1][1] = "none"
	}
	for j, name := range f.Features {
		list = append(list, [2]string{fmt.Sprintf("feature_%d", j), name})
	}
	return list
}

// scaled adds the scaling of rows and returns the name of its output.
func (m *Model) scaled(g *graph, x string, d int) string {
	if m.columns != nil {
		shift, factor, low, high, limited := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), false
		for j, c := range m.columns {
			limit := min(c.Limit, math.MaxFloat64)
			shift[j], factor[j], low[j], high[j] = c.Shift, c.Factor, -limit, limit
			limited = limited || limit < math.MaxFloat64
		}
		x = g.node("Sub", x, g.constant("shift", shift, d))
		x = g.node("Mul", x, g.constant("factor", factor, d))
		if limited {
			x = g.node("Max", g.node("Min", x, g.constant("high", high, d)), g.constant("low", low, d))
		}
	}
	if m.File.RowNorm == nil {
		return x
	}
	// Divide by the largest entry first, so that squares do not overflow.
	tiny := g.constant("tiny", []float64{math.SmallestNonzeroFloat64 * 0x1p52}, 1)
	most := g.nodeWith("ReduceMax", []attribute{ints("axes", 1), integer("keepdims", 1)}, g.node("Abs", x))
	x = g.node("Div", x, g.node("Max", most, tiny))
	// Old runtimes have no ReduceL2 for doubles.
	square := g.nodeWith("ReduceSum", []attribute{integer("keepdims", 1)}, g.node("Mul", x, x), g.shape("columns", 1))
	return g.node("Div", x, g.node("Max", g.node("Sqrt", square), tiny))
}

// outputs adds the layers and returns the name of the last layer's output.
func (m *Model) outputs(g *graph, x string, d int) string {
	widths := []int{d, 1}
	if layered, ok := m.predictor.(interface{ Layers(int) []int }); ok {
		widths = layered.Layers(d)
	}
	theta := m.Theta
	for k := range len(widths) - 1 {
		in, out := widths[k], widths[k+1]
		weights := g.constant(fmt.Sprintf("weights_%d", k+1), theta[:in*out], out, in)
		theta = theta[in*out:]
		x = g.node("MatMul", x, g.nodeWith("Transpose", []attribute{ints("perm", 1, 0)}, weights))
		if m.File.WithIntercept {
			x = g.node("Add", x, g.constant(fmt.Sprintf("constants_%d", k+1), theta[:out], out))
			theta = theta[out:]
		}
		if k+2 < len(widths) {
			x = g.node("Tanh", x)
		}
	}
	return x
}

// regress converts the output to labels in their own unit.
func (m *Model) regress(g *graph, z string) {
	if m.label == nil {
		g.named("Identity", "prediction", nil, z)
		return
	}
	z = g.node("Div", z, g.constant("label_factor", []float64{m.label.Factor}, 1))
	g.named("Add", "prediction", nil, z, g.constant("label_shift", []float64{m.label.Shift}, 1))
}

// classify converts outputs to classes and probabilities. The first of the largest
// outputs wins. For two classes with a margin, the second wins if the margin is at
// least 0.
func (m *Model) classify(g *graph, z string) {
	var index string
	if _, margin := m.predictor.(model.Linear); margin {
		p := g.node("Sigmoid", z)
		g.named("Concat", "probabilities", []attribute{integer("axis", 1)}, g.node("Sigmoid", g.node("Neg", z)), p)
		flat := g.node("Reshape", z, g.shape("flat", -1))
		index = g.nodeWith("Cast", []attribute{integer("to", elemInt64)}, g.node("GreaterOrEqual", flat, g.constant("zero", []float64{0}, 1)))
	} else {
		g.named("Softmax", "probabilities", []attribute{integer("axis", 1)}, z)
		index = g.nodeWith("ArgMax", []attribute{integer("axis", 1), integer("keepdims", 0)}, z)
	}
	g.named("Gather", "label", []attribute{integer("axis", 0)}, g.texts("classes", m.File.Classes), index)
}
