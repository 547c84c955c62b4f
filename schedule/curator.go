package schedule

// A Curator holds all data, and in each of Steps steps draws Drawn of Nodes nodes, alike,
// without replacement and in secret, and shows everybody the sum of what they give, with
// noise.
type Curator struct {
	Nodes, Drawn, Steps int

	Sensitivities []float64 // of a sum to one record of each node; nil: Sensitivity, to all of a node's data
	Sensitivity   float64
	Noise         float64 // standard deviation per coordinate, same unit
}

// Most is the largest number of contributions one node can make.
func (c Curator) Most() int { return c.Steps }
