package walkfamily

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/spec"
)

// Keys holds the keys of a spec's algorithm that only walks have.
type Keys struct {
	Combine string   `yaml:"combine,omitempty"` // average | apart: whether several tokens are averaged at the end
	Skip    float64  `yaml:"skip,omitempty"`    // probability that a holder takes no part in a turn
	Latency *Latency `yaml:"latency,omitempty"` // of a simulated network; nil: time is not simulated
}

// Several tokens are averaged, or kept apart.
const average, apart = "average", "apart"

// KeysOf returns the keys of a walk's spec. It returns zero keys for a family that runs as a walk but does not have them.
func KeysOf(s *spec.Spec) Keys {
	switch k := s.Algorithm.Own.(type) {
	case *Keys:
		return *k
	case Walker:
		return k.Walk()
	}
	return Keys{}
}

// Averaged returns the keys of a walk whose tokens are averaged at the end.
func Averaged() Keys { return Keys{Combine: average} }

// A Walker holds some of a walk's keys among its own.
type Walker interface{ Walk() Keys }

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{} }

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	k, a := s.Algorithm.Own.(*Keys), &s.Algorithm
	if a.Tokens == 1 && k.Combine != "" {
		return fault.New(fmt.Sprintf("algorithm.combine: %s, but there is one token", k.Combine), "leave it out, or set tokens to 2 or more")
	}
	if a.Tokens > 1 {
		if k.Combine == "" {
			k.Combine = average
		}
		if err := spec.OneOf("algorithm.combine", k.Combine, average, apart); err != nil {
			return err
		}
	}
	if err := k.Check(); err != nil {
		return err
	}
	if k.Combine == apart && a.Average != "none" {
		return fault.New(fmt.Sprintf("algorithm.average: %s is of one model, and combine: apart keeps one for every token", a.Average),
			"leave average out, or use combine: average")
	}
	return nil
}

// Check refuses values of skip and latency out of range.
func (k *Keys) Check() error {
	return cmp.Or(k.Latency.check(), spec.CheckAll(spec.Number{Key: "algorithm.skip", Value: k.Skip, Low: 0, High: 0.999}))
}

// CheckReal implements spec.Rules.
func (Family) CheckReal(s *spec.Spec) error {
	a := &s.Algorithm
	switch k := KeysOf(s); {
	case a.Contributions == 0:
		return fault.New("algorithm.contributions: without a cap nothing bounds what a participant gives away",
			"set contributions, such as 1.2 times steps over participants")
	case k.Latency != nil:
		return fault.New("algorithm.latency: a real network takes the time that it takes", "leave it out")
	case k.Combine == apart:
		return fault.New("algorithm.combine: apart, but a participant ends with one model", "use combine: average, or one token")
	case a.Tokens > 1 && s.Privacy.Release != "final":
		return fault.New(fmt.Sprintf("privacy.release: %s, but who has not seen all %d last tokens cannot average them", s.Privacy.Release, a.Tokens),
			"use release: final, which is charged, or one token")
	}
	return nil
}
