package design

// A Conflict is a smallest set of wishes that contradict each other: without any one of them there is a plan.
type Conflict struct {
	Wishes  []string `json:"wishes"`
	Changes []string `json:"changes"` // each of which makes a plan possible
}
