package messages

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
)

// A Question holds the settings of `hearsay attack gossip`.
type Question struct {
	form.GraphQuestion
	Steps     int
	Turns     string
	Attackers []string
	Everybody bool
	Relations int
	Messages  string
	Gamma     float64
	Simulate  uint64
	Sigma     float64
	Dim       int
	Save      string
	Work      float64

	OnSpec form.SpecQuestion
}

// Answer answers the question for one set of attackers.
func (f *Question) Answer() (*Answer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	run, err := f.averaging()
	if err != nil {
		return nil, err
	}
	attackers, err := findNodes(run.graph, f.Attackers)
	if err != nil {
		return nil, err
	}
	g, err := attack.NewGossip(run.Accountant, attackers)
	if err != nil {
		return nil, err
	}
	a := newAttackAnswer(run, g)
	if err := f.values(a, run); err != nil {
		return nil, err
	}
	return a, f.add(a)
}

// check refuses flags that do not fit together.
func (f *Question) check() error {
	for _, flag := range []string{"sigma", "dim", "save"} {
		if f.Given(flag) && !f.Given("simulate") {
			return fault.New("--"+flag+" is for simulated messages", "add --simulate SEED")
		}
	}
	for _, flag := range []string{"out", "set", "cache", "work"} {
		if f.Given(flag) {
			return fault.New("--"+flag+" is for specs", "give a spec file, or leave it out")
		}
	}
	switch {
	case f.Relations < 0:
		return fault.New(fmt.Sprintf("%d relations to show", f.Relations), "give 0 or more")
	case f.Dim < 1:
		return fault.New(fmt.Sprintf("nodes that hold %d numbers", f.Dim), "give 1 or more")
	}
	return nil
}

// Largest work without request, in multiplications.
const (
	unaskedRelations = 1 << 28
	unaskedRounds    = 1 << 25
)

// add finds the relations and the rounds, if requested or cheap.
func (f *Question) add(a *Answer) error {
	cost := float64(a.N) * float64(a.Rank) * float64(a.Rank)
	if cost <= unaskedRounds && a.Exact {
		rounds, err := a.attack.Rounds()
		if err != nil {
			return err
		}
		a.Rounds = &Rounds{rounds.Contacts, rounds.All}
	}
	switch {
	case f.Relations == 0 || len(a.Reconstructed) == a.N:
	case !f.Given("relations") && cost > unaskedRelations:
		a.Notes = append(a.Notes, "relations between the others were not worked out; --relations 5 does, and takes longer")
	default:
		return f.relate(a)
	}
	return nil
}

// relate adds the relations. If they cannot be found it adds a note, or
// returns an error if they were requested.
func (f *Question) relate(a *Answer) error {
	relations, err := a.attack.Relations()
	switch {
	case err != nil && f.Given("relations"):
		return err
	case err != nil:
		a.Notes = append(a.Notes, "no relations: "+err.Error())
		return nil
	}
	count := len(relations)
	a.Known = &count
	for _, r := range slices.Clip(relations[:min(f.Relations, count)]) {
		a.Relations = append(a.Relations, newRelationAnswer(a, r))
	}
	return nil
}
