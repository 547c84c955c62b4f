package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node"
)

func newStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status [ADDRESS|DIR]",
		Short: "Ask a running node how it is",
		Long: "Status asks the health endpoint of a running node: by the address that it\n" +
			"logged, or by the folder of its ledger (the current one by default).",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where := "."
			if len(args) == 1 {
				where = args[0]
			}
			return answering(func() (nodeStatus, error) {
				status, err := federation.AskStatus(cmd.Context(), where)
				return nodeStatus{status}, err
			})(cmd, args)
		},
	}
}

type nodeStatus struct{ node.Status }

func (s nodeStatus) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s is %s: turn %d of %d, %d contributions, up %v\n", s.Name, s.State, s.Turn, s.Turns, s.Contributions,
		time.Duration(s.Uptime*float64(time.Second)).Round(time.Second))
	fmt.Fprintf(w, "ledger: %d entries, %d releases; spec %.16s\n", s.Ledger.Entries, s.Ledger.Releases, s.Spec)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "neighbour\tlink\tspec\tlast heard")
	for _, n := range s.Neighbours {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", n.Name, link(n), agreement(n), heard(n))
	}
	if err := t.Flush(); err != nil || s.Error == "" {
		return err
	}
	_, err := fmt.Fprintf(w, "error: %s\n", s.Error)
	return err
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func link(n node.NeighbourStatus) string {
	if n.Relayed {
		return "up, through a relay"
	}
	return either(n.Connected, "up", "down")
}

func agreement(n node.NeighbourStatus) string {
	switch {
	case n.Refused != "":
		return "refused: " + n.Refused
	case len(n.Differs) > 0:
		return fmt.Sprintf("differs in %v", n.Differs)
	case n.Waits != "":
		return "waiting: " + n.Waits
	}
	return either(n.Agreed, "agrees", "not heard yet")
}

func heard(n node.NeighbourStatus) string {
	if n.LastSeen == nil {
		return "never"
	}
	return n.LastSeen.Format(time.RFC3339)
}
