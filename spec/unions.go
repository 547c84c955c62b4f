package spec

import "fmt"

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
		if v != "theory" {
			return invalid(fmt.Sprintf("algorithm.step_size: %q is not a step size", v), "give a number, theory, or {power: 0.75, base: 0.1}")
		}
		*s = StepSize{Theory: true}
		return nil
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

// Test is the share of rows kept for testing, or own for the test part that
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
		*p = Test{Own: true}
		if word != "own" {
			return invalid(fmt.Sprintf("data.test: %q is not a share", word), "give a number such as 0.2, or own")
		}
		return nil
	}
	*p = Test{}
	return unmarshal(&p.Share)
}

// MarshalYAML writes what UnmarshalYAML reads.
func (p Test) MarshalYAML() (any, error) {
	if p.Own {
		return "own", nil
	}
	return p.Share, nil
}

// Start is the node where the token begins, or uniform for a drawn one.
type Start struct {
	Uniform bool
	Node    int
}

// UnmarshalYAML takes a node number or the word uniform.
func (s *Start) UnmarshalYAML(unmarshal func(any) error) error {
	var scalar any
	if err := unmarshal(&scalar); err != nil {
		return err
	}
	if word, ok := scalar.(string); ok {
		*s = Start{Uniform: true}
		if word != "uniform" {
			return invalid(fmt.Sprintf("algorithm.start: %q is not a node", word), "give a node number, or uniform")
		}
		return nil
	}
	*s = Start{}
	return unmarshal(&s.Node)
}

// MarshalYAML writes what UnmarshalYAML reads.
func (s Start) MarshalYAML() (any, error) {
	if s.Uniform {
		return "uniform", nil
	}
	return s.Node, nil
}

// Calibrate asks for the least noise whose pairwise losses have this mean or
// maximum; exactly one is set.
type Calibrate struct {
	Mean float64 `yaml:"mean,omitempty"`
	Max  float64 `yaml:"max,omitempty"`
}

// Metric is how one pairwise loss is stated: epsilon at Delta, or the Renyi
// divergence of order Order; exactly one is set.
type Metric struct {
	Delta float64 `yaml:"epsilon_at_delta,omitempty"`
	Order float64 `yaml:"renyi,omitempty"`
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

// String is how a report states the metric.
func (m Metric) String() string {
	if m.Order != 0 {
		return fmt.Sprintf("Renyi divergence of order %g", m.Order)
	}
	return fmt.Sprintf("epsilon at delta %g", m.Delta)
}
