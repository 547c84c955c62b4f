package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// isNumber reads a number that YAML takes for text, such as 1e-3, into x.
func isNumber(text string, x *float64) bool {
	value, err := strconv.ParseFloat(text, 64)
	*x = value
	return err == nil
}

// Range is the public range [low, high] of a column.
type Range [2]float64

// UnmarshalYAML takes a list of exactly two numbers.
func (r *Range) UnmarshalYAML(unmarshal func(any) error) error {
	var bounds []float64
	if err := unmarshal(&bounds); err != nil {
		return err
	}
	if len(bounds) != len(r) {
		return invalid(fmt.Sprintf("data.ranges: %v is not a range", bounds), "give the lowest and the highest value, such as [0, 120]")
	}
	copy(r[:], bounds)
	return nil
}

// Value is a number or a text in a field of a table.
type Value string

// UnmarshalYAML takes the source text of a scalar, without blanks around it.
func (v *Value) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	*v = Value(strings.TrimSpace(text))
	return nil
}

// Columns lists names of columns. An empty list is a choice, and nil means that nothing was chosen.
type Columns []string

// IsZero reports whether nothing was said.
func (c Columns) IsZero() bool { return c == nil }

// StepSize is a number (constant), the word theory, or {power: q, base: c}
// for c/(t+1)^q.
type StepSize struct {
	Theory      bool
	Base, Power float64
}

// UnmarshalYAML implements the three spellings.
func (s *StepSize) UnmarshalYAML(unmarshal func(any) error) error {
	var scalar any
	if err := unmarshal(&scalar); err != nil {
		return err
	}
	switch v := scalar.(type) {
	case string:
		if *s = (StepSize{Theory: v == "theory"}); s.Theory || isNumber(v, &s.Base) {
			return nil
		}
		return invalid(fmt.Sprintf("algorithm.step_size: %q is not a step size", v), "give a number, theory, or {power: 0.75, base: 0.1}")
	case map[string]any:
		form := struct {
			Power float64 `yaml:"power"`
			Base  float64 `yaml:"base"`
		}{Base: 1}
		if err := unmarshal(&form); err != nil {
			return err
		}
		*s = StepSize{Base: form.Base, Power: form.Power}
		return nil
	}
	*s = StepSize{}
	return unmarshal(&s.Base)
}

// MarshalYAML writes the shortest spelling.
func (s StepSize) MarshalYAML() (any, error) {
	switch {
	case s.Theory:
		return "theory", nil
	case s.Power == 0:
		return s.Base, nil
	}
	return map[string]float64{"power": s.Power, "base": s.Base}, nil
}

// Test holds the share of rows kept for testing, or own for the test part that
// comes with the source.
type Test struct {
	Own   bool
	Share float64
}

// UnmarshalYAML takes a number or the word own.
func (p *Test) UnmarshalYAML(unmarshal func(any) error) error {
	var scalar any
	if err := unmarshal(&scalar); err != nil {
		return err
	}
	if word, ok := scalar.(string); ok {
		if *p = (Test{Own: word == "own"}); p.Own || isNumber(word, &p.Share) {
			return nil
		}
		return invalid(fmt.Sprintf("data.test: %q is not a share", word), "give a number such as 0.2, or own")
	}
	*p = Test{}
	return unmarshal(&p.Share)
}

// MarshalYAML writes own or the share, in the form that UnmarshalYAML reads.
func (p Test) MarshalYAML() (any, error) {
	if p.Own {
		return "own", nil
	}
	return p.Share, nil
}

// Start is the node where the token begins, or uniform for a drawn one. A node is
// given by its number or, until the graph is known, by its name.
type Start struct {
	Uniform bool
	Node    int
	Name    string  // "": by number
	Each    []Start // of several tokens; nil: all of them as the fields above say
}

// Of returns where the token of a lane begins.
func (s Start) Of(lane int) Start {
	if s.Each != nil {
		return s.Each[lane]
	}
	return s
}

// UnmarshalYAML takes a node number, the word uniform or a name; or a list of these.
func (s *Start) UnmarshalYAML(unmarshal func(any) error) error {
	var scalar any
	if err := unmarshal(&scalar); err != nil {
		return err
	}
	if list, ok := scalar.([]any); ok {
		*s = Start{Each: make([]Start, len(list))}
		for _, one := range list {
			if _, nested := one.([]any); nested {
				return invalid("algorithm.start: a list in a list is no node", "give a node's number or name, or uniform, for each token")
			}
		}
		return unmarshal(&s.Each)
	}
	if word, ok := scalar.(string); ok {
		*s = Start{Uniform: word == "uniform"}
		if !s.Uniform {
			s.Name = word
		}
		if strings.TrimSpace(word) == "" {
			return invalid(fmt.Sprintf("algorithm.start: %q is not a node", word), "give a node's number or name, or uniform")
		}
		return nil
	}
	*s = Start{}
	if err := whole("algorithm.start", scalar); err != nil {
		return err
	}
	return unmarshal(&s.Node)
}

// MarshalYAML writes a list, uniform, a name or a number, in the form that UnmarshalYAML reads.
func (s Start) MarshalYAML() (any, error) {
	if s.Each != nil {
		return s.Each, nil
	}
	if s.Uniform {
		return "uniform", nil
	}
	if s.Name != "" {
		return s.Name, nil
	}
	return s.Node, nil
}

// Calibrate asks for the least noise that keeps one target; exactly one is set. Targets are the mean or the
// maximum of pairwise losses over all pairs, the maximum over non-neighbours, and the limit of
// one pair or of observers.
type Calibrate struct {
	Mean      float64          `yaml:"mean,omitempty" either:"target"`
	Max       float64          `yaml:"max,omitempty" either:"target"`
	Beyond    float64          `yaml:"max_beyond_neighbours,omitempty" either:"target"`
	Pair      *PairTarget      `yaml:"pair,omitempty" either:"target"`
	Observers *ObserverTargets `yaml:"observers,omitempty" either:"target"`
}

// A PairTarget is an upper limit on the loss of one node towards one observer, in the metric of
// the spec.
type PairTarget struct {
	About    NodeName `yaml:"about"`
	Observer NodeName `yaml:"observer"`
	Eps      float64  `yaml:"eps"`
}

// ObserverTargets holds upper limits on the loss of any node, by who observes, as a policy states
// them. All of them are kept. 0, and a missing entry of Named, mean no limit.
type ObserverTargets struct {
	Neighbours float64            `yaml:"neighbours,omitempty"` // towards any one neighbour
	Others     float64            `yaml:"others,omitempty"`     // towards anybody else
	Named      map[string]float64 `yaml:"named,omitempty"`      // towards these, by name or number
}

// Target returns the least loss that is asked for. It returns 0 if none is.
func (c Calibrate) Target() float64 {
	least := 0.0
	for _, loss := range c.losses() {
		if loss.Value != 0 && (least == 0 || loss.Value < least) {
			least = loss.Value
		}
	}
	return least
}

// Losses returns the losses that are asked for, by their keys.
func (c Calibrate) Losses() map[string]float64 {
	given := map[string]float64{}
	for _, loss := range c.losses() {
		if loss.Value != 0 {
			given[loss.Key] = loss.Value
		}
	}
	return given
}

// String states the target in words.
func (c Calibrate) String() string {
	var said []string
	for _, s := range []struct {
		loss float64
		of   string
	}{{c.Mean, "a mean of %g over all pairs"}, {c.Max, "at most %g of every pair"}, {c.Beyond, "at most %g of every pair of nodes that are no neighbours"}} {
		if s.loss != 0 {
			said = append(said, fmt.Sprintf(s.of, s.loss))
		}
	}
	if p := c.Pair; p != nil {
		said = append(said, fmt.Sprintf("at most %g about %s towards %s", p.Eps, p.About, p.Observer))
	}
	if o := c.Observers; o != nil {
		if o.Neighbours != 0 {
			said = append(said, fmt.Sprintf("at most %g towards neighbours", o.Neighbours))
		}
		if o.Others != 0 {
			said = append(said, fmt.Sprintf("at most %g towards others", o.Others))
		}
		for _, name := range slices.Sorted(maps.Keys(o.Named)) {
			said = append(said, fmt.Sprintf("at most %g towards %s", o.Named[name], name))
		}
	}
	return strings.Join(said, ", ")
}

// losses returns all targets with their keys. A value of 0 asks for nothing.
func (c Calibrate) losses() []Number {
	all := []Number{{Key: "mean", Value: c.Mean}, {Key: "max", Value: c.Max}, {Key: "max_beyond_neighbours", Value: c.Beyond}}
	if c.Pair != nil {
		all = append(all, Number{Key: "pair.eps", Value: c.Pair.Eps})
	}
	if o := c.Observers; o != nil {
		all = append(all, Number{Key: "observers.neighbours", Value: o.Neighbours}, Number{Key: "observers.others", Value: o.Others})
		for _, name := range slices.Sorted(maps.Keys(o.Named)) {
			all = append(all, Number{Key: "observers.named." + name, Value: o.Named[name]})
		}
	}
	return all
}

// NodeName is a node's name or number in a spec.
type NodeName string

// UnmarshalYAML takes a number or a name.
func (n *NodeName) UnmarshalYAML(unmarshal func(any) error) error {
	var scalar any
	if err := unmarshal(&scalar); err != nil {
		return err
	}
	if word, ok := scalar.(string); ok {
		*n = NodeName(word)
		return nil
	}
	if err := whole("a node", scalar); err != nil {
		return err
	}
	*n = NodeName(fmt.Sprint(scalar))
	return nil
}

// Metric selects how one pairwise loss is stated: epsilon at Delta, or the Renyi
// divergence of order Order. Exactly one is set.
type Metric struct {
	Delta float64 `yaml:"epsilon_at_delta,omitempty" either:"metric"`
	Order float64 `yaml:"renyi,omitempty" either:"metric"`
}

// UnmarshalYAML replaces the default metric instead of adding to it.
func (m *Metric) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Metric
	var given plain
	if err := unmarshal(&given); err != nil {
		return err
	}
	*m = Metric(given)
	return nil
}

// String names the metric as a report states it.
func (m Metric) String() string {
	if m.Order != 0 {
		return fmt.Sprintf("Renyi divergence of order %g", m.Order)
	}
	return fmt.Sprintf("epsilon at delta %g", m.Delta)
}
