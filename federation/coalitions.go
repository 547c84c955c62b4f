package federation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// A Coalition holds the loss towards the worst coalition of a size. The members of a coalition
// share all that they see.
type Coalition struct {
	Size      int      `json:"size"`
	Worst     []string `json:"worst,omitempty"`      // members; none if one bound holds for all coalitions, or the local loss is charged
	Epsilon   float64  `json:"epsilon"`              // if the members are honest but curious
	Deviating float64  `json:"epsilon_if_deviating"` // if the members alone deviate: Epsilon after most_late late values, or the local loss of all contributions

	active bool // Epsilon holds for deviating members too
}

// allTogether names all others, who are charged the local loss of all contributions.
const allTogether = "all others together"

// name returns the name of the coalition in tables.
func (c Coalition) name() string {
	name := fmt.Sprintf("any %d together", c.Size)
	if !c.active {
		name += ", honest but curious"
	}
	if c.Worst != nil {
		name += fmt.Sprintf(" (worst: %s)", strings.Join(c.Worst, ", "))
	}
	return name
}

// poolAll prices coalitions of two, of the size in the spec, and of the given sizes. It skips sizes
// above the number of other participants.
func (p *Plan) poolAll(ctx context.Context, f *Federation, alone []*walkpath.Law, sizes []int) error {
	p.pools, p.names = map[int][]walkpath.Coalition{}, f.Names
	sizes = append([]int{2, f.Spec.Privacy.Coalition}, sizes...)
	slices.Sort(sizes)
	for _, size := range slices.Compact(sizes) {
		if size < 2 || size > len(p.Towards) {
			continue
		}
		pool, err := f.setup.Algorithm.Together(ctx, int(f.Self), size, alone)
		if err != nil {
			return err
		}
		p.pools[size] = pool
		c := Coalition{Size: size, active: p.holds(size)}
		c.Epsilon, c.Worst = p.together(size, p.Sigma, p.Delta)
		c.Deviating = p.deviating(c.Epsilon, size)
		p.Coalitions = append(p.Coalitions, c)
	}
	return nil
}

// pool returns the coalitions of a size, or of all others if there are fewer. It returns none if
// the local loss is charged.
func (p *Plan) pool(size int) []walkpath.Coalition { return p.pools[min(size, len(p.Towards))] }

// together returns the loss towards the worst coalition of a size, and its members.
func (p *Plan) together(size int, sigma, delta float64) (worst float64, members []string) {
	pool := p.pool(size)
	if len(pool) == 0 {
		return p.local(p.Contributions, sigma, delta), nil
	}
	for _, c := range pool {
		loss := p.loss(p.onGrid(c.Law), sigma, delta)
		if loss > worst || members == nil {
			worst, members = loss, nil
			for _, v := range c.Members {
				members = append(members, p.names[v])
			}
		}
	}
	return worst, members
}
