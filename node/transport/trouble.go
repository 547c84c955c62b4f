package transport

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"github.com/hearsay-dp/hearsay/step"
)

// troubles maps parts of libp2p's error texts to descriptions, because libp2p joins the errors of all addresses
// into one text.
var troubles = []struct{ text, words string }{
	{"peer id mismatch", "another key answers at its address"},
	{"connection refused", "connection refused"},
	{"no such host", "its name is not known to DNS"},
	{"no route to host", "no route to host"},
	{"network is unreachable", "network is unreachable"},
	{"protocols not supported", "it speaks another version of the streams, or does not list this node as a neighbour"},
	{"gater disallows", "it does not list this node's key"},
	{"timeout", "no answer in time"},
	{"deadline exceeded", "no answer in time"},
}

// trouble describes an error of opening a link in a few words. It returns "" for nil and for a cancelled attempt.
func trouble(err error) string {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, errNoAddress):
		return "it has not called yet, and has no address to be called at"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	}
	for _, t := range troubles {
		if strings.Contains(err.Error(), t.text) {
			return t.words
		}
	}
	return "its connection cannot be opened"
}

// Trouble implements Transport.
func (t *Libp2p) Trouble(to step.NodeID) string {
	l := t.links[to]
	if l == nil || l.stream.Load() != nil {
		return ""
	}
	if words := l.trouble.Load(); words != nil {
		return *words
	}
	return ""
}

// Trouble implements Transport.
func (m *Memory) Trouble(to step.NodeID) string {
	if m.Connected(to) {
		return ""
	}
	return "it is not there"
}
