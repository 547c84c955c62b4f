// Package spec reads an experiment as one validated value. A spec is YAML;
// unknown keys are errors; every default is filled in, so that the resolved
// spec written beside a result says all there is to say.
package spec

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// A Spec is one experiment.
type Spec struct {
	Name      string    `yaml:"name"`
	Seed      uint64    `yaml:"seed"`
	Trials    int       `yaml:"trials"` // independent runs
	Data      Data      `yaml:"data"`
	Nodes     int       `yaml:"nodes"`              // 0: as many as the graph has
	Graph     string    `yaml:"graph"`              // generator expression or edge-list file
	Directed  *bool     `yaml:"directed,omitempty"` // of a graph file: its lines are arrows, or its arrows are edges; nil: as it says
	Weights   string    `yaml:"weights"`            // transition matrix on the graph: a rule, or the file of a matrix
	Model     Model     `yaml:"model"`
	Algorithm Algorithm `yaml:"algorithm"`
	Privacy   Privacy   `yaml:"privacy"`
	Report    Report    `yaml:"report"`

	Participants []Participant `yaml:"participants,omitempty"` // of a real run; none: a simulation
	Federation   *Federation   `yaml:"federation,omitempty"`   // how a real run goes on

	Signatures map[string]string `yaml:"signatures,omitempty"` // by participant, of all else here; see federation.signed

	Dir    string `yaml:"-"` // folder of the file, absolute; "" for a spec without one
	Matrix string `yaml:"-"` // path of the file that Weights names, once it is known; "": it is in Dir

	kinds Kinds
}

// Data holds the source of the rows and how they are spread over the nodes. A key that is
// left out takes the source's own default, which the resolved spec shows.
type Data struct {
	Source        string              `yaml:"source"`
	Path          string              `yaml:"path,omitempty"`            // relative to the spec file
	Target        string              `yaml:"target,omitempty"`          // label column
	Task          string              `yaml:"task,omitempty"`            // classification | regression
	Drop          Columns             `yaml:"drop,omitempty"`            // columns left out
	Missing       string              `yaml:"missing,omitempty"`         // csv: drop | error: treatment of rows without a value
	Categories    map[string][]string `yaml:"categories,omitempty"`      // csv: the public values of text columns; heart: of columns of numbers
	Fill          map[string]Value    `yaml:"fill,omitempty"`            // csv: public values that stand for missing ones, by column
	Separator     string              `yaml:"separator,omitempty"`       // csv: the separator of columns
	Decimal       string              `yaml:"decimal,omitempty"`         // csv: the decimal mark of numbers, . or ,
	Charset       string              `yaml:"encoding,omitempty"`        // csv: of the text, such as latin-1
	NoValues      []Value             `yaml:"missing_values,omitempty"`  // csv: marks for no value, besides those that programs write
	Person        string              `yaml:"person,omitempty"`          // csv: the column that says whose each row is
	RowsPerPerson int                 `yaml:"rows_per_person,omitempty"` // csv: of one person, at most: more are left out
	Threshold     *float64            `yaml:"threshold,omitempty"`       // houses: the public value that labels are compared with; left out: their mean
	Classes       Columns             `yaml:"classes,omitempty"`         // csv: the labels, of two the positive one last; a federation must list them
	Test          *Test               `yaml:"test,omitempty"`            // share of rows kept for testing, or own
	Validation    float64             `yaml:"validation,omitempty"`      // share of the training rows that take the place of test rows
	Split         string              `yaml:"split,omitempty"`           // class | index: how rows are kept for testing
	Scale         string              `yaml:"scale,omitempty"`           // standardise | ranges | none
	Ranges        Ranges              `yaml:"ranges,omitempty"`
	Normalise     string              `yaml:"normalise,omitempty"`  // unit | none
	Partition     string              `yaml:"partition,omitempty"`  // uniform | column:NAME | dirichlet:A | position
	Rows          int                 `yaml:"rows,omitempty"`       // per node; 0: as many as there are
	Features      Features            `yaml:"features,omitempty"`   // a number: of synthetic sources; a list: steps between reading and the model
	TrainRows     int                 `yaml:"train_rows,omitempty"` // external: rows that the program holds to learn from, of all nodes together
	TestRows      int                 `yaml:"test_rows,omitempty"`  // external: and for testing
	Shape         Widths              `yaml:"shape,omitempty"`      // of rows that are pictures: planes, rows, columns
	Support       int                 `yaml:"support,omitempty"`    // sparse-regression
	Centre        *float64            `yaml:"centre,omitempty"`     // synthetic sources
	Variance      *float64            `yaml:"variance,omitempty"`   // synthetic sources
}

// Notation returns how files are written. A participant can override it for its own file.
func (d *Data) Notation() textfile.Notation {
	n := textfile.Notation{Separator: d.Separator, Decimal: d.Decimal, Encoding: d.Charset}
	for _, value := range d.NoValues {
		n.Missing = append(n.Missing, string(value))
	}
	return n
}

// Model names the objective.
type Model struct {
	Kind         string             `yaml:"kind"` // logistic | hinge | multinomial | mlp | convnet | ridge | absolute | mean | external
	Intercept    bool               `yaml:"intercept"`
	L2           float64            `yaml:"l2"`
	Regulariser  *Regulariser       `yaml:"regulariser,omitempty"`   // besides, of kinds that can have one; nil: none
	Hidden       Widths             `yaml:"hidden,omitempty"`        // mlp: units of the one or two hidden layers; convnet: of the one
	Maps         Widths             `yaml:"maps,omitempty"`          // convnet: of its two convolutions
	Kernel       int                `yaml:"kernel,omitempty"`        // convnet: side of the kernels of both
	ClassWeights map[string]float64 `yaml:"class_weights,omitempty"` // public, by class; a class that is not named weighs 1

	Earlier *Earlier `yaml:"earlier,omitempty"` // with which a run begins; nil: the model's usual start

	Name       string `yaml:"name,omitempty"`       // external: the program's name of the model
	Parameters int    `yaml:"parameters,omitempty"` // external: how many numbers it has
	Layout     string `yaml:"layout,omitempty"`     // external: digest of the names and shapes of its tensors, sha256:HEX
	Initial    string `yaml:"initial,omitempty"`    // external: digest of the public numbers that a run begins with, sha256:HEX
	Task       string `yaml:"task,omitempty"`       // external: classification | regression
	// Program answers for an external model. No file names it: the caller that runs the spec sets it.
	Program any `yaml:"-"`
}

func (m Model) is(kind string) bool { return m.Kind == kind }

func (m Model) isOf(kinds ...string) bool { return slices.Contains(kinds, m.Kind) }

// Algorithm holds the algorithm and its settings that all kinds share.
type Algorithm struct {
	Kind          string   `yaml:"kind"` // see Kinds
	Steps         int      `yaml:"steps"`
	StepSize      StepSize `yaml:"step_size"`
	Clip          float64  `yaml:"clip"`                  // before the noise
	ClipEach      string   `yaml:"clip_each,omitempty"`   // row | mean: clips each example's gradient, or each node's mean; "": row
	LocalSteps    int      `yaml:"local_steps,omitempty"` // gradient steps of a node whose clipped sum is one contribution; 0: one
	Average       string   `yaml:"average"`               // none | half | weighted
	Fill          bool     `yaml:"fill"`                  // nodes scale their gradients up to the clipping norm
	WeighRows     int      `yaml:"weigh_rows,omitempty"`  // public number of rows at which a node weighs 1; 0: nodes weigh alike
	Contributions int      `yaml:"contributions"`         // most per node; 0: no cap
	Tokens        int      `yaml:"tokens"`
	BurnIn        int      `yaml:"burn_in"`            // hops before the first update
	Radius        float64  `yaml:"radius"`             // projection ball; 0: none
	Momentum      float64  `yaml:"momentum,omitempty"` // weight of the noisy step before in the next; 0: none
	Start         Start    `yaml:"start"`              // node, or uniform

	Own any `yaml:",inline"` // the keys that only this kind has: the value of its Keys, filled in; nil: none
}

// Privacy says how much noise, given or calibrated.
type Privacy struct {
	Unit       string           `yaml:"unit"`                           // participant | record: the difference between neighbouring data sets
	RecordName string           `yaml:"record_name,omitempty"`          // a record's name, in a word such as patient
	Sigma      *float64         `yaml:"sigma,omitempty" either:"noise"` // noise multiplier
	Calibrate  *Calibrate       `yaml:"calibrate,omitempty" either:"noise"`
	Accountant string           `yaml:"accountant"` // published | local | path (gossip: exact, central: tight); "": the sound one
	Metric     Metric           `yaml:"metric"`
	Release    string           `yaml:"release"`             // final | none: whether everybody sees the last token
	Sender     string           `yaml:"sender"`              // hidden | known: whether a node sees who handed it the token
	Condition  string           `yaml:"condition"`           // weakest | printed: the published accountant's condition on sigma
	Conversion string           `yaml:"conversion"`          // mironov | cks
	Limits     map[string]Limit `yaml:"limits,omitempty"`    // by node: a limit of its own on its contributions
	Coalition  int              `yaml:"coalition,omitempty"` // losses towards any coalition of that many curious nodes; 0: none
}

// Report says how often the model is scored, and in which metrics losses are stated besides that of Privacy.
type Report struct {
	Every  int       `yaml:"every"`            // steps between scores; 0: 200 scores a run
	Deltas []float64 `yaml:"deltas,omitempty"` // epsilon at these
	Orders []float64 `yaml:"orders,omitempty"` // Renyi divergences of these
}

// defaults returns the spec that a file is read over. Privacy defaults to numbers
// that are bounds (see checkPrivacy), and to a sender that everyone can see.
func defaults(kinds Kinds) *Spec {
	return &Spec{
		kinds: kinds,
		Seed:  1, Trials: 1,
		Model:     Model{Kind: "logistic", Intercept: true},
		Algorithm: Algorithm{Kind: "walk", Average: "none", Fill: true, Tokens: 1, Start: Start{Uniform: true}},
		Privacy: Privacy{
			Unit: UnitParticipant, Metric: Metric{Delta: 1e-6}, Release: "none", Sender: "known", Condition: "weakest", Conversion: "mironov",
		},
	}
}

// invalid returns the error for a value that a key cannot have.
func invalid(what, hint string) error { return fault.New(what, hint) }

// Title returns the spec's name. Without a name it returns the algorithm and the graph's file or generator.
func (s *Spec) Title() string {
	switch {
	case s.Name != "":
		return s.Name
	case s.Graph != "":
		return fmt.Sprintf("%s on %s", s.Algorithm.Kind, filepath.Base(s.Graph))
	}
	return s.Algorithm.Kind
}
