package federation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A node's plan, statement, model file and page say what the public learns from the final models, beside what participants
// do, who are charged with seeing these too.
func TestThePublicIsInThePlan(t *testing.T) {
	shown := strings.Replace(learning, "sigma: 6", "sigma: 6, release: final", 1)
	f, kept := open(t, ring(t, five, shown), "lyon"), plan(t, open(t, ring(t, five, learning), "lyon"))
	p := plan(t, f)
	if kept.Public != nil || kept.ModelCharged {
		t.Errorf("without a release: public %+v, model charged %t", kept.Public, kept.ModelCharged)
	}
	if p.Accountant != "flow" || !p.ModelCharged || p.Public == nil || p.Public.Observer != privacy.Public.String() || !p.Public.ModelCharged {
		t.Fatalf("%s, model charged %t, public %+v", p.Accountant, p.ModelCharged, p.Public)
	}
	law, err := family.PublicLawOf(t.Context(), f.setup.Algorithm, 0)
	if err != nil {
		t.Fatal(err)
	}
	smooth := privacy.EpsilonGaussian(math.Sqrt(law.Energies[0])/p.Sigma, p.Delta)
	if e := p.Public.Epsilon; e < smooth*(1-1e-9) || e > smooth*(1+1e-5) || p.Public.Deviating < e {
		t.Errorf("the public is charged %g, %g if one deviates, on continuous noise %g", e, p.Public.Deviating, smooth)
	}
	begun := *f.Spec
	begun.Model.Earlier = &spec.Earlier{Spec: "sha256:" + strings.Repeat("0", 64), Parameters: make([]float64, 3)}
	later := plan(t, open(t, &begun, "lyon")).Public.Assumptions
	for _, ground := range slices.Concat(f.noiseGround(), f.runGrounds(), family.EarlierGround(&begun)) {
		if !slices.Contains(later, ground) {
			t.Errorf("the number towards the public does not assume that %s", ground)
		}
	}
	more := false
	for i, to := range p.Towards {
		if to.Epsilon < p.Public.Epsilon || to.Epsilon < kept.Towards[i].Epsilon {
			t.Errorf("%s is charged %g with the final models, %g without; the public %g", to.Name, to.Epsilon, kept.Towards[i].Epsilon, p.Public.Epsilon)
		}
		more = more || to.Epsilon > kept.Towards[i].Epsilon*1.01
	}
	if !more {
		t.Error("that participants see the final models too costs nothing")
	}
	s := f.Stating(p, 12, 0, 100)
	var text strings.Builder
	if err := s.Print(&text); err != nil || !strings.Contains(text.String(), ThePublic) || s.SpentPublic.Epsilon != p.Public.Epsilon {
		t.Errorf("%v, %+v: %s", err, s.SpentPublic, text.String())
	}
	if early := f.Stating(p, 1, 0, 10); early.SpentPublic.Epsilon > early.SpentLocal || early.SpentPublic.Deviating > early.SpentLocal {
		t.Errorf("after one contribution the public learnt %+v, all together %g", early.SpentPublic, early.SpentLocal)
	}
	if m := f.model(make([]float64, 3), &Outcome{Statement: s, Ended: true}); !m.Charged || m.Claim.Observer != privacy.OneParticipant.String() || m.Claim.Public == nil ||
		m.Claim.Public.Max != report.Number(p.Public.Epsilon) || !strings.Contains(m.Notice, "alone learns at most this of all data of lyon: ε ≤ ") || !strings.Contains(m.Notice, " at δ = 10⁻⁶ (flow, sound).") {
		t.Errorf("charged %t, %q, %+v", m.Charged, m.Notice, m.Claim)
	}
	s.Settle(false, nil) // the run stopped before its end
	text.Reset()
	if err := s.Print(&text); err != nil || s.SpentPublic != nil || !strings.Contains(text.String(), "Of a model of an earlier turn only the loss") {
		t.Errorf("%v, of a run that has not ended the public learnt %+v: %s", err, s.SpentPublic, text.String())
	}
	if m := f.model(make([]float64, 3), &Outcome{Statement: s}); m.Charged || m.Claim.Public != nil || !m.Incomplete() {
		t.Errorf("the model of a run that has not ended: charged %t, %q, public %+v", m.Charged, m.Notice, m.Claim.Public)
	}
	if over := f.Stating(p, 13, 0, 100); over.SpentPublic.Epsilon != over.SpentLocal {
		t.Errorf("more contributions than allowed: the public %g, all together %g", over.SpentPublic.Epsilon, over.SpentLocal)
	}
}

// Where iterates are averaged at home, the final models follow from more than the last messages: the local loss is charged, and covers them.
func TestMeansThatAreShownAreChargedLocally(t *testing.T) {
	f := open(t, ring(t, five, strings.NewReplacer("steps: 12", "steps: 12, average: half", "sigma: 6", "sigma: 6, release: final").Replace(learning)), "lyon")
	if p := plan(t, f); p.Accountant != report.LocalAccountant || !p.ModelCharged || p.Public == nil || p.Public.Epsilon != p.Local {
		t.Errorf("%s, model charged %t, public %+v, local %g", p.Accountant, p.ModelCharged, p.Public, p.Local)
	}
}
