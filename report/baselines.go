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
	WithoutNoise *Final `json:"without_noise"`
	// Curator is who is trusted with all rows and takes full batches, at the loss of the run's worst pair; null with the reason in Notes.
	Curator *Final       `json:"curator"`
	Alone   *Alone       `json:"alone"`         // null with the reason in Notes
	Home    *Alone       `json:"home"`          // the first trial's model after each participant's last step at home; null where it was not computed
	Own     *OnOwn       `json:"own,omitempty"` // null where test rows are of nobody in particular
	Notes   List[string] `json:"notes"`
}

// Alone is what participants reach who train on their own rows only, without
// noise, scored on the same rows as the run: those of everybody.
type Alone struct {
	Participants int      `json:"participants"` // that were looked at, evenly spaced
	Of           int      `json:"of"`
	Mean         Number   `json:"mean"` // of the measure
	Best         Number   `json:"best"`
	Worst        Number   `json:"worst"`
	Gain         Number   `json:"gain"`          // share of them that the run's model serves better than their own
	TestAccuracy *float64 `json:"test_accuracy"` // mean; null when the model does not classify
	TestLoss     Number   `json:"test_loss"`     // mean
	Tuned        bool     `json:"tuned"`         // the penalty was chosen by each on its own rows
}

// OnOwn is how participants do on test rows of their own kind, a hospital on its own patients: over all trials together.
type OnOwn struct {
	Joined Number `json:"joined"` // of the measure, mean over participants
	Alone  Number `json:"alone"`
	Home   Number `json:"home"` // after a last step at home
	Gain   Number `json:"gain"` // share of participants whom the run's model serves better than their own
	// HomeGain is the share whom the model of their home serves better than one of their own.
	HomeGain Number `json:"home_gain"`
	AtHome   bool   `json:"at_home"` // the last step was taken; else Home is Joined
	Trials   int    `json:"trials"`
	// Reach is how far the 95 % interval over trials goes to either side of the mean over participants, of the share of rows that are
	// answered rightly, or of a regression's error; null of one trial.
	JoinedReach Number `json:"joined_reach"`
	AloneReach  Number `json:"alone_reach"`
	HomeReach   Number `json:"home_reach"`
	// Right are the shares of rows that are answered rightly, where the measure is another: who has nearly one class only is right nearly
	// always, and finds nobody of the other.
	JoinedRight Number   `json:"joined_accuracy"`
	AloneRight  Number   `json:"alone_accuracy"`
	HomeRight   Number   `json:"home_accuracy"`
	Each        []OwnRow `json:"each"`
}

// OwnRow is that of one participant.
type OwnRow struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"` // test rows, over all trials
	Joined Number `json:"joined"`
	Alone  Number `json:"alone"`
	Home   Number `json:"home"`

	JoinedRight Number `json:"joined_accuracy"` // null of a regression
	AloneRight  Number `json:"alone_accuracy"`
	HomeRight   Number `json:"home_accuracy"`
}
