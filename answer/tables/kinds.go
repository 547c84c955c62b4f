package tables

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A kindInfo describes a value of algorithm.kind in the answer of `hearsay kinds`.
type kindInfo struct {
	Kind        string           `json:"kind"`
	Story       string           `json:"story"`
	ReadsGraph  bool             `json:"reads_graph"`
	Real        bool             `json:"real"`
	Why         string           `json:"why,omitempty"` // why it is not real
	Accountants []kindAccountant `json:"accountants"`   // the one to rely on first
	Keys        []kindKey        `json:"keys"`
}

// A kindAccountant is a value of privacy.accountant, with the status of its numbers if the spec asserts nothing else.
type kindAccountant struct {
	Name       string        `json:"name"`
	Status     report.Status `json:"status"`
	Coalitions bool          `json:"coalitions"` // whether it prices coalitions
}

// A kindKey is a key of algorithm that only the kinds of one family have.
type kindKey struct {
	Key     string `json:"key"`
	Default any    `json:"default"`
}

type kindInfos []kindInfo

// Kinds lists every value of algorithm.kind.
func Kinds(ask form.Asker) error {
	return form.Answer(ask, func() (kindInfos, error) {
		kinds, all := experiment.Kinds(), kindInfos{}
		for _, kind := range kinds {
			info, err := infoOf(kinds, kind)
			if err != nil {
				return nil, err
			}
			all = append(all, info)
		}
		return all, nil
	})
}

func infoOf(kinds spec.Kinds, kind spec.Kind) (kindInfo, error) {
	info := kindInfo{Kind: kind.Name, Story: kind.Story, ReadsGraph: !kind.Graphless, Real: kind.Simulated == "", Why: kind.Simulated, Keys: []kindKey{}}
	for _, name := range slices.Backward(kind.Accountants) {
		info.Accountants = append(info.Accountants, kindAccountant{name, statusOf(kind, name), slices.Contains(kind.Pooled, name)})
	}
	own, err := kinds.OwnKeys(kind.Name)
	for _, key := range own {
		info.Keys = append(info.Keys, kindKey{key.Name, key.Default})
	}
	return info, err
}

// statusOf returns the status of an accountant's numbers for a kind.
func statusOf(kind spec.Kind, accountant string) report.Status {
	switch {
	case accountant == string(report.Published):
		return report.Published
	case slices.Contains(kind.Asserted, accountant) || family.Unreviewed(kind.Name) != "":
		return report.SoundIf
	}
	return report.Sound
}

// Print implements form.Printer.
func (all kindInfos) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kind\tgraph\treal nodes\taccountants\town keys, and their defaults")
	for _, info := range all {
		var accountants, keys []string
		for _, a := range info.Accountants {
			accountants = append(accountants, fmt.Sprintf("%s (%s)", a.Name, a.Status))
		}
		for _, key := range info.Keys {
			text, err := json.Marshal(key.Default)
			if err != nil {
				return err
			}
			keys = append(keys, key.Key+" "+string(text))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", info.Kind, yes(info.ReadsGraph), yes(info.Real), strings.Join(accountants, ", "), cmp.Or(strings.Join(keys, ", "), "none"))
	}
	return table.Flush()
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
