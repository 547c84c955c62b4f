package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Certificate holds a bound with everything needed to recompute it: the run, the
// plan, and the energy that follows from the two. It stands by itself. Energy, or forty
// lines of any language, need nothing else (docs/FLOW.md).
type Certificate struct {
	Nodes         int       `json:"nodes"`
	Rounds        int       `json:"rounds"`          // T
	Turns         int       `json:"turns,omitempty"` // K of averaging on one draw of noise; absent: 1, noise on every message
	Gamma         float64   `json:"gamma,omitempty"` // acceleration of these turns; absent: 1
	Weights       []Rows    `json:"weights"`         // the distinct matrices among W_0, W_1, ..
	WeightsOf     []int     `json:"weights_of"`      // index into weights of each round, or of each turn; empty: one for all
	Hears         []Rows    `json:"hears,omitempty"` // additional hearing, as in weights: who hears whom
	HearsOf       []int     `json:"hears_of,omitempty"`
	Contributions []float64 `json:"contributions"`       // s_t of the node that the plan is about
	Steps         []float64 `json:"steps,omitempty"`     // gamma_t; absent: all equal
	Lipschitz     Table     `json:"lipschitz,omitempty"` // L: a row a round, or one for all; one number a node, or one for all; absent: 1
	Noise         Table     `json:"noise,omitempty"`     // s_tj, in the same form
	Rounding      []float64 `json:"rounding,omitempty"`  // of noise on a grid, by round
	Final         bool      `json:"final"`               // all messages of the last round are public
	Plan          Plan      `json:"plan"`
	// Relative is the node's own sensitivity over the largest, the unit of the noise,
	// if one record is the unit of privacy. 0 means 1. The energy is that of the plan
	// times the square of Relative.
	Relative float64    `json:"relative,omitempty"`
	Energy   jsonNumber `json:"energy"` // null: there is no bound
}

// Rows is a matrix: row i has Values[i][k] at column Columns[i][k], ascending. In a
// matrix of who hears whom all values are 1.
type Rows struct {
	Columns [][]int32   `json:"columns"`
	Values  [][]float64 `json:"values"`
}

// mostCertified is the largest count of numbers in a certificate, some hundred
// megabytes.
const mostCertified = 1 << 22

// Certify returns the certificate of a plan. It returns an error if the certificate
// would be too long to write down.
func (a *Accountant) Certify(plan Plan, energy float64) (*Certificate, error) {
	c := &Certificate{
		Nodes: a.n, Rounds: a.p.Rounds, Steps: a.p.Steps, Lipschitz: a.p.Lipschitz, Noise: a.p.Noise, Rounding: a.p.Rounding, Final: a.p.Final,
		Turns: a.p.Turns, Gamma: a.p.Gamma, Plan: plan, Energy: jsonNumber(energy),
	}
	for t := range a.p.Rounds {
		c.Contributions = append(c.Contributions, a.p.contribution(t, plan.U))
	}
	if a.relatives != nil {
		c.Relative = a.relatives.At(plan.U)
	}
	if size := a.size(plan); size > mostCertified {
		return nil, fault.New(fmt.Sprintf("the plan and the weights that it is for are %d numbers, too many to write down", size), "ask about fewer rounds or nodes")
	}
	c.Weights, c.WeightsOf = distinct(a.p.Weights)
	c.Hears, c.HearsOf = distinct(a.p.Hears)
	return c, nil
}

// size returns about the count of numbers in a certificate.
func (a *Accountant) size(plan Plan) int {
	size := 0
	for _, ms := range [][]*sparse.Matrix{a.p.Weights, a.p.Hears} {
		for t, m := range ms {
			if t == 0 || m != ms[t-1] {
				size += 2 * len(m.Values)
			}
		}
	}
	for _, table := range []Table{a.p.Lipschitz, a.p.Noise} {
		for _, row := range table {
			size += len(row)
		}
	}
	for _, round := range plan.Rounds {
		size += 2 * len(round.Nodes)
	}
	return size
}

// distinct returns the different matrices of a list, and the index of each entry among
// them.
func distinct(ms []*sparse.Matrix) (all []Rows, of []int) {
	place := map[*sparse.Matrix]int{}
	for _, m := range ms {
		at, known := place[m]
		if !known {
			at = len(all)
			place[m] = at
			all = append(all, rowsOf(m))
		}
		of = append(of, at)
	}
	if len(all) == 1 {
		of = nil
	}
	return all, of
}

func rowsOf(m *sparse.Matrix) Rows {
	r := Rows{Columns: make([][]int32, m.N), Values: make([][]float64, m.N)}
	for i := range m.N {
		columns, values := m.Row(i)
		r.Columns[i], r.Values[i] = append([]int32{}, columns...), append([]float64{}, values...)
	}
	return r
}

// matrix returns the matrix of the rows, or an error if they are malformed.
func (r Rows) matrix(n int) (*sparse.Matrix, error) {
	if len(r.Columns) != n || len(r.Values) != n {
		return nil, fault.New(fmt.Sprintf("a matrix of %d and %d rows for %d nodes", len(r.Columns), len(r.Values), n), "give columns and values of every row")
	}
	m := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1)}
	for i, columns := range r.Columns {
		if len(r.Values[i]) != len(columns) {
			return nil, fault.New(fmt.Sprintf("row %d has %d columns with %d values", i, len(columns), len(r.Values[i])), "give one value a column")
		}
		for k, j := range columns {
			if j < 0 || int(j) >= n || k > 0 && j <= columns[k-1] {
				return nil, fault.New(fmt.Sprintf("row %d has an entry at column %d", i, j), "give columns from 0 to n-1, in order")
			}
		}
		m.Columns, m.Values = append(m.Columns, columns...), append(m.Values, r.Values[i]...)
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m, nil
}

// Problem returns the problem that the certificate is about.
func (c *Certificate) Problem() (Problem, error) {
	p := Problem{Rounds: c.Rounds, Contributions: ByRound(c.Contributions), Steps: c.Steps, Lipschitz: c.Lipschitz, Noise: c.Noise,
		Rounding: c.Rounding, Final: c.Final, Turns: c.Turns, Gamma: c.Gamma}
	var err error
	if p.Weights, err = c.matrices(c.Weights, c.WeightsOf); err != nil {
		return p, err
	}
	if len(p.Weights) == 0 {
		return p, fault.New("a certificate without weights", "give those of every round")
	}
	p.Hears, err = c.matrices(c.Hears, c.HearsOf)
	return p, err
}

func (c *Certificate) matrices(rows []Rows, of []int) (ms []*sparse.Matrix, err error) {
	for _, r := range rows {
		m, err := r.matrix(c.Nodes)
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	if len(of) == 0 {
		return ms, nil
	}
	all := make([]*sparse.Matrix, len(of))
	for t, k := range of {
		if k < 0 || k >= len(ms) {
			return nil, fault.New(fmt.Sprintf("round %d has matrix %d of %d", t, k, len(ms)), "number them from 0")
		}
		all[t] = ms[k]
	}
	return all, nil
}

// Check recomputes the energy from the certificate alone. It returns an error if the
// plan is invalid, or if its energy is above the claimed one.
func (c *Certificate) Check() (float64, error) {
	p, err := c.Problem()
	if err != nil {
		return 0, err
	}
	energy, err := Energy(p, c.Plan)
	if err != nil {
		return 0, err
	}
	if c.Relative < 0 || c.Relative > 1 {
		return 0, fault.New(fmt.Sprintf("a sensitivity of %g of the largest", c.Relative), "give a number from 0 to 1")
	}
	if c.Relative > 0 {
		energy = raised(energy*c.Relative*c.Relative, 4)
	}
	if claimed := float64(c.Energy); energy > claimed {
		return energy, fault.New(fmt.Sprintf("the plan has an energy of %.17g, more than the %.17g that is claimed", energy, claimed),
			"believe the plan, not the claim")
	}
	return energy, nil
}

// A jsonNumber is written as null if it is infinite or NaN. null is read as +Inf.
type jsonNumber float64

// MarshalJSON implements json.Marshaler.
func (x jsonNumber) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 1) || math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return []byte(fmt.Sprintf("%.17g", float64(x))), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *jsonNumber) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = jsonNumber(math.Inf(1))
		return nil
	}
	var value float64
	_, err := fmt.Sscan(string(text), &value)
	*x = jsonNumber(value)
	return err
}
