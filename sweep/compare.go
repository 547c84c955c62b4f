package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/report"
)

// Compare returns rows of finished runs. The fields are the keys of their resolved specs whose
// values are not the same in all runs. names is the first field and identifies the runs.
func Compare(names []string, results []*report.Result) ([]Field, []Row, error) {
	specs := make([]map[string]string, len(results))
	keys := map[string]bool{}
	for i, r := range results {
		specs[i] = map[string]string{}
		if err := flatten(specs[i], "", r.Spec); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", names[i], err)
		}
		for key := range specs[i] {
			keys[key] = true
		}
	}
	fields := []Field{{"run", names}}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key == "name" {
			continue
		}
		f := Field{Key: key}
		for _, s := range specs {
			if !slices.Contains(f.Values, s[key]) {
				f.Values = append(f.Values, s[key])
			}
		}
		if len(f.Values) > 1 {
			fields = append(fields, f)
		}
	}
	rows := make([]Row, len(results))
	for i, r := range results {
		values := []string{names[i]}
		for _, f := range fields[1:] {
			values = append(values, specs[i][f.Key])
		}
		rows[i] = NewRow(Cell{i, values}, r)
	}
	Frontier(rows, LossAxis(fields))
	return fields, rows, nil
}

// flatten stores each value of a tree under its path. A list counts as one value.
func flatten(into map[string]string, path string, value any) error {
	tree, ok := value.(map[string]any)
	if !ok {
		if text, ok := value.(string); ok {
			into[path] = text
			return nil
		}
		text, err := json.Marshal(value)
		into[path] = string(text)
		return err
	}
	for key, v := range tree {
		below := key
		if path != "" {
			below = path + "." + key
		}
		if err := flatten(into, below, v); err != nil {
			return err
		}
	}
	return nil
}
