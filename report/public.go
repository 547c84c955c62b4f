package report

import (
	"fmt"
	"strings"
)

// Public summarises what the public learns of each node: whoever takes no part, and sees the final model or predictions of it.
type Public struct {
	Observer     string       `json:"observer"`      // privacy.Public
	ModelCharged bool         `json:"model_charged"` // true: the final model is all that it sees
	Accountant   string       `json:"accountant"`
	Status       Status       `json:"status"`
	Mean         Number       `json:"mean"` // over nodes
	Max          Number       `json:"max"`
	About        int          `json:"about"`           // the node that loses most
	Guess        float64      `json:"guess,omitempty"` // as Accounted's
	Assumptions  List[string] `json:"assumptions"`
}

// PublicWords says who the public is.
const PublicWords = "the public, who takes no part and sees the final model or its predictions alone"

// shown is the public's losses as an account, in text.
func (p *Public) shown() Account {
	return Account{Name: p.Accountant + ", towards the public by the final model", Status: p.Status, Meaning: meaning(p.Status), Mean: Bound(float64(p.Mean), p.Status),
		Max: Bound(float64(p.Max), p.Status), Beyond: "–", Assumptions: p.Assumptions}
}

// Told says what the public learns in a sentence, "" where that is not priced apart.
func (p *Privacy) Told() string { return strings.TrimSpace(p.toldThePublic()) }

// String returns the losses as one sentence.
func (p *Public) String() string {
	return fmt.Sprintf("%s (%s, %s): mean %s, worst %s", PublicWords, p.Accountant, p.Status, Loss(float64(p.Mean), p.Status), Loss(float64(p.Max), p.Status))
}
