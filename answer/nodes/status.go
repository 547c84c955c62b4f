package nodes

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node"
)

type nodeStatus struct{ node.Status }

// Print writes the state of a node and of each of its links.
func (s nodeStatus) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s is %s: turn %d of %d, %d contributions, up %v\n", s.Name, s.State, s.Turn, s.Turns, s.Contributions,
		seconds(s.Uptime))
	fmt.Fprintf(w, "ledger: %d entries, %d releases; spec %.16s\n", s.Ledger.Entries, s.Ledger.Releases, s.Spec)
	if s.Silence > 0 && s.Quiet > s.Silence/2 {
		fmt.Fprintf(w, "nothing of the run came in or went out for %v; after %v it stops (federation.silence)\n", seconds(s.Quiet), seconds(s.Silence))
	}
	if s.Waits != "" {
		fmt.Fprintf(w, "waiting for %s\n", s.Waits)
	}
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

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
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
	case n.Left != "":
		return "has left: " + n.Left
	case n.Refused != "":
		return "refused: " + n.Refused
	case len(n.Differs) > 0:
		return fmt.Sprintf("differs in %v", n.Differs)
	case n.Waits != "":
		return n.Lacking()
	}
	return either(n.Agreed, "agrees", "not heard yet")
}

func heard(n node.NeighbourStatus) string {
	if n.LastSeen == nil {
		return "never"
	}
	return n.LastSeen.Format(time.RFC3339)
}

// AskStatus shows the status of a running node, named by its address or the folder of its ledger. For a folder whose node has
// stopped it shows how far the run had come.
func AskStatus(ask form.Asker, where string) error {
	if stopped, err := federation.StoppedIn(where); err != nil || stopped != nil {
		return form.Answer(ask, func() (*federation.Rest, error) { return stopped, err })
	}
	return form.Answer(ask, func() (nodeStatus, error) {
		status, err := federation.AskStatus(ask.Context, where)
		return nodeStatus{status}, err
	})
}
