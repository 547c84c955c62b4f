package report

// Measures by which models are compared. All but the first fall as models improve.
const (
	BalancedAccuracy = "balanced accuracy"
	TestRMSE         = "test RMSE"
	TestLoss         = "test loss"
	TrainLoss        = "training loss"
)

// Baselines compares the run's model with other models. The simulator computes them from all participants' rows,
// without noise. They are not released, and no accountant covers them.
type Baselines struct {
	Measure string `json:"measure"` // unit of the next numbers: one of the constants above
	Rising  bool   `json:"rising"`  // larger is better
	// Joined is the score of the run, Constant that of a constant prediction.
	Joined   Number `json:"joined"`
	Constant Number `json:"constant"`
	// WithoutNoise scores the first trial without noise; if each participant holds out other rows for testing, as many
	// trials as possible. It is null with the reason in Notes.
	WithoutNoise *Final `json:"without_noise"`
	// Curator scores a trusted curator with all rows and full batches, at the loss of the run's worst pair. It is null
	// with the reason in Notes.
	Curator *Final       `json:"curator"`
	Alone   *Alone       `json:"alone"`         // null with the reason in Notes
	Home    *Alone       `json:"home"`          // the first trial's model after each participant's last step at home; null if not computed
	Own     *OnOwn       `json:"own,omitempty"` // null if test rows belong to no participant
	Notes   List[string] `json:"notes"`
}

// Alone scores participants who train on their own rows only, without noise. They are scored on the same rows as the
// run: those of all participants.
type Alone struct {
	Participants int      `json:"participants"` // number examined, evenly spaced
	Of           int      `json:"of"`
	Mean         Number   `json:"mean"` // of the measure
	Best         Number   `json:"best"`
	Worst        Number   `json:"worst"`
	Gain         Number   `json:"gain"`          // share of participants for whom the run's model is better than their own
	TestAccuracy *float64 `json:"test_accuracy"` // mean; null if the model does not classify
	TestLoss     Number   `json:"test_loss"`     // mean
	Tuned        bool     `json:"tuned"`         // each chose the penalty on its own rows
}

// OnOwn scores participants on their own test rows, such as a hospital on its own patients, over all trials.
type OnOwn struct {
	Joined Number `json:"joined"` // of the measure, mean over participants
	Alone  Number `json:"alone"`
	Home   Number `json:"home"` // after a last step at home
	Gain   Number `json:"gain"` // share of participants for whom the run's model is better than their own
	// HomeGain is the share for whom the model at home is better than their own.
	HomeGain Number `json:"home_gain"`
	AtHome   bool   `json:"at_home"` // the last step was taken; otherwise Home is Joined
	Trials   int    `json:"trials"`
	// Reach is half the 95 % interval over trials of the mean over participants. It is of the accuracy, or of a
	// regression's error. It is null for a single trial.
	JoinedReach Number `json:"joined_reach"`
	AloneReach  Number `json:"alone_reach"`
	HomeReach   Number `json:"home_reach"`
	// Right is the accuracy, if the measure is another one. A participant with nearly one class only has a high
	// accuracy even if it finds no row of the other class.
	JoinedRight Number   `json:"joined_accuracy"`
	AloneRight  Number   `json:"alone_accuracy"`
	HomeRight   Number   `json:"home_accuracy"`
	Each        []OwnRow `json:"each"`
}

// OwnRow holds the scores of one participant.
type OwnRow struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"` // test rows, over all trials
	Joined Number `json:"joined"`
	Alone  Number `json:"alone"`
	Home   Number `json:"home"`

	JoinedRight Number `json:"joined_accuracy"` // null for a regression
	AloneRight  Number `json:"alone_accuracy"`
	HomeRight   Number `json:"home_accuracy"`
}
