package main

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
)

// attackFlags are what `attack gossip` is asked.
type attackFlags struct {
	form.GraphQuestion
	steps     int
	turns     string
	attackers []string
	each      bool
	relations int
	messages  string
	gamma     float64
	simulate  uint64
	sigma     float64
	dim       int
	save      string
	work      float64

	onSpec form.SpecQuestion
}

// attack answers the question for one set of attackers.
func (f *attackFlags) attack() (*attackAnswer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	run, err := f.averaging()
	if err != nil {
		return nil, err
	}
	attackers, err := findNodes(run.graph, f.attackers)
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

// check refuses what makes no sense together.
func (f *attackFlags) check() error {
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
	case f.relations < 0:
		return fault.New(fmt.Sprintf("%d relations to show", f.relations), "give 0 or more")
	case f.dim < 1:
		return fault.New(fmt.Sprintf("nodes that hold %d numbers", f.dim), "give 1 or more")
	}
	return nil
}

// Work that is done unasked, in multiplications.
const (
	unaskedRelations = 1 << 28
	unaskedRounds    = 1 << 25
)

// add finds the relations and the rounds, if asked or cheap.
func (f *attackFlags) add(a *attackAnswer) error {
	cost := float64(a.N) * float64(a.Rank) * float64(a.Rank)
	if cost <= unaskedRounds && a.Exact {
		rounds, err := a.attack.Rounds()
		if err != nil {
			return err
		}
		a.Rounds = &roundsAnswer{rounds.Contacts, rounds.All}
	}
	switch {
	case f.relations == 0 || len(a.Reconstructed) == a.N:
	case !f.Given("relations") && cost > unaskedRelations:
		a.Notes = append(a.Notes, "relations between the others were not worked out; --relations 5 does, and takes longer")
	default:
		return f.relate(a)
	}
	return nil
}

// relate adds the relations; that none can be had is worth a note, no more,
// unless somebody asked.
func (f *attackFlags) relate(a *attackAnswer) error {
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
	for _, r := range slices.Clip(relations[:min(f.relations, count)]) {
		a.Relations = append(a.Relations, newRelationAnswer(a, r))
	}
	return nil
}
