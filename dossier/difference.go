package dossier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// alike is the maximal relative difference of numbers that are computed twice. They differ because
// goroutines add sums in varying order.
const alike = 1e-9

// plain returns the dossier as decoded from its file: maps, slices, texts and numbers as written.
func (d *Dossier) plain() (any, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	return decoded(text)
}

func decoded(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// A difference is the first place at which two dossiers differ. nil stands for a missing value.
type difference struct {
	path       string
	said, made any
}

// worked returns a sentence on a difference between a dossier and its recomputation.
func (d *difference) worked() string {
	switch {
	case d.made == nil:
		return fmt.Sprintf("%s is %s there, and has no place in what is worked out again", d.path, brief(d.said))
	case d.said == nil:
		return fmt.Sprintf("%s is missing, and is %s worked out again", d.path, brief(d.made))
	}
	return fmt.Sprintf("%s is %s there, and %s worked out again", d.path, brief(d.said), brief(d.made))
}

// read returns a sentence on a difference between a file and the dossier that was decoded from it.
func (d *difference) read() string {
	switch {
	case d.made == nil:
		return d.path + " has no place in a dossier"
	case d.said == nil:
		return d.path + " is missing"
	}
	return fmt.Sprintf("%s is written %s, where %s is meant", d.path, brief(d.said), brief(d.made))
}

// brief encodes a value in at most 80 characters.
func brief(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return fmt.Sprintf("%.80s", text)
}

// compare compares two plain values up to the first difference. It returns how many numbers agree
// up to the relative distance most. Whole numbers and texts must be equal.
func compare(path string, said, made any, most float64) (numbers int, apart *difference) {
	switch x := said.(type) {
	case map[string]any:
		if y, ok := made.(map[string]any); ok {
			return compareFields(path, x, y, most)
		}
	case []any:
		if y, ok := made.([]any); ok {
			return compareList(path, x, y, most)
		}
	case json.Number:
		if y, ok := made.(json.Number); ok && near(x, y, most) {
			return 1, nil
		}
	default:
		if said == made {
			return 0, nil
		}
	}
	return 0, &difference{path, orNull(said), orNull(made)}
}

func compareFields(path string, said, made map[string]any, most float64) (numbers int, apart *difference) {
	for _, key := range slices.Sorted(maps.Keys(said)) {
		below := strings.TrimPrefix(path+"."+key, ".")
		value, there := made[key]
		if !there {
			return numbers, &difference{below, orNull(said[key]), nil}
		}
		n, apart := compare(below, said[key], value, most)
		if numbers += n; apart != nil {
			return numbers, apart
		}
	}
	for _, key := range slices.Sorted(maps.Keys(made)) {
		if _, there := said[key]; !there {
			return numbers, &difference{strings.TrimPrefix(path+"."+key, "."), nil, orNull(made[key])}
		}
	}
	return numbers, nil
}

func compareList(path string, said, made []any, most float64) (numbers int, apart *difference) {
	for i := range max(len(said), len(made)) {
		below := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(made):
			return numbers, &difference{below, orNull(said[i]), nil}
		case i >= len(said):
			return numbers, &difference{below, nil, orNull(made[i])}
		}
		n, apart := compare(below, said[i], made[i], most)
		if numbers += n; apart != nil {
			return numbers, apart
		}
	}
	return numbers, nil
}

// orNull replaces nil by a JSON null, because nil stands for a missing value.
func orNull(value any) any {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// near reports whether two numbers are equal, or within relative distance most and not both whole.
func near(a, b json.Number, most float64) bool {
	if a == b {
		return true
	}
	whole := func(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }
	x, err := a.Float64()
	y, failed := b.Float64()
	return err == nil && failed == nil && !(whole(a) && whole(b)) && math.Abs(x-y) <= most*math.Max(math.Abs(x), math.Abs(y))
}
