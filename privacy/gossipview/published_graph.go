package gossipview

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/privacy"
)

// RandomGraphLoss is the published loss between two nodes of gossip on a
// private Erdos-Renyi graph, at an order, for an observer of the given degree
// (002, Theorem 6.6): with probability q they are neighbours and the loss is
// local, alpha/(2 sigma^2); otherwise it is rest, alpha/sigma^2 T d/(n-d).
// It needs sigma^2 >= alpha(alpha-1)/2. Corollary C.14 has the same numbers for
// colluders, d the others that they hear, and is no bound.
func RandomGraphLoss(n, degree, steps int, sigma, order float64) (local, rest float64, claim privacy.Claim, err error) {
	claim = privacy.Claim{Accountant: "gossip on a private random graph, Theorem 6.6", Status: privacy.Published, Assumptions: []string{
		"the graph is drawn from G(n, q) and each node knows its own edges only",
		"messages are taken one by one, as if each had its own noise",
	}}
	err = cmp.Or(privacy.Metric{Order: order}.Check(), privacy.CheckSigma(sigma))
	switch {
	case err != nil:
	case steps < 0:
		err = fault.New(fmt.Sprintf("gossip of %d steps", steps), "give 0 steps or more")
	case degree < 0 || degree >= n:
		err = fault.New(fmt.Sprintf("degree %d in a graph of %d nodes", degree, n), "give a degree below the number of nodes")
	case sigma < privacy.Needed.MinSigma(order):
		err = fault.New(fmt.Sprintf("Theorem 6.6 at order %g needs %v: sigma is %g", order, privacy.Needed, sigma),
			fmt.Sprintf("take sigma at least %g, or a smaller order", digits.Up(privacy.Needed.MinSigma(order), 6)))
	}
	if err != nil {
		return 0, 0, privacy.Claim{}, err
	}
	local = order / (2 * sigma * sigma)
	return local, 2 * local * float64(steps) * float64(degree) / float64(n-degree), claim, nil
}
