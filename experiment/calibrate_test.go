package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// What Calibrate says of one accountant is what a run calibrated on it uses.
func TestCalibrateGivesTheSigmaOfTheRun(t *testing.T) {
	testdata.Sequential(t)
	text := fmt.Sprintf(testdata.Audited, "complete:6", 70, 12, "uniform", 1.0, 1e-6, "none")
	opened, err := Open(t.Context(), specOf(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]spec.Calibrate{"{mean: 2}": {Mean: 2}, "{max: 0.5}": {Max: 0.5}} {
		list, err := opened.Calibrate(t.Context(), opened.Spec.Kind().Accountants, target)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range list {
			run := prepare(t, specOf(t, strings.Replace(text, "sigma: 1", "accountant: "+c.Accountant+", calibrate: "+name, 1)))
			if c.Accountant != opened.Spec.Kind().Accountants[i] || c.Sigma != run.Accounting.Sigma || c.Losses[0].Accountant != c.Accountant ||
				math.Abs(c.NoiseStd-2*0.3*c.Sigma) > 1e-12*c.NoiseStd || len(c.Losses) != len(run.Accounting.Accounts) {
				t.Errorf("%s: %+v, the run has sigma %g", name, c, run.Accounting.Sigma)
			}
			reached, wanted := c.Losses[0].Mean, target.Mean
			if target.Max != 0 {
				reached, wanted = c.Losses[0].Max, target.Max
			}
			if math.Abs(float64(reached)-wanted) > 1e-6*wanted {
				t.Errorf("%s, %s: %g is reached", c.Accountant, name, reached)
			}
			if c.Bracket.High != c.Sigma || !(c.Bracket.Low <= c.Sigma) || c.Bracket.Low < c.Sigma*(1-1e-9) {
				t.Errorf("%s, %s: sigma %v has the bracket %+v", c.Accountant, name, c.Sigma, c.Bracket)
			}
			missed := prepare(t, specOf(t, strings.Replace(text, "sigma: 1", fmt.Sprintf("accountant: %s, sigma: %.17g", c.Accountant, c.Bracket.Low*(1-1e-12)), 1)))
			above := missed.Accounting.Accounts[0].Mean
			if target.Max != 0 {
				above = missed.Accounting.Accounts[0].Max
			}
			if !(float64(above) > wanted*(1-1e-13)) {
				t.Errorf("%s, %s: at %v the loss is %v already", c.Accountant, name, c.Bracket.Low, above)
			}
			if status := c.Losses[0].Status; (status == report.Sound) != (c.Accountant != "published") {
				t.Errorf("%s is %s", c.Accountant, status)
			}
		}
		if !(list[2].Sigma < list[1].Sigma) {
			t.Errorf("%s: the path asks for %g, public messages for %g", name, list[2].Sigma, list[1].Sigma)
		}
	}
	if noise := opened.Algorithm.Local().Noise; noise.Multiplier != 0 {
		t.Errorf("what was opened has changed: %+v", noise)
	}
}

// An accountant without ground says so beside the others, and is an error alone.
func TestCalibrateSaysWhatDoesNotApply(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(testdata.Audited, "complete:6", 70, 12, "uniform", 1.0, 1e-6, "none"), ", normalise: unit", "", 1)
	opened, err := Open(t.Context(), specOf(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := opened.Calibrate(t.Context(), opened.Spec.Kind().Accountants, spec.Calibrate{Mean: 1})
	if err != nil {
		t.Fatal(err)
	}
	if published, local, path := list[0], list[1], list[2]; !strings.Contains(published.Refused, "smooth loss") ||
		!strings.Contains(path.Refused, "smooth loss") || path.Hint == "" || local.Refused != "" || !(local.Sigma > 0) {
		t.Errorf("%+v", list)
	}
	if _, err := opened.Calibrate(t.Context(), []string{"path"}, spec.Calibrate{Mean: 1}); err == nil {
		t.Error("the path accountant prices a loss that is not smooth")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := opened.Calibrate(ctx, opened.Spec.Kind().Accountants, spec.Calibrate{Mean: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled calibration ends with %v", err)
	}
}

// Every kind is calibrated by each of its own accountants, to what a run with that
// accountant uses; what has no ground says so.
func TestCalibrateAsksTheFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests calibrate walks only")
	}
	for text, refused := range map[string]string{
		"data: {source: mean, features: 2}\nmodel: {kind: mean}\ngraph: ring:6\n" +
			"algorithm: {kind: gossip, steps: 3, clip: 1}\nprivacy: {sigma: 1}\n": "",
		"data: {source: two-gaussians, rows: 3, normalise: unit}\ngraph: ring:6\n" +
			"algorithm: {kind: gossip-gd, steps: 4, step_size: 0.1, clip: 0.3}\nprivacy: {sigma: 1}\n": "",
		"data: {source: two-gaussians, rows: 3}\ngraph: ring:6\n" +
			"algorithm: {kind: gossip-gd, gossip_steps: 2, steps: 4, step_size: 0.1, clip: 0.3}\nprivacy: {sigma: 1}\n": "flow",
		"data: {source: two-gaussians, rows: 3}\nnodes: 6\n" +
			"algorithm: {kind: local, steps: 40, contributions: 9, step_size: 0.1, clip: 0.3}\nprivacy: {sigma: 1}\n": "",
		"data: {source: two-gaussians, rows: 3}\nnodes: 6\n" +
			"algorithm: {kind: central, steps: 40, step_size: 0.1, clip: 0.3}\nprivacy: {sigma: 1}\n": "",
	} {
		opened, err := Open(t.Context(), specOf(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := opened.Calibrate(t.Context(), opened.Spec.Kind().Accountants, spec.Calibrate{Mean: 1})
		if err != nil {
			t.Errorf("%s%v", text, err)
		}
		for _, c := range list {
			if c.Accountant == refused || c.Accountant == "pairwise" { // no spec here has noise that cancels
				if c.Refused == "" || c.Hint == "" {
					t.Errorf("%s%+v", text, c)
				}
				continue
			}
			run := prepare(t, specOf(t, strings.Replace(text, "sigma: 1", "accountant: "+c.Accountant+", calibrate: {mean: 1}", 1)))
			if c.Refused != "" || c.Sigma != run.Accounting.Sigma || !(float64(c.Losses[0].Mean) <= 1) {
				t.Errorf("%s%+v, the run has sigma %g", text, c, run.Accounting.Sigma)
			}
		}
	}
}
