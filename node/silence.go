package node

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// heardNothing returns an error, with which the node stops, if nothing of the run came in or went out for Silence.
// The ledger holds everything.
func (n *Node) heardNothing() error {
	last := n.lastProgress()
	if n.config.Silence == 0 || last.IsZero() || time.Since(last) < n.config.Silence {
		return nil
	}
	return &fault.Error{
		What: fmt.Sprintf("nothing of the run was heard for %v (federation.silence), waiting for %s", n.config.Silence, n.awaited()),
		Hint: "find out what holds them up; this node has stopped, and goes on from its ledger when it is started again with the same --dir", Err: fault.ErrLater,
	}
}

// lastProgress returns when something of the run last came in or went out. It returns zero while no silence counts: before the
// run begins, after its end, and once somebody has left for good.
func (n *Node) lastProgress() (at time.Time) {
	if n.done || n.parting() || !n.record.started {
		return at
	}
	return n.began.Add(n.progress)
}

// awaited describes the cause of a wait: missing keys of the run, and silent neighbours.
func (n *Node) awaited() string {
	if lacks := n.lacks(); lacks != "" {
		return lacks + "; " + n.silent()
	}
	return n.silent()
}

// silent names the neighbours that were not heard in the second half of the time since this node's last progress.
// Those who are away come first, then those who were heard longest ago. Only the second half counts, because a
// neighbour that falls silent may still have sent something after this node's last step that led to no step.
func (n *Node) silent() string {
	now := n.now()
	since := n.began.Add(now - (now-n.progress)/2)
	var away, quiet []*link
	for _, l := range n.links {
		switch {
		case !n.config.Transport.Connected(l.id):
			away = append(away, l)
		case l.seen.Before(since):
			quiet = append(quiet, l)
		}
	}
	longest := func(a, b *link) int { return a.seen.Compare(b.seen) }
	slices.SortStableFunc(away, longest)
	slices.SortStableFunc(quiet, longest)
	var words []string
	for _, l := range append(away, quiet...) {
		words = append(words, fmt.Sprintf("%s (%s, %s)", l.name, either(n.config.Transport.Connected(l.id), "connected", "away"), l.heardAt()))
	}
	const most = 8
	switch {
	case len(words) == 0:
		return "somebody further away"
	case len(words) > most:
		words = append(words[:most], fmt.Sprintf("%d more", len(words)-most))
	}
	return strings.Join(words, ", ")
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// heardAt describes when a neighbour was heard last.
func (l *link) heardAt() string {
	if l.seen.IsZero() {
		return "not heard since this start"
	}
	return "last heard " + l.seen.UTC().Format(time.RFC3339)
}
