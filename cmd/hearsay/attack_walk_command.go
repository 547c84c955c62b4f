package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/tokens"
)

func newAttackWalkCommand() *cobra.Command {
	f := &tokens.Question{}
	cmd := &cobra.Command{
		Use:   "walk SPEC.yaml",
		Short: "Reconstruction from tokens that walk: contributions, and what is proved of privacy",
		Long: `Walk attacks a spec whose nodes hand tokens on: walks, weighted walks, and sums by a
walk or on a ring. Attackers keep to the protocol and put together the tokens that they
receive and send. Between two of these others have added contributions and noise.

It runs the spec twice, on one route, without its noise and with it, and finds every
node's contribution from what the attackers' machines hold in these runs. It says how much
an attack proves: the least eps that explains how well it tells two values
of a node apart, beside what the sound accountant allows. And it says who could reconstruct
whom, the smallest coalition that it finds, and what stops them.

--sees says what attackers know of the route besides their own turns: ends, to and from
whom the token went when they held it, as every machine does; hops, only how long it was
away, where senders are anonymous; route, all of it. Without it, what they know in a real run.

Without --attackers every node attacks alone, on graphs of up to 64 nodes, else the one
with most neighbours; --each lets every node of any graph. With --out it writes a page: a
file that ends in .html, or a folder, which gets result.json and report.html.`,
		Example: `  hearsay attack walk examples/kinds/walk.yaml --attackers 0,3
  hearsay attack walk spec.yaml --each --out page.html
  hearsay attack walk spec.yaml --attackers Medici --set privacy.sigma=0 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := argument("spec file")(cmd, args); err != nil {
				return err
			}
			return cmd.ValidateFlagGroups()
		},
	}
	cmd.RunE = onSpec(cmd, &f.SpecQuestion, "", f.Answer)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Attackers, "attackers", nil, "`names` of nodes that pool what they receive, with commas; repeatable")
	flags.BoolVar(&f.Each, "each", false, "make every single node the attacker in turn")
	flags.StringVar(&f.Sees, "sees", "", "route, ends or hops: what attackers know of where the token goes")
	flags.IntVar(&f.Runs, "runs", 1000, "simulated routes from which an eps is proved")
	cmd.MarkFlagsMutuallyExclusive("attackers", "each")
	return cmd
}
