package admmview

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/step"
)

// A Drawing draws the random part of a schedule many times and plans for each run. The drawn energies stand for all runs, except
// with a probability that walkpath.Sample charges in delta. Use its Epsilon, Delta or RDP at Consensus.Multiplier. A Sample
// refuses a delta that Runs runs are too few to certify. A Plan prices one drawn schedule at any delta.
type Drawing struct {
	Runs    int // at least 2
	Seed    uint64
	Workers int
	Context context.Context       // cancels it; may be nil
	Tell    func(done, total int) // reports progress; may be nil
}

// energies plans for all runs and returns the energies of the pairs for each. plan gets a generator of its own for each run, so
// results depend on the seed alone.
func (d Drawing) energies(pairs int, plan func(r *rand.Rand, energies []float64)) ([][]float64, error) {
	if d.Runs < 2 {
		return nil, fault.New(fmt.Sprintf("%d simulated runs", d.Runs), "simulate at least 2")
	}
	all, told := make([][]float64, d.Runs), parallel.Count(d.Runs, d.Tell)
	parallel.Each(d.Runs, max(1, d.Workers), func(run int) {
		if d.Context == nil || d.Context.Err() == nil {
			var s step.Stream
			all[run] = make([]float64, pairs)
			plan(s.At(d.Seed, 0, step.Turn(run), 0, step.Audit), all[run])
		}
		told(1)
	})
	if d.Context != nil && d.Context.Err() != nil {
		return nil, d.Context.Err()
	}
	return all, nil
}

// sample returns the sample of one pair, of at most most contributions.
func (d Drawing) sample(of func(run int) float64, most int, claim privacy.Claim) *walkpath.Sample {
	counts := make(map[float64]int)
	for run := range d.Runs {
		counts[roundUp(of(run))]++
	}
	s := &walkpath.Sample{Claim: claim, Paths: d.Runs, Most: most}
	for v := range counts {
		s.Energies = append(s.Energies, v)
	}
	slices.Sort(s.Energies)
	for _, v := range s.Energies {
		s.Counts = append(s.Counts, counts[v])
	}
	return s
}

// roundUp keeps 8 bits of the fraction of an energy and rounds up.
func roundUp(energy float64) float64 {
	const mask = 1<<44 - 1
	return math.Float64frombits((math.Float64bits(energy) + mask) &^ mask)
}

// stands returns the sentence of a claim about simulated runs.
func (d Drawing) stands() string {
	return fmt.Sprintf("%d simulated runs stand for all, up to the stated probability of failure", d.Runs)
}
