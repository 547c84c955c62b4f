package report

import (
	"fmt"
	"strings"
)

// Public summarises the loss of each node to the public. The public takes no part and sees the final model or its
// predictions.
type Public struct {
	Observer     string       `json:"observer"`      // privacy.Public
	ModelCharged bool         `json:"model_charged"` // true: it sees nothing but the final model
	Accountant   string       `json:"accountant"`
	Status       Status       `json:"status"`
	Mean         Number       `json:"mean"` // over nodes
	Max          Number       `json:"max"`
	About        int          `json:"about"`           // the node with the largest loss
	Name         string       `json:"name,omitempty"`  // the one participant whose losses these are; "": they are those of all nodes
	Guess        float64      `json:"guess,omitempty"` // as in Accounted
	Assumptions  List[string] `json:"assumptions"`
}

// PublicWords describes the public.
const PublicWords = "the public, who takes no part and sees the final model or its predictions alone"

// shown returns the losses to the public as an account in text.
func (p *Public) shown() Account {
	return Account{Name: p.Accountant + ", towards the public by the final model", Status: p.Status, Meaning: meaning(p.Status), Mean: Bound(float64(p.Mean), p.Status),
		Max: Bound(float64(p.Max), p.Status), Beyond: "–", Assumptions: p.Assumptions}
}

// Told returns a sentence about the loss to the public. It returns "" if this loss is not priced separately.
func (p *Privacy) Told() string { return strings.TrimSpace(p.toldThePublic()) }

// String returns the losses as one sentence.
func (p *Public) String() string {
	return fmt.Sprintf("%s (%s, %s): mean %s, worst %s", PublicWords, p.Accountant, p.Status, Loss(float64(p.Mean), p.Status), Loss(float64(p.Max), p.Status))
}
