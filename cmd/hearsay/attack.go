package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
)

// newAttackCommand is `hearsay attack`: what a set of nodes can reconstruct.
func newAttackCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "attack",
		Short: "Say whose values a set of nodes reconstructs from what it saw",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAttackGossipCommand(), newAttackGradientsCommand(), newAttackWalkCommand(), newAttackMembershipCommand())
	for _, sub := range cmd.Commands() {
		sub.RunE = interruptible(sub.RunE)
	}
	return cmd
}

// attackFlags are what `attack gossip` is asked.
type attackFlags struct {
	onGraph
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
	changed   func(flag string) bool

	onSpec specAttack
}

func newAttackGossipCommand() *cobra.Command {
	f := &attackFlags{}
	cmd := &cobra.Command{
		Use:   "gossip SPEC.yaml | --graph G --steps T --attackers V,...",
		Short: "Reconstruction from gossip averaging",
		Long: `Gossip says whose values attackers who pool what they receive in T rounds of
averaging can compute (002, chapter 4), how much of every other value they hold,
and which linear relations between the others they know. Acceleration sends
other combinations that say the same.

With --messages it computes the values from what the attackers received: lines
of turn,from,to,value[,value...], turns from 0, with every attacker's own value as
a message of turn 0 to itself. With --simulate it makes values and messages
itself, attacks them, and shows what was true.

With a spec of kind gossip it is an auditor's page: of each node who could reconstruct it
alone, the smallest coalition of nodes that are no neighbours, how much of its
value leaks, what noise leaves of that, and what noise or which edge's removal
stops it. --attackers are nodes that pool what they see. Where all nodes are too many to
be looked at alone in some two minutes of a processor (2000 with 8 neighbours each are
after 10 turns), those with most neighbours and those with fewest are, and the page says how
many; --work 10 takes ten times as long.

With noise, added to every value before the first message, what is reconstructed
is the noisy value. The best unbiased estimate of a value by attackers who know
all the others has the variance of the noise divided by the value's leakage.`,
		Example: `  hearsay attack gossip --graph florentine --steps 15 --attackers Medici
  hearsay attack gossip --graph friends.edges --steps 20 --attackers 0,3 --json
  hearsay attack gossip --graph friends.edges --steps 20 --each
  hearsay attack gossip --graph florentine --steps 4 --attackers Medici --simulate 1 --save seen.csv
  hearsay attack gossip --graph florentine --steps 4 --attackers Medici --messages seen.csv
  hearsay attack gossip examples/kinds/gossip.yaml --out page.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.MaximumNArgs(1)(cmd, args); err != nil {
				return err
			}
			if len(args) == 1 {
				f.expectSpec(cmd.Flags())
			}
			return cmd.ValidateFlagGroups()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return attackOn(&f.onSpec, f.planned)(cmd, args)
			}
			f.changed = cmd.Flags().Changed
			if f.each {
				return answering(f.attackEach)(cmd, args)
			}
			return answering(f.attack)(cmd, args)
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.IntVar(&f.steps, "steps", 0, "rounds of averaging, T")
	flags.StringVar(&f.turns, "turns", "", "file of who averages with whom if that changes: lines of turn, u, v; nodes as in --graph")
	flags.StringArrayVar(&f.attackers, "attackers", nil, "`names` of nodes that pool what they receive, with commas: the ids of the graph; repeatable")
	flags.BoolVar(&f.each, "each", false, "make every single node the attacker in turn")
	flags.IntVar(&f.relations, "relations", 5, "most relations between the others to show")
	flags.StringVar(&f.messages, "messages", "", "CSV file of what the attackers received")
	flags.Float64Var(&f.gamma, "gamma", 1, "factor of acceleration of the run that messages come from")
	flags.Uint64Var(&f.simulate, "simulate", 0, "make values and messages from this seed and attack them")
	flags.Float64Var(&f.sigma, "sigma", 0, "with --simulate: noise multiplier, noise over sensitivity")
	flags.IntVar(&f.dim, "dim", 1, "with --simulate: numbers a node holds")
	flags.StringVar(&f.save, "save", "", "with --simulate: write the messages to this file")
	flags.Float64Var(&f.work, "work", 1, "with a spec: how much longer than some two minutes of a processor all nodes are looked at alone, where there are many: 10, ten times as long")
	f.onSpec.register(cmd, "with a spec: ")
	must(cmd.MarkFlagRequired("steps"))
	cmd.MarkFlagsOneRequired("attackers", "each")
	for _, pair := range [][]string{{"attackers", "each"}, {"messages", "simulate"}, {"messages", "each"}, {"simulate", "each"},
		{"relations", "each"}} {
		cmd.MarkFlagsMutuallyExclusive(pair...)
	}
	return cmd
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
		if f.changed(flag) && !f.changed("simulate") {
			return fault.New("--"+flag+" is for simulated messages", "add --simulate SEED")
		}
	}
	for _, flag := range []string{"out", "set", "cache", "work"} {
		if f.changed(flag) {
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
	case !f.changed("relations") && cost > unaskedRelations:
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
	case err != nil && f.changed("relations"):
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
