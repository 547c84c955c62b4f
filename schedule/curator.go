package schedule

// A Curator holds all data. In each of Steps steps it draws Drawn of Nodes nodes uniformly,
// without replacement and in secret. It shows everybody the sum of their contributions, with
// noise.
type Curator struct {
	Nodes, Drawn, Steps int

	Sensitivities []float64 // of a sum to one record of each node; nil: Sensitivity, to all of a node's data
	Sensitivity   float64
	Noise         float64 // standard deviation per coordinate, same unit
}

// Most returns the largest number of contributions one node can make.
func (c Curator) Most() int { return c.Steps }
