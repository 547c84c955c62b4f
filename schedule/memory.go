package schedule

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Memory describes how the noise z of rounds follows from fresh noise xi: C z = xi, where C is public and lower triangular
// Toeplitz with the coefficients 1, Past[0], Past[1], ... A round adds
//
//	z_t = xi_t - Past[0] z_(t-1) - Past[1] z_(t-2) - ...
//
// Data that move the contributions of rounds by d move xi by C d, and xi has to hide that (docs/PAIRWISE.md).
type Memory struct {
	Past []float64
	// Times is the standard deviation of fresh noise over that of noise without a memory. With Lift, the loss of a unit of
	// privacy over all rounds is the same with the memory as without.
	Times float64
}

// MostPast is the largest number of rounds that a memory goes back.
const MostPast = 4096

// mostGrowth bounds the standard deviation of a round's noise over that of fresh noise.
const mostGrowth = 1 << 10

// NewMemory returns the memory of a run of that many rounds. Times is set so that noise costs a unit of privacy, which is in every
// period-th round before last, as much as without a memory. Coefficients that no round reaches are left out.
func NewMemory(past []float64, rounds, last, period int) (*Memory, error) {
	past = past[:min(len(past), rounds-1)]
	switch {
	case len(past) > MostPast:
		return nil, fault.New(fmt.Sprintf("noise that remembers %d rounds", len(past)), fmt.Sprintf("nodes keep the noise of up to %d: give fewer", MostPast))
	case slices.ContainsFunc(past, func(c float64) bool { return !(math.Abs(c) <= 1e6) }):
		return nil, fault.New(fmt.Sprintf("coefficients %v", past), "give numbers from -1e6 to 1e6")
	}
	m := &Memory{Past: past, Times: 1}
	if growth := m.Growth(rounds); !(growth <= mostGrowth) {
		return nil, fault.New(fmt.Sprintf("noise of which a round has %.3g times what is drawn afresh", growth), "give coefficients that fall, as toeplitz:1,0.5,0.375")
	}
	m.Times = math.Sqrt(m.Energy(rounds, last, period) / float64(Taken(last, period)))
	return m, nil
}

// Taken counts the rounds 0, period, 2 period, ... that are below last.
func Taken(last, period int) int { return (last + period - 1) / period }

// Energy returns an upper bound on the squared length of C d over that of fresh noise, where d has length at most 1 in rounds that
// are a period apart, and 0 from last on. If no coefficient is negative, contributions of one direction attain it.
func (m *Memory) Energy(rounds, last, period int) (most float64) {
	for first := range min(period, last) {
		moved, sum := make([]float64, rounds), 0.0
		for t := first; t < last; t += period {
			moved[t]++
			for j, c := range m.Past[:min(len(m.Past), rounds-1-t)] {
				moved[t+1+j] += math.Abs(c)
			}
		}
		for _, x := range moved {
			sum += float64(x * x)
		}
		most = max(most, sum)
	}
	return most / (m.Times * m.Times) * (1 + 0x1p-40)
}

// Most returns an upper bound on the energy of one contribution beyond the plan.
func (m *Memory) Most() float64 {
	sum := 1.0
	for _, c := range m.Past {
		sum += math.Abs(c)
	}
	return sum * sum / (m.Times * m.Times) * (1 + 0x1p-40)
}

// Growth returns the largest standard deviation of a round's noise over that of fresh noise, both without Times.
func (m *Memory) Growth(rounds int) float64 {
	inverse, sum := make([]float64, rounds), 0.0
	for t := range inverse {
		if t == 0 {
			inverse[t] = 1
		}
		for j, c := range m.Past[:min(len(m.Past), t)] {
			inverse[t] -= float64(c * inverse[t-1-j])
		}
		sum += float64(inverse[t] * inverse[t])
	}
	return math.Sqrt(sum)
}

// SquareRoot returns the coefficients after the first of the square root of the matrix of prefix sums, cut off at band coefficients
// (Fichtenberger, Henzinger and Upadhyay 2023; cut off after a band, Kalinin and Lampert 2024).
func SquareRoot(band int) []float64 {
	past, c := make([]float64, max(0, band-1)), 1.0
	for j := range past {
		c *= float64(2*j+1) / float64(2*j+2)
		past[j] = c
	}
	return past
}
