package node

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/step"
)

// lacks describes why a started machine cannot go on, besides single neighbours: keys of the run are missing, or more participants
// than may be. It returns "" if neither is so.
func (n *Node) lacks() string {
	if m, ok := n.config.Machine.(interface{ Short() int }); ok && n.record.started && m.Short() > 0 {
		return fmt.Sprintf("all other participants but %d, because no more may miss a step (algorithm.absent)", m.Short())
	}
	m, ok := n.config.Machine.(interface {
		Lacks() (keys, unsigned, differ []step.NodeID)
	})
	if !ok || !n.record.started {
		return ""
	}
	keys, unsigned, differ := m.Lacks()
	var all []string
	say := func(form string, who []step.NodeID) {
		if len(who) > 0 {
			all = append(all, fmt.Sprintf(form, n.listed(who)))
		}
	}
	say("the keys of the run of %s, which neighbours pass on", keys)
	say("the signatures of all keys of the run by %s, which neighbours pass on", unsigned)
	say("%s: signed other keys of the run than came here, so somebody began anew or passed on an old key", differ)
	return strings.Join(all, "; ")
}

// mostListed is the largest number of participants that are listed by name.
const mostListed = 8

// listed returns the names of participants, at most mostListed of them.
func (n *Node) listed(who []step.NodeID) string {
	var names []string
	for _, v := range who[:min(mostListed, len(who))] {
		names = append(names, n.config.Names[v])
	}
	if more := len(who) - mostListed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
