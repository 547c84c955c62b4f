package federation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// A Coalition is the loss towards the worst of all coalitions of a size, whose
// members put together all that they see.
type Coalition struct {
	Size      int      `json:"size"`
	Worst     []string `json:"worst,omitempty"`      // its members; none where one bound holds for all, or the local loss is charged
	Epsilon   float64  `json:"epsilon"`              // if they keep to the protocol and are curious
	Deviating float64  `json:"epsilon_if_deviating"` // if they, and nobody else, do not: the same, or the local loss of all contributions

	active bool // the same
}

// allTogether is what is charged the local loss of all contributions.
const allTogether = "all others together"

// name is how a table calls it.
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

// poolAll prices coalitions of two and of the given sizes, of as many as there are
// others at most.
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
		c := Coalition{Size: size, active: p.active}
		c.Epsilon, c.Worst = p.together(size, p.Sigma, p.Delta)
		c.Deviating = p.deviating(c.Epsilon)
		p.Coalitions = append(p.Coalitions, c)
	}
	return nil
}

// pool are the coalitions of a size, of all others where these are fewer; none: the
// local loss is charged.
func (p *Plan) pool(size int) []walkpath.Coalition { return p.pools[min(size, len(p.Towards))] }

// together is the loss towards the worst coalition of a size, and who is in it.
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
