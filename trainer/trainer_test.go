//go:build unix

package trainer

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/safetensors"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// open starts this test binary as a program that behaves so.
func open(t *testing.T, mode string, o Options) *Trainer {
	t.Helper()
	t.Setenv("FAKE", mode)
	o.Command = "'" + os.Args[0] + "'"
	if o.Stderr == nil {
		o.Stderr = &bytes.Buffer{}
	}
	p, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// stepped is where one step leads that takes the mean gradient of all rows, clipped to 1.5, without noise.
func stepped(p *Trainer, clip float64, rows []int) []float64 { return steppedBy(p, clip, rows) }

func steppedBy(p model.Program, clip float64, rows []int) []float64 {
	local := &descent.Local{Params: fakeParameters, Objective: model.Objective{Model: model.External{Parameters: fakeParameters, Program: p}},
		StepSize: descent.StepSize{Base: 1}, Noise: noise.Gaussian{Clip: clip}}
	ex := model.Examples{Features: 1}
	for _, row := range rows {
		ex.X, ex.Y = append(ex.X, float64(row)), append(ex.Y, 0)
	}
	x := make([]float64, fakeParameters)
	descent.NewKernel(local, noise.NewSimulated(1)).Contribute(x, &ex, 1, 0, &step.Release{})
	return x
}

// want is the same by hand, with gradients that count replaced by zeros elsewhere.
func want(clip float64, rows []int, counts func(i int) bool) []float64 {
	x := make([]float64, fakeParameters)
	for i, row := range rows {
		g := fakeGradient(make([]float64, fakeParameters), row)
		square := 0.0
		for _, v := range g {
			square += v * v
		}
		if counts != nil && !counts(i) {
			continue
		}
		for j, v := range g {
			x[j] -= v * math.Min(1, clip/math.Sqrt(square)) / float64(len(rows))
		}
	}
	return x
}

func near(a, b []float64) bool {
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-9) {
			return false
		}
	}
	return true
}

func some(n int) (rows []int) {
	for i := range n {
		rows = append(rows, (7*i)%fakeRows)
	}
	return rows
}

// Gradients that come in blocks, as rows and as factors, are clipped one by one and added up; an empty sample asks nobody.
func TestGradientsAreClippedAsTheyCome(t *testing.T) {
	p := open(t, "ok", Options{})
	for _, n := range []int{1, 7, 8, 9, 50} {
		for _, clip := range []float64{0.1, 1.5, 100} {
			if got, want := stepped(p, clip, some(n)), want(clip, some(n), nil); !near(got, want) {
				t.Errorf("%d rows, clip %g: %v instead of %v", n, clip, got, want)
			}
		}
	}
	if got := stepped(p, 1, nil); slices.ContainsFunc(got, func(x float64) bool { return x != 0 }) || p.Err() != nil {
		t.Errorf("no rows: %v, %v", got, p.Err())
	}
	s, err := p.Score(make([]float64, fakeParameters), some(5))
	if err != nil || s.Loss != 0.5 || s.Accuracy != 0.75 || s.Confusion != nil {
		t.Errorf("score %v, %v", s, err)
	}
}

// Rows that are not finite count as zero, and nothing that a program answers moves a mean by more than the clip.
func TestWhatIsNotFiniteCountsAsZero(t *testing.T) {
	p := open(t, "nan", Options{})
	if got, want := stepped(p, 0.5, some(20)), want(0.5, some(20), func(i int) bool { return i%3 != 0 }); !near(got, want) {
		t.Errorf("%v instead of %v", got, want)
	}
	if got := stepped(open(t, "huge", Options{}), 0.5, some(20)); slices.ContainsFunc(got, func(x float64) bool { return x != 0 }) {
		t.Errorf("%v", got)
	}
}

// Of an answer that is not whole nothing is used: too few rows, one twice, another shape, numbers that nobody asked for, an end in the middle.
func TestWhatIsNotWholeCountsForNothing(t *testing.T) {
	for mode, says := range map[string]string{
		"dies": "ended in the middle", "cut": "ended in the middle", "early": "after 8 of 20 rows", "repeats": `begins with row "0"`, "shape": `no tensor "rows 0"`,
		"more": "5 tensors instead of 4", "noise": "header of", "trouble": "ValueError: no [2J more", "short": "until its deadline", "hangs": "until its deadline", "stops": "until its deadline",
	} {
		t.Run(mode, func(t *testing.T) {
			p := open(t, mode, Options{Retries: -1, Deadline: time.Second})
			got := stepped(p, 0.5, some(20))
			if slices.ContainsFunc(got, func(x float64) bool { return x != 0 }) {
				t.Errorf("it moved the model: %v", got)
			}
			if err := p.Err(); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %q", err, says)
			}
			if got := stepped(p, 0.5, some(3)); slices.ContainsFunc(got, func(x float64) bool { return x != 0 }) {
				t.Errorf("it was asked again: %v", got)
			}
		})
	}
}

// A program that dies or hangs is started again and asked the same, and what it had answered does not count twice.
func TestAProgramThatDiesIsStartedAgain(t *testing.T) {
	for _, mode := range []string{"dies", "hangs", "stops", "repeats"} {
		t.Run(mode, func(t *testing.T) {
			t.Setenv("FAKE_ONCE", filepath.Join(t.TempDir(), "once"))
			var said bytes.Buffer
			p := open(t, mode, Options{Deadline: time.Second, Stderr: &said})
			if got, want := stepped(p, 0.5, some(20)), want(0.5, some(20), nil); !near(got, want) || p.Err() != nil {
				t.Errorf("%v instead of %v: %v", got, want, p.Err())
			}
			p.Close()
			if !strings.Contains(said.String(), "started again") {
				t.Errorf("it said %q", said.String())
			}
		})
	}
}

// A program that is another one after it was started again is not asked.
func TestAProgramMustStayWhatItIs(t *testing.T) {
	p := open(t, "dies", Options{Deadline: time.Second})
	os.Setenv("FAKE", "other")
	stepped(p, 1, some(20))
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "another model or other rows") {
		t.Error(err)
	}
}

// Close ends a program while it is asked, and its error says so.
func TestCloseEndsWhoeverIsAsked(t *testing.T) {
	p := open(t, "hangs", Options{})
	done := make(chan struct{})
	go func() { stepped(p, 1, some(20)); close(done) }()
	time.Sleep(100 * time.Millisecond)
	p.Close()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on")
	}
	if p.Err() == nil {
		t.Error("no error")
	}
}

// Probes find gradients that depend on other rows, on chance and on what came before, and pass those that do not.
func TestProbesFindCoupledRows(t *testing.T) {
	for mode, passes := range map[string]bool{"ok": true, "coupled": false, "random": false, "nan": false} {
		found, err := open(t, mode, Options{}).Check(24, 0, rand.New(rand.NewPCG(1, 2)))
		if err != nil || found.Passed() != passes {
			t.Errorf("%s: %+v, %v", mode, found, err)
		}
	}
}

// A program that remembers the first rows it saw passes all probes of one process, and is found by processes of their own.
func TestProcessesOfTheirOwnFindMemory(t *testing.T) {
	for mode, passes := range map[string]bool{"ok": true, "remembers": false} {
		for _, isolated := range []int{0, 3} {
			found, err := open(t, mode, Options{}).Check(24, isolated, rand.New(rand.NewPCG(1, 2)))
			if want := passes || isolated == 0; err != nil || found.Passed() != want {
				t.Errorf("%s, %d in processes of their own: %+v, %v", mode, isolated, found, err)
			}
		}
	}
}

// Garbage of the right shape moves a mean by no more than the clip, whatever it is.
func TestGarbageMovesNoMeanBeyondItsClip(t *testing.T) {
	answers := 1_000_000
	if testing.Short() {
		answers = 20_000
	}
	p, err := planOf(Layout{Tensors: []report.Tensor{{Name: "w", Shape: []int{2, 2}}, {Name: "z", Shape: []int{1}}}}, [][]string{{"w"}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	stream := &garbage{block: block{plan: p}, rng: rng, t: t}
	g := noise.Gaussian{Clip: 1}
	x, mean := make([]float64, 5), make([]float64, 5)
	for range answers {
		clear(x)
		g.Descend(x, mean, stream, &noise.Update{Rate: 1, Scale: 1}, noise.NewSimulated(1), &step.Release{})
		square := 0.0
		for _, v := range x {
			square += v * v
		}
		if !(math.Sqrt(square) <= 1+1e-9) {
			t.Fatalf("moved by %g", math.Sqrt(square))
		}
	}
}

// garbage answers with numbers of any bits.
type garbage struct {
	block
	rng *rand.Rand
	t   *testing.T
}

func (g *garbage) Len() int                                 { return 2 }
func (g *garbage) Gradient(int) (_, _ float64, _ []float64) { panic("one by one") }

func (g *garbage) Stream(begin func(), take func(noise.Block)) error {
	begin()
	m := safetensors.New(map[string]string{"first": "0", "rows": "2"})
	for _, part := range []struct {
		name    string
		columns int
	}{{"rows 0", 1}, {"inputs 0", 2}, {"slopes 0", 2}} {
		data := make([]byte, 8*part.columns)
		for i := range data {
			data[i] = byte(g.rng.Uint32())
		}
		if g.rng.IntN(2) == 0 { // exponents of all sizes are rare among bits
			copy(data, safetensors.Singles(nil, []float64{math.Ldexp(1, g.rng.IntN(280)-150)}))
		}
		m.Put(part.name, "F32", []int{2, part.columns}, data)
	}
	if err := g.take(m, 0, 2); err != nil {
		g.t.Fatal(err)
	}
	take(&g.block)
	return nil
}

// Any bytes are read as a message or refused, and no more is read than a message may have.
func FuzzMessages(f *testing.F) {
	var good bytes.Buffer
	m := safetensors.New(map[string]string{"answer": "block"})
	m.Put("rows", "F32", []int{1, 2}, make([]byte, 8))
	if err := m.Write(&good); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := safetensors.Reader{From: bytes.NewReader(data)}
		for {
			m, err := r.Read(1 << 12)
			if err != nil {
				return
			}
			for name, tensor := range m.Tensors {
				if int64(len(tensor.Data)) != tensor.Numbers()*safetensors.Size(tensor.DType) {
					t.Fatalf("%q has %d bytes", name, len(tensor.Data))
				}
			}
			_, _, _ = helloOf(m)
		}
	})
}

// A layout that is none is refused, and what is learnt stands where the layout says.
func TestLayouts(t *testing.T) {
	for text, says := range map[string]string{
		`{"tensors":[]}`: "0 tensors", `{"tensors":[{"name":"a","shape":[0]}]}`: "shape", `{"tensors":[{"name":"a","shape":[1]},{"name":"a","shape":[1]}]}`: "two of one name",
		`{"tensors":[{"name":"a","shape":[65536,65536]}]}`: "shape",
	} {
		m := safetensors.New(map[string]string{"answer": "hello", "version": version, "layout": text})
		if _, _, err := helloOf(m); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := planOf(Layout{Tensors: []report.Tensor{{Name: "a", Shape: []int{2, 2}}}}, [][]string{{"b"}}); err == nil {
		t.Error("factors of no tensor")
	}
	if a, b := (Layout{Tensors: []report.Tensor{{Name: "a", Shape: []int{2, 3}}}}), (Layout{Tensors: []report.Tensor{{Name: "a", Shape: []int{3, 2}}}}); a.Digest() == b.Digest() {
		t.Error("two layouts of one digest")
	}
}

// Commands are taken apart at spaces but for quotes, and nothing is asked of a shell.
func TestWords(t *testing.T) {
	for command, want := range map[string][]string{
		"python3 my model.py": {"python3", "my", "model.py"}, `python3 'my model.py' "a b"`: {"python3", "my model.py", "a b"},
		`a\ b '' $HOME ;rm`: {"a b", "", "$HOME", ";rm"},
	} {
		if got, err := Words(command); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
	for _, bad := range []string{"", "  ", "'a", `a\`} {
		if got, err := Words(bad); err == nil {
			t.Errorf("%q: %q", bad, got)
		}
	}
	if _, err := Open(t.Context(), Options{Command: "/there/is/no/such/program"}); err == nil || !strings.Contains(fmt.Sprint(err), "no such file") {
		t.Error(err)
	}
}

// Several processes of a program answer as one does, whichever is asked; one that dies is started again, and all have to be the same.
func TestACrewAnswersAsOne(t *testing.T) {
	t.Setenv("FAKE", "dies")
	t.Setenv("FAKE_ONCE", filepath.Join(t.TempDir(), "once"))
	crew, err := OpenCrew(t.Context(), Options{Command: "'" + os.Args[0] + "'"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(crew.Close)
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			if got, want := steppedBy(crew, 0.5, some(20)), want(0.5, some(20), nil); !near(got, want) {
				t.Errorf("%v instead of %v", got, want)
			}
		})
	}
	all.Wait()
	if err := crew.Err(); err != nil {
		t.Error(err)
	}
	for processes, command := range map[int]string{0: "x", 2000: "x", 2: "unix:/nowhere"} {
		if _, err := OpenCrew(t.Context(), Options{Command: command}, processes); err == nil || !strings.Contains(err.Error(), "--models") {
			t.Errorf("%d processes of %s: %v", processes, command, err)
		}
	}
}
