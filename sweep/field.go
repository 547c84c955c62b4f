package sweep

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// A Field is a key of the spec and its values, as YAML on one line.
type Field struct {
	Key    string
	Values []string
}

const (
	fieldHint = "give key=[value, value, ...], or key={from: 1, to: 16, count: 5}, with scale: log for equal ratios"
	// mostValues bounds the values of one field, and mostCells the cells of a grid. Larger sweeps would not end in
	// useful time.
	mostValues = 10_000
	mostCells  = 1_000_000
	// mostText bounds the length of a field's values, in bytes.
	mostText = 1 << 20
)

// ReadField parses key=LIST or key={from, to, count, scale}.
func ReadField(text string) (Field, error) {
	key, value, found := strings.Cut(text, "=")
	f := Field{Key: strings.TrimSpace(key)}
	if !found || f.Key == "" {
		return f, fault.New(fmt.Sprintf("--vary %s has no key and values", text), fieldHint)
	}
	body, err := parsed(value)
	if err == nil && body.Kind == yamltext.Text && strings.Contains(value, ",") {
		body, err = parsed("[" + value + "]") // a list without brackets
	}
	if err != nil {
		return f, fault.New(fmt.Sprintf("--vary %s: the values are no YAML", text), fieldHint)
	}
	switch body.Kind {
	case yamltext.List:
		f.Values = listed(body.Items)
	case yamltext.Mapping:
		f.Values, err = ranged(value)
	default:
		f.Values = []string{strings.TrimSpace(value)}
	}
	if err == nil && (len(f.Values) == 0 || len(f.Values) > mostValues) {
		err = fmt.Errorf("%d values, where 1 to %d can be", len(f.Values), mostValues)
	}
	if err != nil {
		return f, fault.New(fmt.Sprintf("--vary %s: %v", text, err), fieldHint)
	}
	f.Values = once(f.Values)
	return f, nil
}

// once returns every value once, at its first place, because a cell that is given twice is one cell.
func once(values []string) (each []string) {
	seen := map[string]bool{}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			each = append(each, v)
		}
	}
	return each
}

// parsed returns the single YAML value of a text.
func parsed(text string) (*yamltext.Node, error) {
	doc, err := yamltext.NewDocument([]byte(text), mostText, "the values")
	switch {
	case err != nil:
		return nil, err
	case doc.Root() == nil:
		return &yamltext.Node{Text: strings.TrimSpace(text)}, nil
	}
	return doc.Root(), nil
}

// listed returns the values of a list as they are written. It rejoins a graph generator that was split at a comma
// without a space, as in [ring:9, er:n=64,p=0.2,connected].
func listed(items []*yamltext.Node) (values []string) {
	for i, v := range items {
		text := v.Written()
		if i > 0 && cutOff(items[i-1], v, values[len(values)-1]) {
			values[len(values)-1] += "," + text
			continue
		}
		values = append(values, text)
	}
	return values
}

// cutOff reports whether a value continues the one before it. whole is the text of that value so far.
func cutOff(before, v *yamltext.Node, whole string) bool {
	if before.Kind != yamltext.Text || !strings.Contains(whole, ":") || strings.HasPrefix(whole, `"`) || strings.HasPrefix(whole, "'") || before.Line != v.Line {
		return false
	}
	key, _, _ := strings.Cut(v.Text, "=")
	return v.Column == before.Column+len([]rune(before.Text))+1 && isWord(key)
}

// isWord reports whether a text consists of lower-case letters.
func isWord(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == ""
}

// ranged returns numbers at equal distances or in equal ratios.
func ranged(text string) ([]string, error) {
	r := struct {
		From  *float64 `yaml:"from"`
		To    *float64 `yaml:"to"`
		Count int      `yaml:"count"`
		Scale string   `yaml:"scale"`
	}{Scale: "linear"}
	doc, err := yamltext.NewDocument([]byte(text), mostText, "the range")
	if err == nil {
		err = doc.Decode(&r)
	}
	if err != nil {
		return nil, errors.New("a range has from, to, count and scale")
	}
	switch {
	case r.From == nil || r.To == nil:
		return nil, fmt.Errorf("a range has from, to and count")
	case r.Count < 2 || r.Count > mostValues:
		return nil, fmt.Errorf("count: %d, where 2 to %d can be", r.Count, mostValues)
	case math.IsInf(*r.From, 0) || math.IsInf(*r.To, 0) || math.IsNaN(*r.From) || math.IsNaN(*r.To):
		return nil, fmt.Errorf("from %g to %g is no range", *r.From, *r.To)
	case r.Scale != "linear" && r.Scale != "log":
		return nil, fmt.Errorf("scale: %q, which is linear or log", r.Scale)
	case r.Scale == "log" && (*r.From <= 0 || *r.To <= 0):
		return nil, fmt.Errorf("a range in equal ratios from %g to %g", *r.From, *r.To)
	}
	var values []string
	for i := range r.Count {
		part := float64(i) / float64(r.Count-1)
		x := float64(*r.From*(1-part)) + float64(*r.To*part)
		if r.Scale == "log" {
			x = math.Pow(*r.From, 1-part) * math.Pow(*r.To, part)
		}
		values = append(values, rounded(x, *r.From, *r.To, r.Count))
	}
	values[0], values[r.Count-1] = exactly(*r.From), exactly(*r.To)
	return values, nil
}

// rounded formats a number of a range with count numbers. It returns an integer if x is one up to rounding. Otherwise
// it keeps six digits, or 14 if the numbers of the range are close together.
func rounded(x, from, to float64, count int) string {
	if whole := math.Round(x); math.Abs(x-whole) <= 1e-12*math.Abs(x) {
		return exactly(whole)
	}
	digits := 6
	if math.Abs(to-from) < 1e-3*float64(count)*max(math.Abs(from), math.Abs(to)) {
		digits = 14
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// exactly formats a number with all its digits, without an exponent if it is an integer.
func exactly(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// A Cell is one combination: the value of each field.
type Cell struct {
	Number int
	Values []string
}

// Grid returns all combinations. The last field changes fastest.
func Grid(fields []Field) ([]Cell, error) {
	total, seen := 1, map[string]bool{}
	for _, f := range fields {
		if seen[f.Key] {
			return nil, fault.New(fmt.Sprintf("--vary %s is given twice", f.Key), "give all its values in one list")
		}
		seen[f.Key] = true
		if total *= len(f.Values); total > mostCells {
			return nil, fault.New(fmt.Sprintf("more than %d cells", mostCells), "vary fewer keys, or fewer values")
		}
	}
	cells := make([]Cell, total)
	for i := range cells {
		values, rest := make([]string, len(fields)), i
		for k := len(fields) - 1; k >= 0; k-- {
			n := len(fields[k].Values)
			values[k], rest = fields[k].Values[rest%n], rest/n
		}
		cells[i] = Cell{i, values}
	}
	return cells, nil
}

// Settings returns the cell as settings of a spec.
func (c Cell) Settings(fields []Field) (set []string) {
	for i, f := range fields {
		set = append(set, f.Key+"="+c.Values[i])
	}
	return set
}

// Name returns the settings of the cell as one text.
func (c Cell) Name(fields []Field) string { return strings.Join(c.Settings(fields), " ") }
