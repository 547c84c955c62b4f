package gossipfamily

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// checkMemory refuses keys that noise with memory cannot have. Where a spec names no accountant it sets the local one, which
// charges all messages, for noise with memory and for cyclic batches.
func (k *Keys) checkMemory(s *spec.Spec) error {
	if k.Memory == "" && k.Epoch < 2 {
		return nil
	}
	if s.Privacy.Accountant == "" {
		s.Privacy.Accountant = report.LocalAccountant
	}
	if k.Memory == "" {
		return nil
	}
	if _, err := k.past(s.Algorithm.Steps); err != nil {
		return fault.New("algorithm.memory: "+err.Error(), fault.Hint(err))
	}
	switch {
	case k.Noise == eachTurn:
		return fault.New("algorithm.memory: noise of a step remembers that of steps before, and noise: turn draws more of it", "use noise: step")
	case k.Wake == "edges" || k.Dropout > 0 && !k.misses():
		return fault.New("algorithm.memory: who is away in a step has no noise of it to remember", "leave out wake and dropout, or memory")
	case k.changes(s) && !k.misses():
		return fault.New("algorithm.memory: noise in time is priced on one graph, on which all exchange values in all turns", "leave out wake, redraw and a graph for each turn, or memory")
	case k.Sampling == poisson:
		return fault.New("algorithm.memory: a row of a Poisson sample may be in steps as near to each other as it likes, and no price is known of that", "use sampling: cyclic with epoch: 16, say")
	case s.Algorithm.StepSize.Power != 0:
		return fault.New("algorithm.memory: noise is remembered in the unit of a step, and steps that fall change it", "use a constant step_size")
	}
	return nil
}

// past returns the coefficients that the key names, without the first, which is 1.
func (k *Keys) past(steps int) ([]float64, error) {
	const hint = "use banded:16, sqrt, or toeplitz:1,0.5,0.375"
	kind, of, _ := strings.Cut(k.Memory, ":")
	switch kind {
	case "sqrt":
		if of == "" {
			return schedule.SquareRoot(steps), nil
		}
	case "banded":
		if band, err := strconv.Atoi(of); err == nil && band >= 2 && band <= 1+schedule.MostPast {
			return schedule.SquareRoot(min(band, steps)), nil
		}
		return nil, fault.New(fmt.Sprintf("%s: a band is a whole number from 2 to %d", k.Memory, 1+schedule.MostPast), hint)
	case "toeplitz":
		var all []float64
		for _, text := range strings.Split(of, ",") {
			c, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(c) || math.IsInf(c, 0) {
				return nil, fault.New(fmt.Sprintf("%s: %q is no number", k.Memory, text), hint)
			}
			all = append(all, c)
		}
		if all[0] == 1 {
			return all[1:], nil
		}
		return nil, fault.New(fmt.Sprintf("%s: the first coefficient is that of a step's own noise, 1", k.Memory), hint)
	}
	return nil, fault.New(fmt.Sprintf("%q is not known", k.Memory), hint)
}

// remember sets the memory of the protocol's noise as the spec says.
func (a *Algorithm) remember() error {
	if a.keys.Memory == "" {
		return nil
	}
	past, err := a.keys.past(a.Protocol.Rounds)
	if err == nil {
		a.Protocol.Memory, err = schedule.NewMemory(past, a.Protocol.Rounds, a.Protocol.Contributions(), a.period())
	}
	if err != nil {
		return fault.New("algorithm.memory: "+err.Error(), fault.Hint(err))
	}
	return nil
}

// period returns the number of rounds between two releases that contain the same unit of privacy.
func (a *Algorithm) period() int {
	if a.Spec.Records() {
		return max(1, a.keys.Epoch)
	}
	return 1
}

// Charged implements family.Charger. A row is in one batch of a pass.
func (a *Algorithm) Charged() int { return a.ofUnit(a.Contributions()) }

// ofUnit returns the largest number of so many contributions of a node that a unit of privacy is in.
func (a *Algorithm) ofUnit(contributions int) int {
	p := a.Protocol
	g := schedule.Gossip{Rounds: p.Rounds, Epoch: p.Epoch, Records: a.Spec.Records(), Asynchronous: p.Asynchronous, Absent: p.Absent}
	return g.OfUnit(contributions)
}

// local returns the local accountant.
func (a *Algorithm) local(m privacy.Metric) family.Accountant {
	of := family.Local(&a.Holdings, a.Charged(), a.Protocol.Noise, m, nil)
	if a.Protocol.Memory == nil {
		return of
	}
	price := of.Price
	of.Price = func(sigma *float64) (family.Account, float64, error) {
		account, found, err := price(sigma)
		account.Assumptions = append(slices.Clip(account.Assumptions), privacy.MemoryAssumption)
		return account, found, err
	}
	return of
}

// LocalEnergy implements family.Uneven. Contributions beyond the planned number are charged as if no other noise hid them.
func (a *Algorithm) LocalEnergy(_, contributions int) float64 {
	planned := min(contributions, a.Contributions())
	energy, more := float64(a.ofUnit(planned)), float64(contributions-planned)
	if m := a.Protocol.Memory; m != nil {
		energy = math.Min(float64(a.Charged()), m.Energy(a.Protocol.Rounds, planned, a.period()))
		more = float64(more * m.Most())
	}
	return energy + more
}

// Share implements family.Uneven.
func (a *Algorithm) Share(step.Turn) float64 { return 1 }

// OffGrid implements family.Uneven.
func (a *Algorithm) OffGrid() string { return "" }

// remembers describes noise with memory and cyclic batches. It returns "" without them.
func (a *Algorithm) remembers() string {
	note := ""
	if epoch := a.Protocol.Epoch; epoch > 1 {
		note = fmt.Sprintf("A node's rows are dealt into %d batches, which take turns: row k is in batch k modulo %d.", epoch, epoch)
		if a.Spec.Records() {
			note += fmt.Sprintf(" So a row is in at most %d of %d steps, and is charged for these.", a.Charged(), a.Contributions())
		}
	}
	m := a.Protocol.Memory
	if m == nil || len(m.Past) == 0 {
		return note
	}
	takes := "takes back some of"
	if slices.ContainsFunc(m.Past, func(c float64) bool { return c < 0 }) {
		takes = "is combined with"
	}
	return strings.TrimSpace(note + fmt.Sprintf(" Noise of a step %s that of the %d steps before (memory: %s): fresh noise is %.4g times that of independent noise with the same loss, which sigma counts.",
		takes, len(m.Past), a.keys.Memory, m.Times))
}
