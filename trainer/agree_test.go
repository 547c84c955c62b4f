//go:build unix

package trainer

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// pictureProgram is a module of torch on pictures in a file, and labels behind them.
const pictureProgram = `
import sys
sys.path.insert(0, %q)
import numpy, torch, torch.nn as nn, hearsay.trainer
numbers = numpy.fromfile(%q, "<f8").astype("float32")
xs, ys = torch.tensor(numbers[:40 * 120]).reshape(40, %s), torch.tensor(numbers[40 * 120:]).long()
torch.manual_seed(1)
hearsay.trainer.serve(%s, nn.functional.cross_entropy, train=torch.utils.data.TensorDataset(xs, ys), engine=%q, name="twin")
`

// twin starts a program that computes the same as a model of our own.
func twin(t *testing.T, file, shape, module, engine string) *Trainer {
	t.Helper()
	packages, err := filepath.Abs("../python")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "twin.py")
	if err := os.WriteFile(program, fmt.Appendf(nil, pictureProgram, packages, file, shape, module, engine), 0o600); err != nil {
		t.Fatal(err)
	}
	said := &strings.Builder{}
	p, err := Open(t.Context(), Options{Command: "/usr/bin/python3 -B '" + program + "'", Stderr: said})
	if err != nil {
		t.Fatal(err, said)
	}
	t.Cleanup(p.Close)
	return p
}

// Networks of torch behind the door take the steps of the same networks of our own, to 1e-5 of a step that may be as long as the clip:
// twenty steps of batches of ten, each from where ours is.
func TestANetworkOfTorchTakesOurSteps(t *testing.T) {
	if exec.Command("/usr/bin/python3", "-c", "import torch").Run() != nil {
		t.Skip("SKIPPED: there is no torch; Debian has it as python3-torch")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	ours, numbers := model.Examples{Features: 120}, []byte(nil)
	for i := range 40 * 121 {
		x := float64(float32(rng.NormFloat64()))
		if i >= 40*120 {
			x = float64(rng.IntN(3))
			ours.Y = append(ours.Y, x)
		} else {
			ours.X = append(ours.X, x)
		}
		numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(x))
	}
	file := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(file, numbers, 0o600); err != nil {
		t.Fatal(err)
	}
	convnet := model.NewConvNet(model.Convolution{Picture: model.Picture{Planes: 2, Rows: 6, Columns: 10}, Kernel: 3, Maps: [2]int{4, 3}, Hidden: 7}, 3, nil)
	const convolved = "nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(6, 7), nn.ReLU(), nn.Linear(7, 3))"
	const dense = "nn.Sequential(nn.Linear(120, 9), nn.Tanh(), nn.Linear(9, 3))"
	for _, c := range []struct {
		of                    model.Model
		shape, module, engine string
	}{
		{convnet, "2, 6, 10", convolved, "vmap"}, {convnet, "2, 6, 10", convolved, "loop"},
		{model.NewNetwork(3, []int{9}, true, nil), "120", dense, "vmap"}, {model.NewNetwork(3, []int{9}, true, nil), "120", dense, "factors"},
	} {
		p := twin(t, file, c.shape, c.module, c.engine)
		if got, want := len(p.Initial()), c.of.Params(120); got != want {
			t.Fatalf("%s has %d parameters, ours %d", c.module, got, want)
		}
		for _, clip := range []float64{0.05, 100} {
			kernel := func(m model.Model) *descent.Kernel {
				return descent.NewKernel(&descent.Local{Params: len(p.Initial()), Objective: model.Objective{Model: m},
					StepSize: descent.StepSize{Base: 1}, Noise: noise.Gaussian{Clip: clip}}, noise.NewSimulated(1))
			}
			own, outside := kernel(c.of), kernel(model.External{Parameters: len(p.Initial()), Program: p})
			theta := append([]float64{}, p.Initial()...)
			for k := range 20 {
				first := 10 * (k % 4)
				rows := ours.Slice(first, first+10)
				theirs, numbered := append([]float64{}, theta...), model.Examples{Features: 1, Y: make([]float64, 10)}
				for i := range 10 {
					numbered.X = append(numbered.X, float64(first+i))
				}
				for j, x := range theta { // programs are told singles
					theta[j] = float64(float32(x))
				}
				copy(theirs, theta)
				own.Contribute(theta, &rows, 1, k, &step.Release{})
				outside.Contribute(theirs, &numbered, 1, k, &step.Release{})
				for j := range theta {
					if !(math.Abs(theta[j]-theirs[j]) <= 1e-5) {
						t.Fatalf("%s by %s, clip %g, step %d: parameter %d becomes %g, ours %g (%v)", c.of.Name(), c.engine, clip, k, j, theirs[j], theta[j], p.Err())
					}
				}
			}
		}
	}
}
