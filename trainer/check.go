package trainer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Finding is the result of one probe of a program.
type Finding struct {
	Probe string  `json:"probe"`
	Off   float64 `json:"off"` // the largest distance of two gradients of a row, over the longer one
	Bad   bool    `json:"bad"`
	Means string  `json:"means"` // consequence of a bad result
}

// A Checkup holds the results of all probes of a program.
type Checkup struct {
	Rows      int       `json:"rows"` // number of rows that were probed
	Findings  []Finding `json:"findings"`
	Unmoved   []string  `json:"unmoved"`    // tensors whose gradient was 0 in every probe
	NotFinite int       `json:"not_finite"` // rows whose gradient is not finite
}

// Passed reports whether no probe found a fault.
func (c *Checkup) Passed() bool {
	return !slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Bad }) && c.NotFinite == 0 && len(c.Unmoved) == 0
}

// alike is the largest relative distance between two gradients of one row that counts as equal. The number of rows
// computed at once may change the last digits of single precision.
const alike = 1e-4

// kept collects gradients row by row.
type kept struct {
	parameters int
	rows       [][]float64
}

func (k *kept) begin() { k.rows = nil }

func (k *kept) take(b model.Block) {
	for i := range b.Norms() {
		row := make([]float64, k.parameters)
		b.(*block).addRow(row, i)
		k.rows = append(k.rows, row)
	}
}

// addRow adds the gradient of row i to dst and does not change the block.
func (b *block) addRow(dst []float64, i int) {
	b.addOthers(dst, 1, i)
	for k, layer := range b.plan.layers {
		in, out := b.inputs[k][i*layer.in:(i+1)*layer.in], b.slopes[k][i*layer.out:(i+1)*layer.out]
		for j, s := range out {
			at := layer.weight + j*layer.in
			sparse.Axpy(dst[at:at+layer.in], s, in)
			if layer.bias >= 0 {
				dst[layer.bias+j] += s
			}
		}
	}
}

// Check tests whether the gradient of a row depends on that row alone. It computes the gradients of rows random rows
// twice, alone, among other rows and in another order. isolated of them also run each in a process of its own. Check
// can find faults at these rows but proves nothing.
func (t *Trainer) Check(rows, isolated int, rng *rand.Rand) (*Checkup, error) {
	rows = min(rows, t.hello.TrainRows)
	all := rng.Perm(t.hello.TrainRows)
	some := slices.Clone(all[:rows])
	few := some[:(rows+7)/8]
	near := slices.Clone(t.hello.Initial)
	for i := range near {
		near[i] += float64(0.01 * float64(rng.IntN(3)-1))
	}
	ask := func(rows []int) (found [][]float64, err error) {
		k := &kept{parameters: t.block.plan.parameters}
		err = t.Gradients(near, rows, k.begin, k.take)
		return k.rows, err
	}
	first, err := ask(some)
	if err != nil {
		return nil, err
	}
	c := &Checkup{Rows: rows, Unmoved: t.unmoved(first)}
	for _, row := range first {
		if n := sparse.Norm(row); math.IsNaN(n) || math.IsInf(n, 0) {
			c.NotFinite++
		}
	}
	others := append(slices.Clone(few), all[len(all)-min(len(all)-len(few), rows-len(few)):]...)
	backwards := slices.Clone(some)
	slices.Reverse(backwards)
	for _, p := range []struct {
		probe, means string
		rows         []int
		against      [][]float64
	}{
		{"the same rows again", "gradients are drawn at random (Dropout?), or the program remembers what it saw", some, first},
		{fmt.Sprintf("%d of them alone", len(few)), "a row's gradient depends on the rows that are computed with it", few, first[:len(few)]},
		{fmt.Sprintf("these %d among other rows", len(few)), "a row's gradient depends on the rows that are computed with it", others, first[:len(few)]},
		{"all, last one first", "a row's gradient depends on its place among others", backwards, reversed(first)},
		{"the first rows once more", "the program remembers what it saw in between", some, first},
	} {
		got, err := ask(p.rows)
		if err != nil {
			return nil, err
		}
		off := 0.0
		for i, want := range p.against {
			off = math.Max(off, apart(want, got[i]))
		}
		c.Findings = append(c.Findings, Finding{p.probe, off, !(off <= alike), p.means})
	}
	if isolated == 0 {
		return c, nil
	}
	isolated = min(isolated, rows)
	off, err := t.isolate(near, some[:isolated], first)
	c.Findings = append(c.Findings, Finding{fmt.Sprintf("%d in processes of their own", isolated), off, !(off <= alike),
		"a row's gradient depends on rows that the process saw before, or on chance"})
	return c, err
}

// isolate computes the gradient of each row in a new process that has seen no other row. It returns the largest
// relative distance to the known gradient.
func (t *Trainer) isolate(theta []float64, rows []int, known [][]float64) (off float64, err error) {
	if attached(t.command) {
		return 0, fault.New("--isolated: "+t.command+" runs already, and has seen rows", "give a command that starts the program")
	}
	for i := range rows {
		alone, err := Open(context.Background(), Options{Command: t.command, Seed: t.seed, Deadline: t.deadline, Stderr: t.stderr, Retries: -1})
		if err != nil {
			return 0, err
		}
		k := &kept{parameters: t.block.plan.parameters}
		err = alone.Gradients(theta, rows[i:i+1], k.begin, k.take)
		alone.Close()
		if err != nil {
			return 0, err
		}
		off = math.Max(off, apart(known[i], k.rows[0]))
	}
	return off, nil
}

func reversed(rows [][]float64) [][]float64 {
	other := slices.Clone(rows)
	slices.Reverse(other)
	return other
}

// apart returns the distance of two gradients over the longer one. It is 0 if both are 0.
func apart(a, b []float64) float64 {
	longest := math.Max(sparse.Norm(a), sparse.Norm(b))
	if longest == 0 {
		return 0
	}
	difference := slices.Clone(a)
	sparse.Axpy(difference, -1, b)
	return sparse.Norm(difference) / longest
}

// unmoved returns the tensors whose gradient is 0 for every row.
func (t *Trainer) unmoved(rows [][]float64) (names []string) {
	names = []string{}
	at := 0
	for _, tensor := range t.hello.Layout.Tensors {
		moved := slices.ContainsFunc(rows, func(row []float64) bool {
			return slices.ContainsFunc(row[at:at+tensor.Len()], func(x float64) bool { return x != 0 })
		})
		if !moved {
			names = append(names, tensor.Name)
		}
		at += tensor.Len()
	}
	return names
}
