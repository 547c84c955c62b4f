package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// joinSequence writes graph: {sequence: ['ring:8', 'star:8']} as the expression that it is short for,
// sequence:ring:8;star:8.
func joinSequence(doc *yamltext.Document) error {
	ahead := struct {
		Graph any `yaml:"graph"`
	}{}
	if doc.Glance(&ahead) != nil {
		return nil // the decoder of the spec says it better
	}
	given, is := ahead.Graph.(map[string]any)
	if !is {
		return nil
	}
	list, is := given["sequence"].([]any)
	if !is || len(given) != 1 || len(list) == 0 {
		return invalid("graph: keys are no graph but for one, sequence, a list", "write graph: {sequence: ['ring:8', 'star:8']}, or graph: ring:8")
	}
	var all []string
	for _, one := range list {
		text, is := one.(string)
		if !is || strings.Contains(text, ";") {
			return invalid(fmt.Sprintf("graph.sequence: %v is no graph", one), "put each graph in quotes: graph: {sequence: ['ring:8', 'star:8']}")
		}
		all = append(all, text)
	}
	return doc.Set([]string{"graph"}, strconv.Quote("sequence:"+strings.Join(all, ";")), "graph")
}
