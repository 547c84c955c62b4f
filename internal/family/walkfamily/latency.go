package walkfamily

import (
	"cmp"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Latency holds the delays of a simulated network and its nodes, in seconds.
type Latency struct {
	Hop  float64 `yaml:"hop"`           // mean delay of a hop from one node to another
	Step float64 `yaml:"step"`          // duration of a turn in which a holder uses its data
	Law  string  `yaml:"law,omitempty"` // constant | exponential: the law of the delay of hops
}

const constant, exponential = "constant", "exponential"

// mostSeconds is a year.
const mostSeconds = 366 * 24 * 3600

func (l *Latency) check() error {
	if l == nil {
		return nil
	}
	if l.Law == "" {
		l.Law = constant
	}
	if l.Hop == 0 && l.Step == 0 {
		return fault.New("algorithm.latency: neither a hop nor a step takes any time", "give hop in seconds, such as {hop: 0.05}, or leave latency out")
	}
	return cmp.Or(spec.OneOf("algorithm.latency.law", l.Law, constant, exponential), spec.CheckAll(
		spec.Number{Key: "algorithm.latency.hop", Value: l.Hop, Low: 0, High: mostSeconds},
		spec.Number{Key: "algorithm.latency.step", Value: l.Step, Low: 0, High: mostSeconds},
	))
}

// A stopwatch times tokens without computing their values.
type stopwatch struct {
	Latency
	seed   uint64
	stream step.Stream
}

// turn returns the duration of a turn and of the hop after it.
func (s *stopwatch) turn(r step.Release) (seconds float64) {
	if r.Contributed {
		seconds = s.Step
	}
	switch {
	case r.To == r.From:
		return seconds
	case s.Law == exponential:
		return seconds + float64(s.Hop*step.Exponential(s.stream.At(s.seed, r.From, r.Turn, r.Lane, step.Latency)))
	}
	return seconds + s.Hop
}

// mostTimed is the largest number of hops of a run that are followed. A longer run is extrapolated from its first hops.
const mostTimed = 20_000_000

// Time implements family.Timed. It computes no model, because paths depend on no data, and contributions only on which nodes
// hold any.
func (a *Algorithm) Time(seed uint64) *family.Time {
	if a.keys.Latency == nil {
		return nil
	}
	watch := stopwatch{Latency: *a.keys.Latency, seed: seed}
	s, routes := a.schedule(), walk.NewSeeded(a.Choose, a.routes(seed))
	first, all := a.starts(a.routes(seed))
	tokens := a.Protocol.AllTokens()
	turns := int64(a.Protocol.Turns())
	followed := min(turns, mostTimed/int64(tokens)+1)
	var time family.Time
	for lane := range step.Lane(tokens) {
		path := schedule.Path{
			Start: first, Lane: lane, Next: routes.Next, Holds: func(v step.NodeID) bool { return a.Examples.Examples(v).Len() > 0 },
			Skips: func(at step.NodeID, t step.Turn, lane step.Lane) bool { return routes.Away(at, t, lane, s.Skip) },
		}
		if all != nil {
			path.Start = all[lane]
		}
		one := 0.0
		for r := range s.Releases(path) {
			if int64(r.Turn) == followed {
				break
			}
			one += watch.turn(r)
		}
		one = float64(one * (float64(turns) / float64(followed)))
		time.Seconds, time.Serial = max(time.Seconds, one), time.Serial+one
	}
	return &time
}
