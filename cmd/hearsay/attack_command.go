package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hearsay-dp/hearsay/answer/messages"
)

// newAttackCommand returns `hearsay attack`, which computes the nodes that a set of nodes can reconstruct.
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

func newAttackGossipCommand() *cobra.Command {
	f := &messages.Question{}
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
				expectSpec(cmd.Flags())
			}
			return cmd.ValidateFlagGroups()
		},
	}
	registerGraph(cmd, &f.GraphQuestion)
	flags := cmd.Flags()
	flags.IntVar(&f.Steps, "steps", 0, "rounds of averaging, T")
	flags.StringVar(&f.Turns, "turns", "", "file of who averages with whom if that changes: lines of turn, u, v; nodes as in --graph")
	flags.StringArrayVar(&f.Attackers, "attackers", nil, "`names` of nodes that pool what they receive, with commas: the ids of the graph; repeatable")
	flags.BoolVar(&f.Everybody, "each", false, "make every single node the attacker in turn")
	flags.IntVar(&f.Relations, "relations", 5, "most relations between the others to show")
	flags.StringVar(&f.Messages, "messages", "", "CSV file of what the attackers received")
	flags.Float64Var(&f.Gamma, "gamma", 1, "factor of acceleration of the run that messages come from")
	flags.Uint64Var(&f.Simulate, "simulate", 0, "make values and messages from this seed and attack them")
	flags.Float64Var(&f.Sigma, "sigma", 0, "with --simulate: noise multiplier, noise over sensitivity")
	flags.IntVar(&f.Dim, "dim", 1, "with --simulate: numbers a node holds")
	flags.StringVar(&f.Save, "save", "", "with --simulate: write the messages to this file")
	flags.Float64Var(&f.Work, "work", 1, "with a spec: how much longer than some two minutes of a processor all nodes are looked at alone, where there are many: 10, ten times as long")
	planned := onSpec(cmd, &f.OnSpec, "with a spec: ", f.Planned)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.Asker = askerOf(cmd); len(args) == 1 {
			return planned(cmd, args)
		}
		if f.Everybody {
			return answering(f.Each)(cmd, args)
		}
		return answering(f.Answer)(cmd, args)
	}
	must(cmd.MarkFlagRequired("steps"))
	cmd.MarkFlagsOneRequired("attackers", "each")
	for _, pair := range [][]string{{"attackers", "each"}, {"messages", "simulate"}, {"messages", "each"}, {"simulate", "each"},
		{"relations", "each"}} {
		cmd.MarkFlagsMutuallyExclusive(pair...)
	}
	return cmd
}

// expectSpec makes the flags optional that only averaging on a graph needs.
func expectSpec(flags *pflag.FlagSet) {
	for _, name := range []string{"graph", "steps", "attackers", "each"} {
		flags.Lookup(name).Annotations = nil
	}
}
