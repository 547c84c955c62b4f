package schedule

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Memory is how the noise z of rounds follows from fresh noise xi: C z = xi, C lower triangular, public, with the
// coefficients 1, Past[0], Past[1], ... of a Toeplitz matrix. What a round adds is
//
//	z_t = xi_t - Past[0] z_(t-1) - Past[1] z_(t-2) - ...
//
// Data that move the contributions of rounds by d have to be hidden by xi, which they move by C d (docs/PAIRWISE.md).
type Memory struct {
	Past []float64
	// Times is the standard deviation of fresh noise over that of noise without a memory. With Lift what a unit of
	// privacy loses in all rounds is the same with the memory as without.
	Times float64
}

// MostPast is how many rounds back a memory may go.
const MostPast = 4096

// mostGrowth bounds the standard deviation of a round's noise over that of fresh noise.
const mostGrowth = 1 << 10

// NewMemory is the memory of a run of so many rounds, whose noise costs a unit of privacy that is in every so manyth round
// before last as much as without a memory. Coefficients that no round reaches are left out.
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

// Taken is how many of the rounds 0..last-1 are at most period apart, beginning with the first.
func Taken(last, period int) int { return (last + period - 1) / period }

// Energy bounds the squared length of C d, over that of fresh noise, where d is at most 1 long in rounds that are a period
// apart, and none from last on. With coefficients of at least 0 it is attained, by contributions of one direction.
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

// Most bounds the energy of one contribution more than the plan has.
func (m *Memory) Most() float64 {
	sum := 1.0
	for _, c := range m.Past {
		sum += math.Abs(c)
	}
	return sum * sum / (m.Times * m.Times) * (1 + 0x1p-40)
}

// Growth is the largest standard deviation of a round's noise over that of fresh noise, both without Times.
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

// SquareRoot are the coefficients, but for the first, of the square root of the matrix of prefix sums, so many in all
// (Fichtenberger, Henzinger and Upadhyay 2023; cut off after a band, Kalinin and Lampert 2024).
func SquareRoot(band int) []float64 {
	past, c := make([]float64, max(0, band-1)), 1.0
	for j := range past {
		c *= float64(2*j+1) / float64(2*j+2)
		past[j] = c
	}
	return past
}
