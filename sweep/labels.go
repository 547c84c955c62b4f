package sweep

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// Labels returns short names of a field's values. For mappings it returns the part that
// distinguishes them, such as their kind.
func Labels(f Field) []string {
	labels := make([]string, len(f.Values))
	trees := make([]map[string]string, len(f.Values))
	for i, value := range f.Values {
		labels[i], trees[i] = Plain(value), mapping(value)
	}
	if len(f.Values) < 2 || slices.ContainsFunc(trees, func(tree map[string]string) bool { return tree == nil }) {
		return labels
	}
	for _, key := range []string{"name", "kind", "source"} {
		if names := column(trees, key); len(once(names)) == len(names) && !slices.Contains(names, "") {
			return names
		}
	}
	for i, tree := range trees {
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			if len(once(column(trees, key))) > 1 {
				parts = append(parts, key+" "+tree[key])
			}
		}
		labels[i] = strings.Join(parts, ", ")
	}
	return labels
}

// Named returns Labels that are clear by themselves: it puts the last word of the key before numbers
// and booleans.
func (f Field) Named() []string {
	labels := Labels(f)
	for i, label := range labels {
		if _, err := strconv.ParseFloat(label, 64); err == nil || label == "true" || label == "false" {
			labels[i] = f.Key[strings.LastIndexByte(f.Key, '.')+1:] + " " + label
		}
	}
	return labels
}

// column returns the value of a key in each tree.
func column(trees []map[string]string, key string) (values []string) {
	for _, tree := range trees {
		values = append(values, tree[key])
	}
	return values
}

// mapping returns a YAML mapping as keys and texts. It returns nil if value is no mapping.
func mapping(value string) map[string]string {
	node, err := parsed(value)
	if err != nil || node.Kind != yamltext.Mapping {
		return nil
	}
	tree := map[string]string{}
	below(tree, "", node)
	return tree
}

// below stores each value of a mapping under its path.
func below(tree map[string]string, path string, node *yamltext.Node) {
	for _, key := range node.Keys {
		if name := path + key.Name; key.Value.Kind == yamltext.Mapping {
			below(tree, name+".", key.Value)
		} else {
			tree[name] = key.Value.Written()
		}
	}
}
