package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/report"
)

// Compare makes rows of finished runs, which differ in the fields: the keys of their
// resolved specs that do not have one value in all of them. names, the first field, tell runs apart.
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

// flatten writes each value of a tree under its path; lists are values.
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
