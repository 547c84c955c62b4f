package trained_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hearsay-dp/hearsay/trained"
)

// fields are those of a protobuf message, by number, in their order.
type fields map[protowire.Number][]field

type field struct {
	number uint64
	bytes  []byte
}

func decode(t *testing.T, b []byte) fields {
	t.Helper()
	f := fields{}
	for len(b) > 0 {
		at, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal("no tag")
		}
		b = b[n:]
		var one field
		switch kind {
		case protowire.VarintType:
			one.number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			one.bytes, n = protowire.ConsumeBytes(b)
		default:
			t.Fatalf("wire type %d", kind)
		}
		if n < 0 {
			t.Fatal("cut short")
		}
		b, f[at] = b[n:], append(f[at], one)
	}
	return f
}

func (f fields) text(at protowire.Number) string { return string(f[at][0].bytes) }

// tensor is a matrix, or a vector where rows is 0.
type tensor struct {
	dims  []int
	data  []float64
	texts []string
}

func (x tensor) columns() int { return x.dims[len(x.dims)-1] }

func (x tensor) rows() int { return len(x.data) / x.columns() }

// broadcast applies do to entries of matrices, of which b can be one row or column.
func broadcast(a, b tensor, do func(x, y float64) float64) tensor {
	out := tensor{dims: a.dims, data: make([]float64, len(a.data))}
	for i := range a.data {
		row, column := i/a.columns(), i%a.columns()
		if b.rows() == 1 {
			row = 0
		}
		if b.columns() == 1 {
			column = 0
		}
		out.data[i] = do(a.data[i], b.data[row*b.columns()+column])
	}
	return out
}

// byRow reduces every row of a matrix to so many numbers.
func byRow(a tensor, columns int, do func(row []float64) []float64) tensor {
	out := tensor{dims: []int{a.rows(), columns}}
	for i := range a.rows() {
		out.data = append(out.data, do(a.data[i*a.columns():(i+1)*a.columns()])...)
	}
	return out
}

// onnxRun is a small evaluator of the operators that are used, by their definition.
func onnxRun(t *testing.T, text []byte, x tensor) map[string]tensor {
	t.Helper()
	model := decode(t, text)
	if v := decode(t, model[8][0].bytes)[2][0].number; v != trained.Opset || model[1][0].number < 7 {
		t.Fatalf("opset %d, IR version %d", v, model[1][0].number)
	}
	graph := decode(t, model[7][0].bytes)
	values := map[string]tensor{decode(t, graph[11][0].bytes).text(1): x}
	for _, f := range graph[5] {
		name, value := constantOf(t, decode(t, f.bytes))
		values[name] = value
	}
	for _, f := range graph[1] {
		node := decode(t, f.bytes)
		var in []tensor
		for _, name := range node[1] {
			value, known := values[string(name.bytes)]
			if !known {
				t.Fatalf("%s takes %s, which nothing has made", node.text(4), name.bytes)
			}
			in = append(in, value)
		}
		values[node.text(2)] = operate(t, node.text(4), in)
	}
	out := map[string]tensor{}
	for _, f := range graph[12] {
		name := decode(t, f.bytes).text(1)
		out[name] = values[name]
	}
	return out
}

// constantOf is an initializer.
func constantOf(t *testing.T, f fields) (name string, value tensor) {
	size := 1
	for _, d := range f[1] {
		value.dims = append(value.dims, int(d.number))
		size *= int(d.number)
	}
	for _, s := range f[6] {
		value.texts = append(value.texts, string(s.bytes))
	}
	if raw := f[9]; raw != nil {
		for b := raw[0].bytes; len(b) > 0; b = b[8:] {
			bits := binary.LittleEndian.Uint64(b)
			if f[2][0].number == 7 {
				value.data = append(value.data, float64(int64(bits)))
			} else {
				value.data = append(value.data, math.Float64frombits(bits))
			}
		}
	}
	if len(value.data)+len(value.texts) != size {
		t.Fatalf("constant %s of dimensions %v has %d entries", f.text(8), value.dims, len(value.data)+len(value.texts))
	}
	return f.text(8), value
}

func operate(t *testing.T, op string, in []tensor) tensor {
	binary := map[string]func(x, y float64) float64{
		"Add": func(x, y float64) float64 { return x + y }, "Sub": func(x, y float64) float64 { return x - y },
		"Mul": func(x, y float64) float64 { return x * y }, "Div": func(x, y float64) float64 { return x / y },
		"Min": math.Min, "Max": math.Max, "GreaterOrEqual": func(x, y float64) float64 {
			if x >= y {
				return 1
			}
			return 0
		},
	}
	unary := map[string]func(x float64) float64{
		"Abs": math.Abs, "Sqrt": math.Sqrt, "Neg": func(x float64) float64 { return -x }, "Tanh": math.Tanh, "Identity": func(x float64) float64 { return x },
		"Cast": func(x float64) float64 { return x }, "Sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	}
	if do := binary[op]; do != nil {
		return broadcast(in[0], in[1], do)
	}
	if do := unary[op]; do != nil {
		return broadcast(in[0], tensor{dims: []int{1}, data: []float64{0}}, func(x, _ float64) float64 { return do(x) })
	}
	a := in[0]
	switch op {
	case "MatMul":
		return byRow(a, in[1].columns(), func(row []float64) []float64 {
			out := make([]float64, in[1].columns())
			for i, v := range row {
				for j := range out {
					out[j] += v * in[1].data[i*len(out)+j]
				}
			}
			return out
		})
	case "Transpose":
		out := tensor{dims: []int{a.columns(), a.rows()}, data: make([]float64, len(a.data))}
		for i, v := range a.data {
			out.data[i%a.columns()*a.rows()+i/a.columns()] = v
		}
		return out
	case "ReduceMax", "ReduceSum":
		return byRow(a, 1, func(row []float64) []float64 {
			most, sum := row[0], 0.0
			for _, v := range row {
				most, sum = max(most, v), sum+v
			}
			if op == "ReduceMax" {
				return []float64{most}
			}
			return []float64{sum}
		})
	case "Softmax":
		return byRow(a, a.columns(), func(row []float64) []float64 {
			out, sum := make([]float64, len(row)), 0.0
			for i, v := range row {
				out[i] = math.Exp(v - row[0])
				sum += out[i]
			}
			for i := range out {
				out[i] /= sum
			}
			return out
		})
	case "ArgMax":
		out := byRow(a, 1, func(row []float64) []float64 {
			best := 0
			for i, v := range row {
				if v > row[best] {
					best = i
				}
			}
			return []float64{float64(best)}
		})
		out.dims = out.dims[:1]
		return out
	case "Reshape":
		return tensor{dims: []int{len(a.data)}, data: a.data}
	case "Concat":
		out := tensor{dims: []int{a.rows(), a.columns() + in[1].columns()}}
		for i := range a.rows() {
			out.data = append(append(out.data, a.data[i*a.columns():(i+1)*a.columns()]...), in[1].data[i*in[1].columns():(i+1)*in[1].columns()]...)
		}
		return out
	case "Gather":
		out := tensor{dims: in[1].dims}
		for _, i := range in[1].data {
			out.texts = append(out.texts, a.texts[int(i)])
		}
		return out
	}
	t.Fatalf("operator %s is not known", op)
	return tensor{}
}

// agree compares what ONNX gives with what Predict does.
func agree(t *testing.T, name string, m *trained.Model, p *trained.Predictions, out map[string]tensor) {
	t.Helper()
	near := func(what string, got, want []float64) {
		if len(got) != len(want) {
			t.Fatalf("%s: %d %s, want %d", name, len(got), what, len(want))
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-6*(1+math.Abs(want[i]))) {
				t.Fatalf("%s: %s %d is %g, want %g", name, what, i, got[i], want[i])
			}
		}
	}
	if len(m.File.Classes) == 0 {
		near("predictions", out["prediction"].data, p.Values)
		return
	}
	near("probabilities", out["probabilities"].data, p.Probabilities)
	for i, label := range out["label"].texts {
		if label != m.File.Classes[p.Class[i]] {
			t.Fatalf("%s: row %d is %q, want %q", name, i, label, m.File.Classes[p.Class[i]])
		}
	}
}

// The ONNX of every kind of model gives what Predict gives, by an evaluator of our
// own, which reads the format field by field.
func TestONNXPredictsTheSame(t *testing.T) {
	for name, m := range models(t) {
		sheet := sheetOf(t, m)
		text, err := m.ONNX()
		if err != nil {
			t.Fatal(err)
		}
		d := len(m.File.Features)
		agree(t, name, m, m.Predict(sheet), onnxRun(t, text, tensor{dims: []int{len(sheet.X) / d, d}, data: sheet.X}))
	}
}

// A runtime of ONNX predicts in another process: with names of a model's outputs, all as texts.
const (
	inPython = `
import json, sys, numpy, onnxruntime
rows = numpy.array(json.load(open(sys.argv[2])), dtype=numpy.float64)
session = onnxruntime.InferenceSession(sys.argv[1])
names = [o.name for o in session.get_outputs()]
print(json.dumps({n: v.ravel().tolist() for n, v in zip(names, session.run(names, {"features": rows}))}))`
	inNode = `
const ort = require("onnxruntime-node")
const rows = JSON.parse(require("fs").readFileSync(process.argv[2]))
const features = new ort.Tensor("float64", rows.flat(), [rows.length, rows[0].length])
ort.InferenceSession.create(process.argv[1]).then(s => s.run({features})).then(out =>
  console.log(JSON.stringify(Object.fromEntries(Object.entries(out).map(([name, t]) => [name, Array.from(t.data)])))))`
)

// The same by onnxruntime, where Python has it.
func TestONNXRuntimePredictsTheSame(t *testing.T) {
	if testing.Short() || exec.Command("python3", "-c", "import onnxruntime").Run() != nil {
		t.Skip("SKIPPED: there is no onnxruntime here")
	}
	predictsTheSame(t, "", "python3", "-c", inPython)
}

// oldRuntime is an onnxruntime of 2023, which lacks operators of doubles that later ones have.
const oldRuntime = "onnxruntime-node@1.14.0"

// The same by an old onnxruntime: what one lacks is nowhere in an export.
func TestOldONNXRuntimePredictsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: an old onnxruntime is not installed in short tests")
	}
	dir := t.TempDir()
	out, err := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", oldRuntime).CombinedOutput()
	if err != nil {
		t.Skipf("SKIPPED: npm does not install %s here: %v %s", oldRuntime, err, out)
	}
	predictsTheSame(t, dir, "node", "-e", inNode)
}

// predictsTheSame compares what a command, run in dir, predicts from an export and rows with what
// Predict does, for every model and more settings of how its rows are scaled.
func predictsTheSame(t *testing.T, dir string, command ...string) {
	t.Helper()
	for name, m := range models(t) {
		sheet, files := sheetOf(t, m), t.TempDir()
		text, err := m.ONNX()
		if err != nil {
			t.Fatal(err)
		}
		d := len(m.File.Features)
		var rows [][]float64
		for i := 0; i < len(sheet.X); i += d {
			rows = append(rows, sheet.X[i:i+d])
		}
		features, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(files, "m.onnx"), text)
		write(t, filepath.Join(files, "rows.json"), features)
		run := exec.Command(command[0], append(command[1:], filepath.Join(files, "m.onnx"), filepath.Join(files, "rows.json"))...)
		run.Dir = dir
		said, err := run.Output()
		if err != nil {
			var failed *exec.ExitError
			if errors.As(err, &failed) {
				t.Fatalf("%s: %v\n%s", name, err, failed.Stderr)
			}
			t.Fatal(err)
		}
		var out struct {
			Prediction, Probabilities []float64
			Label                     []string
		}
		if err := json.Unmarshal(said, &out); err != nil {
			t.Fatal(err)
		}
		agree(t, name, m, m.Predict(sheet), map[string]tensor{
			"prediction": {data: out.Prediction}, "probabilities": {data: out.Probabilities}, "label": {texts: out.Label},
		})
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
