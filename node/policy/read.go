package policy

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// largest is the maximum size of a policy file in bytes.
const largest = 64 << 10

// seeExample is the hint if no more specific one applies.
const seeExample = "a policy is a YAML file with the keys unit, delta, epsilon, least, models, longest and total; the operator's guide shows one"

// document is the file, key by key. Whole numbers are read as floats, so that a fraction can be refused instead of
// rounded.
type document struct {
	Unit    *string  `yaml:"unit"`
	Delta   *float64 `yaml:"delta"`
	Epsilon struct {
		Neighbours *float64 `yaml:"neighbours"`
		Others     *float64 `yaml:"others"`
		Coalitions []struct {
			Size    *float64 `yaml:"size"`
			Epsilon *float64 `yaml:"epsilon"`
		} `yaml:"coalitions"`
		Named     map[string]float64 `yaml:"named"`
		Public    *float64           `yaml:"public"`
		Deviators *float64           `yaml:"deviators"`
	} `yaml:"epsilon"`
	Least struct {
		Sigma *float64 `yaml:"sigma"`
	} `yaml:"least"`
	Models   *[]string `yaml:"models"`
	Programs *[]string `yaml:"programs"`
	Longest  struct {
		Turns         *float64 `yaml:"turns"`
		Contributions *float64 `yaml:"contributions"`
		Hours         *float64 `yaml:"hours"`
	} `yaml:"longest"`
	Total *struct {
		Epsilon *float64 `yaml:"epsilon"`
		Delta   *float64 `yaml:"delta"`
		Since   *string  `yaml:"since"`
	} `yaml:"total"`
}

// Load reads and checks the policy file at path.
func Load(path string) (*Policy, error) {
	text, err := regular.Read(path, largest)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the policy", "give the path of a YAML file")
	}
	return Parse(text, path)
}

// Parse reads and checks a policy. name names it in errors.
func Parse(text []byte, name string) (*Policy, error) {
	doc, err := yamltext.NewDocument(text, largest, name)
	if err != nil {
		return nil, fault.New(err.Error(), seeExample)
	}
	var d document
	if err := doc.Decode(&d); err != nil {
		return nil, explain(err)
	}
	p, err := d.policy()
	if err != nil {
		return nil, &fault.Error{What: name + ": " + err.Error(), Hint: fault.Hint(err), Err: err}
	}
	p.Text = bytes.Clone(text)
	return p, nil
}

// explain adds a hint to an error: the likely key for an unknown key.
func explain(err error) error {
	if key, unknown := yamltext.IsUnknown(err); unknown {
		return fault.New(err.Error(), suggest(key))
	}
	return fault.New(err.Error(), seeExample)
}

// known holds all keys of a policy.
var known = strings.Fields("unit delta epsilon neighbours others coalitions named public deviators size least sigma models longest turns contributions hours total since")

// suggest names the known key nearest to an unknown one.
func suggest(unknown string) string {
	return cmp.Or(fault.DidYouMean(unknown, known), "remove it; "+seeExample)
}
