package experiment

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// cancellingBuysNothing is the share of the local loss from which on noise that cancels is said to buy nothing.
const cancellingBuysNothing = 0.99

// partnersNote names the node with the largest loss under noise that cancels, its observer, and the share of the local loss. It
// returns "" if nothing cancels or not all pairs are priced.
func (s *Priced) partnersNote() string {
	sharer, ok := s.Algorithm.(family.Sharer)
	local := slices.IndexFunc(s.Accounting.Accounts, func(a family.Account) bool { return a.Accountant == report.LocalAccountant })
	if !ok || sharer.Secrets() == nil || local < 1 || s.Accounting.Sigma == 0 {
		return ""
	}
	nodes := s.nodes()
	if nodes == nil {
		return ""
	}
	worst := nodes.Worst(1)
	if len(worst) == 0 || !worst[0].Loses.Finite() {
		return ""
	}
	u, v, secrets := worst[0].Node, worst[0].Towards, sharer.Secrets()
	share := float64(worst[0].Loses) / s.Accounting.Accounts[local].At(u, v)
	with := "with whom it shares no secret"
	if secrets.HasEdge(u, v) {
		with = "with whom it shares one"
	}
	if math.IsNaN(share) { // nobody loses anything, with or without noise that cancels
		return ""
	}
	text := fmt.Sprintf("Noise that cancels: the largest loss is that of %s (partners: %d) towards %s, %s. It is %.0f %% of what the same own noise would cost alone.",
		s.Name(u), secrets.Degree(u), s.Name(v), with, 100*share)
	if share >= cancellingBuysNothing {
		text += " Cancelling buys nothing of the largest loss."
	}
	return text
}
