package spec_test

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
)

// Steps are written as they are read, and a number stays one.
func TestFeaturesAreANumberOrSteps(t *testing.T) {
	for given, written := range map[string]string{
		"{source: mnist, features: [{scatter: {scales: 2, angles: 8}}, {project: 400}]}": "features:\n  - scatter:\n      scales: 2\n      angles: 8\n  - project: 400\n",
		"{source: mnist, features: [{sums: true}]}":                                      "features:\n  - sums: true\n",
		"{source: mnist, features: [{project: 40}]}":                                     "features:\n  - project: 40\n",
		"{source: two-gaussians, features: 3}":                                           "features: 3\n",
	} {
		s, err := experiment.Parse([]byte("graph: ring:4\ndata: "+given+"\nalgorithm: {steps: 5, clip: 1, step_size: 1}\nprivacy: {sigma: 1}\n"), "spec.yaml")
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.YAML()
		if err != nil || !strings.Contains(string(text), written) {
			t.Errorf("%s is written as\n%s, %v", given, text, err)
		}
		if again, err := experiment.Parse(text, "written.yaml"); err != nil || len(again.Data.Features.Steps) != len(s.Data.Features.Steps) {
			t.Errorf("%s is not read again: %v", given, err)
		}
	}
}

// What no row can take is refused by name.
func TestFeatureStepsAreRefused(t *testing.T) {
	for given, says := range map[string]string{
		"[{}]":                         "not one of scatter, project and sums",
		"[{sums: true}, {project: 2}]": "sums stands alone",
		"[{project: 3}, {project: 2}]": "at most once",
		"[{project: 3}, {scatter: {scales: 2, angles: 8}}]":             "at most once and first",
		"[{scatter: {scales: 2, angles: 8}, project: 3}]":               "not one of scatter, project and sums",
		"[{scatter: {scales: 0, angles: 8}}]":                           "0 scales and 8 angles",
		"[{scatter: {scales: 2, angles: 1000}}]":                        "1000 angles",
		"[{project: -3}]":                                               "-3 is no number of features",
		"[{wavelet: 3}]":                                                "wavelet",
		"[{scatter: {scales: 2, angles: 8}}]\nmodel: {kind: histogram}": "steps are of a model of rows",
	} {
		_, err := experiment.Parse([]byte("graph: ring:4\nalgorithm: {steps: 5, clip: 1, step_size: 1}\nprivacy: {sigma: 1}\ndata:\n  source: mnist\n  features: "+given+"\n"), "spec.yaml")
		if err == nil || !strings.Contains(err.Error(), says) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", given, err, fault.Hint(err))
		}
	}
}
