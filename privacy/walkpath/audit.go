package walkpath

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
)

// auditAssumptions returns the assumptions of an audit of a walk, which name its attack.
func auditAssumptions() []string {
	return []string{
		"losses are linear, with gradients that differ by the full sensitivity: the token is a sum of what was added to it",
		"the attacker knows the path and tests the mean of every excursion",
	}
}

// AuditLaw returns the exact law, over all paths of a short run, of the sum of m^2/l over the excursions.
// An excursion is l turns of other nodes with m contributions of u among them. When losses are linear and
// the path is known, v's view is exactly the Gaussian of this energy. A sound accountant that allows the
// path to be known must therefore charge at least as much. It is an error if the run has too many paths;
// longer runs are audited by simulation.
func (w Walk) AuditLaw(u, v int) (*Law, error) {
	if err := w.check(u, v); err != nil {
		return nil, err
	}
	l := w.exactLaw(u, v, true)
	if l == nil {
		return nil, fault.New("the run has too many different paths to audit all of them", "audit simulated paths, or fewer turns")
	}
	l.Claim = privacy.Claim{Accountant: "walk, revealed path", Status: privacy.Audit, Assumptions: auditAssumptions()}
	return l, nil
}
