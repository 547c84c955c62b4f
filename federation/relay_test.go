package federation

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// walled is the text of a ring none of whose participants has an address.
func walled(t testing.TB, relays ...string) string {
	text := regexp.MustCompile(`, addresses: \[[^]]*\]`).ReplaceAllString(ringText(t, five, terms), "")
	return text + fmt.Sprintf("federation: {relays: [%s]}\n", strings.Join(relays, ", "))
}

// Participants without addresses need a relay, whose key is nobody's; each is then
// dialled through it, and the plan names what it is trusted with.
func TestRelaysOfASpec(t *testing.T) {
	peer := keyOf(t, "relay").Peer().String()
	good := "/dns4/relay.example/udp/4100/quic-v1/p2p/" + peer
	for name, bad := range map[string]string{
		"no relay": "", "no key": "/ip4/192.0.2.7/tcp/4100", "no address": "/p2p/" + peer, "no multiaddress": "relay.example",
		"a participant": "/ip4/192.0.2.7/tcp/4100/p2p/" + keyOf(t, "nice").Peer().String(), "a relay behind another": good + "/p2p-circuit/p2p/" + peer,
	} {
		s, err := parseText(walled(t, bad))
		if err == nil {
			_, err = Open(context.Background(), s, "lyon")
		}
		if err == nil || fault.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := parse(t, walled(t, good))
	f := open(t, s, "lyon")
	c, err := f.transport(&Options{Key: keyOf(t, "lyon")})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Relays) != 1 || !c.HolePunch || len(c.Listen) != len(anywhere) {
		t.Errorf("listens on %v, relays %v", c.Listen, c.Relays)
	}
	for _, n := range c.Neighbours {
		if len(n.Addrs) != 1 || n.Addrs[0].String() != good+"/p2p-circuit" {
			t.Errorf("%d is dialled at %v", n.ID, n.Addrs)
		}
	}
	if !slices.ContainsFunc(f.conditions(), func(line string) bool { return strings.Contains(line, "whoever runs a relay") }) {
		t.Error("the plan does not say what a relay is trusted with")
	}
	s.Federation.RelayOnly = true
	if c, err := open(t, s, "lyon").transport(&Options{Key: keyOf(t, "lyon")}); err != nil || c.HolePunch || len(c.Listen) > 0 {
		t.Errorf("on the relay only, but listens on %v (%v)", c.Listen, err)
	}
}

// A relay is told who its neighbours are and listens where the spec says; another's key
// is refused.
func TestRelayOfASpec(t *testing.T) {
	s := parse(t, walled(t, "/dns4/relay.example/udp/4100/quic-v1/p2p/"+keyOf(t, "relay").Peer().String()))
	r, err := OpenRelay(context.Background(), s, keyOf(t, "relay"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Listen) != 1 || r.Listen[0].String() != "/ip4/0.0.0.0/udp/4100/quic-v1" {
		t.Errorf("listens on %v", r.Listen)
	}
	lyon, nice, lille, paris := keyOf(t, "lyon").Peer(), keyOf(t, "nice").Peer(), keyOf(t, "lille").Peer(), keyOf(t, "paris").Peer()
	if links := r.Config.Links[lyon]; len(links) != 2 || !slices.Contains(links, nice) || !slices.Contains(links, lille) || slices.Contains(links, paris) {
		t.Errorf("lyon is connected with %v", links)
	}
	if _, err := OpenRelay(context.Background(), s, keyOf(t, "somebody")); err == nil || fault.Hint(err) == "" {
		t.Errorf("a key that is not in the spec: %v", err)
	}
	if _, err := OpenRelay(context.Background(), ring(t, five, terms), keyOf(t, "relay")); err == nil {
		t.Error("a spec without relays has one")
	}
}
