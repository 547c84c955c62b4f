package admmwalk

import (
	"cmp"
	"errors"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
	"github.com/hearsay-dp/hearsay/report"
)

const local, published, path = report.LocalAccountant, string(report.Published), "path"

// Accountants implements family.Algorithm. It returns the local loss, the path accountant, and 002 Theorem 8.12 where its
// conditions hold. The local loss covers all releases of a node: the variable that the node keeps follows from the tokens it
// received and sent.
func (a Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	printed, least := a.printed(m)
	return []family.Accountant{
		{Name: published, Check: a.checkPublished, Beside: func() bool { return a.checkPublished() == nil }, Price: printed.InRange().Price(published, &a.Spec.Privacy, least)},
		a.pathAccountant(m),
		family.Local(&a.Holdings, a.Protocol.Cap, a.Protocol.Noise, m, a.CheckCap),
	}
}

// checkPublished refuses runs that 002 Theorem 8.12 does not cover.
func (a Algorithm) checkPublished() error {
	switch p := a.Spec.Privacy; {
	case p.Sender != "hidden":
		return fault.New("privacy.sender: known, but 002 Theorem 8.12 is about nodes that do not know who handed them the token", "use sender: hidden, or accountant: local")
	case a.PublicRoute:
		return fault.New("algorithm.route: public, but 002 Theorem 8.12 is about nodes that do not know where the token goes", "use route: secret, or accountant: path")
	case a.Spec.Records():
		return fault.New("privacy.unit: record, but 002 Theorem 8.12 is about participants", "leave unit out, or use accountant: local")
	}
	return cmp.Or(a.CheckCap(), a.CheckComplete())
}

// printed returns the formula of 002 Theorem 8.12, and the least multiplier at which the theorem holds.
func (a Algorithm) printed(m privacy.Metric) (f family.Formula, least float64) {
	if least = privacy.LeastSigma; m.Order > 1 {
		least = math.Sqrt(m.Order*(m.Order-1)) / 2 * (1 + 1e-12)
	}
	return func(sigma float64) (float64, privacy.Claim, error) { return a.theorem812(sigma, m) }, least
}

// orders is the number of Renyi orders that a conversion tries.
const orders = 400

// theorem812 returns the loss in print. At a delta it is the least over the orders for which the noise is large enough.
func (a Algorithm) theorem812(sigma float64, m privacy.Metric) (float64, privacy.Claim, error) {
	c := admmview.Consensus{Lipschitz: a.Protocol.Noise.Clip, Gamma: a.local.Gamma}.WithMultiplier(sigma)
	at := func(order float64) (float64, privacy.Claim, error) {
		return c.Decentralised(a.Protocol.Cap, a.Protocol.Nodes, order)
	}
	if m.Order > 1 {
		return at(m.Order)
	}
	largest := float64((1 + math.Sqrt(1+float64(16*sigma*sigma))) / 2) // sqrt(order (order-1)) = 2 sigma
	best, claim := math.Inf(1), privacy.Claim{}
	var failed error
	for k := 1; k < orders; k++ {
		order := 1 + float64((largest-1)*math.Exp2(-float64(k)/16))
		rdp, one, err := at(order)
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		if eps := m.Conversion.Epsilon(order, rdp, m.Delta); eps < best {
			best, claim = eps, one
		}
	}
	if math.IsInf(best, 1) {
		return 0, claim, cmp.Or(failed, errors.New("no order is small enough"))
	}
	return best, claim, nil
}
