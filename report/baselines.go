package report

// The measures that models are compared by. All but the first fall as models
// get better.
const (
	BalancedAccuracy = "balanced accuracy"
	TestRMSE         = "test RMSE"
	TestLoss         = "test loss"
	TrainLoss        = "training loss"
)

// Baselines are what the run is worth: what its model is compared with. They
// are computed by the simulator from everybody's rows, without noise; nobody lets
// them out and no accountant covers them.
type Baselines struct {
	Measure string `json:"measure"` // what the next numbers are: one of the constants above
	Rising  bool   `json:"rising"`  // more of it is better
	// Joined is the run's, Constant that of an answer that looks at no feature.
	Joined   Number `json:"joined"`
	Constant Number `json:"constant"`
	// WithoutNoise is the first trial again without noise (as many as can be, where each keeps other rows for testing); null with the reason
	// in Notes.
	WithoutNoise *Final       `json:"without_noise"`
	Alone        *Alone       `json:"alone"` // null with the reason in Notes
	Notes        List[string] `json:"notes"`
}

// Alone is what participants reach who train on their own rows only, without
// noise, scored on the same rows as the run.
type Alone struct {
	Participants int      `json:"participants"` // that were looked at, evenly spaced
	Of           int      `json:"of"`
	Mean         Number   `json:"mean"` // of the measure
	Best         Number   `json:"best"`
	Worst        Number   `json:"worst"`
	Gain         Number   `json:"gain"`          // share of them that the run's model serves better than their own
	TestAccuracy *float64 `json:"test_accuracy"` // mean; null when the model does not classify
	TestLoss     Number   `json:"test_loss"`     // mean
}
