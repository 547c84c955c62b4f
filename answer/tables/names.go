package tables

import (
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Generators returns one line for each generator of graphs, with its parameters.
func Generators() []string { return gen.Generators() }

// Weights returns the names of the rules that give edges their weights.
func Weights() []string { return graph.Rules() }

// Sources returns the names of the data sources.
func Sources() []string { return dataset.Sources() }
