//go:build unix

package trainer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// torchProgram answers for a module, or, asked by --alone, clips and adds 4096 gradients itself, the way that torch does it, and says how
// many rows that is a second.
const torchProgram = `
import sys, time
sys.path.insert(0, %q)
import numpy, torch, torch.nn as nn, hearsay.trainer
torch.set_num_threads(1)
torch.manual_seed(1)
xs, ys = torch.rand(2048, %s), torch.randint(0, 10, (2048,))
net, loss, engine = %s, nn.functional.cross_entropy, %q
if sys.argv[1:] != ["--alone"]:
    hearsay.trainer.serve(net, loss, train=torch.utils.data.TensorDataset(xs, ys), engine=engine, name="bench")
    sys.exit()
model = hearsay.trainer.wrap(net, loss, engine="vmap")
pieces = tuple(model.pieces(model.initial()))
def clipped(xs, ys):
    grads = model.each(pieces, xs, ys)
    norms = torch.stack([g.reshape(len(ys), -1).norm(2, dim=1) for g in grads]).norm(2, dim=0)
    weights = (1 / norms).clamp(max=1)
    return [torch.einsum("i,i...->...", weights, g) for g in grads]
def some(count):
    for first in range(0, count, 64):
        clipped(xs[first %% 2048:first %% 2048 + 64], ys[first %% 2048:first %% 2048 + 64])
some(512)
begin = time.perf_counter()
some(4096)
print(4096 / (time.perf_counter() - begin))
`

// benched is a program of a network.
func benched(b *testing.B, shape, module, engine string) (path string) {
	b.Helper()
	if exec.Command("/usr/bin/python3", "-c", "import torch").Run() != nil {
		b.Skip("there is no torch; Debian has it as python3-torch")
	}
	packages, err := filepath.Abs("../python")
	if err != nil {
		b.Fatal(err)
	}
	path = filepath.Join(b.TempDir(), "bench.py")
	if err := os.WriteFile(path, fmt.Appendf(nil, torchProgram, packages, shape, module, engine), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// stepping takes steps of 256 rows, and reports how many rows that is a second.
func stepping(b *testing.B, of model.Model, features int, start []float64) float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	ex := model.Examples{Features: features, Y: make([]float64, 256)}
	for i := range ex.Y {
		ex.Y[i] = float64(rng.IntN(10))
		for range features {
			ex.X = append(ex.X, rng.Float64())
		}
		if features == 1 {
			ex.X[i] = float64(i)
		}
	}
	kernel := descent.NewKernel(&descent.Local{Params: len(start), Objective: model.Objective{Model: of},
		StepSize: descent.StepSize{Base: 1e-3}, Noise: noise.Gaussian{Clip: 1}}, noise.NewSimulated(1))
	theta := append([]float64{}, start...)
	b.ResetTimer()
	for i := range b.N {
		kernel.Contribute(theta, &ex, 1, i, &step.Release{})
	}
	return 256 * float64(b.N) / b.Elapsed().Seconds()
}

// BenchmarkDoor takes steps of a convolutional network of torch's through the door; of-torch is its speed over that of torch by itself, which
// runs before and after. Run it on one core: taskset -c 1 go test ./trainer -bench Door -cpu 1.
func BenchmarkDoor(b *testing.B) {
	path := benched(b, "1, 28, 28", "nn.Sequential(nn.Conv2d(1, 16, 8, 2, 3), nn.Tanh(), nn.MaxPool2d(2, 1), nn.Conv2d(16, 32, 4, 2), nn.Tanh(), nn.MaxPool2d(2, 1), nn.Flatten(), nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, 10))", "vmap")
	before := alone(b, path)
	p := behind(b, path)
	through := stepping(b, model.External{Parameters: len(p.Initial()), Program: p}, 1, p.Initial())
	p.Close()
	b.ReportMetric(through, "rows/s")
	b.ReportMetric(2*through/(before+alone(b, path)), "of-torch")
}

// BenchmarkDoorFactors takes steps of a wide dense network through the door by factors; of-own is its speed over that of our own network.
func BenchmarkDoorFactors(b *testing.B) {
	p := behind(b, benched(b, "784", "nn.Sequential(nn.Linear(784, 1000), nn.Tanh(), nn.Linear(1000, 10))", "factors"))
	through := stepping(b, model.External{Parameters: len(p.Initial()), Program: p}, 1, p.Initial())
	own := stepping(b, model.NewNetwork(10, []int{1000}, true, nil), 784, p.Initial())
	b.ReportMetric(through, "rows/s")
	b.ReportMetric(through/own, "of-own")
}

// alone is how many rows a second torch clips and adds by itself.
func alone(b *testing.B, path string) float64 {
	b.Helper()
	said, err := exec.Command("/usr/bin/python3", "-B", path, "--alone").Output()
	if err != nil {
		b.Fatal(err)
	}
	rows, err := strconv.ParseFloat(strings.TrimSpace(string(said)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// behind is a program behind the door.
func behind(b *testing.B, path string) *Trainer {
	b.Helper()
	said := &bytes.Buffer{}
	p, err := Open(b.Context(), Options{Command: "/usr/bin/python3 -B '" + path + "'", Stderr: said})
	if err != nil {
		b.Fatal(err, said)
	}
	b.Cleanup(p.Close)
	return p
}
