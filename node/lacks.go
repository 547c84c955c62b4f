package node

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/step"
)

// lacks returns a description of the missing keys of the run that keep a started machine from beginning, "" if
// none are missing.
func (n *Node) lacks() string {
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
