package tables

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/spec"
)

// Each key that a kind's example does not give has the default that is listed, and each accountant that prices it the status.
func TestKindsAreAsTheirExamples(t *testing.T) {
	kinds := experiment.Kinds()
	for _, kind := range kinds {
		text, err := os.ReadFile("../../examples/kinds/" + kind.Name + ".yaml")
		if os.IsNotExist(err) {
			continue // a baseline; a test of experiment holds that all others have one
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := infoOf(kinds, kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			s, err := experiment.Parse(text, kind.Name)
			if err != nil {
				t.Fatal(err)
			}
			info.holdDefaults(t, s, string(text))
			if !testing.Short() { // pricing takes long under the race detector
				info.holdStatuses(t, text)
			}
		})
	}
}

func (info *kindInfo) holdDefaults(t *testing.T, s *spec.Spec, text string) {
	plain, err := s.Plain()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range info.Keys {
		in, name := plain.(map[string]any)["algorithm"].(map[string]any), key.Key
		if above, below, nested := strings.Cut(key.Key, "."); nested {
			in, name = in[above].(map[string]any), below
		}
		got, there := in[name]
		same := reflect.DeepEqual(got, key.Default)
		if !there { // zeros are left out
			same = key.Default == nil || reflect.ValueOf(key.Default).IsZero()
		}
		if !same && !strings.Contains(text, name+":") {
			t.Errorf("%s is %v, and listed as %v", key.Key, got, key.Default)
		}
	}
}

func (info *kindInfo) holdStatuses(t *testing.T, text []byte) {
	priced := 0
	for _, accountant := range info.Accountants {
		s, err := experiment.Parse(text, info.Kind, "privacy.accountant="+accountant.Name)
		if err != nil {
			continue // not this run: docs/SPEC.md says what it asks for
		}
		p, err := experiment.Prepare(t.Context(), s, nil)
		if err != nil {
			continue
		}
		priced++
		if status := p.Accounting.Accounts[0].Status; status != accountant.Status {
			t.Errorf("%s is %s, and listed as %s", accountant.Name, status, accountant.Status)
		}
	}
	if priced == 0 {
		t.Error("no accountant prices the example")
	}
}
