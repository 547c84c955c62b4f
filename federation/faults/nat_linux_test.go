package faults

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// A suburb is a world whose nodes each sit behind a NAT of their own, which lets
// nothing in that was not asked for, and a relay on the street between them.
type suburb struct {
	*town
	key   string // file of the relay's
	relay int    // its number among the namespaces
}

// gate is where the street sees what comes from node i.
func gate(i int) string { return fmt.Sprintf("5.5.5.%d", i+1) }

// newSuburb prepares a federation of nodes without addresses.
func newSuburb(t *testing.T, s script) *suburb {
	t.Helper()
	hub := inSpaces(t, &s)
	key, err := identity.Generate(rand.Reader)
	p := &suburb{key: filepath.Join(t.TempDir(), "relay.key"), relay: 2 * s.nodes}
	if err == nil {
		err = key.Save(p.key)
	}
	if err != nil {
		t.Fatal(err)
	}
	relays := fmt.Sprintf("relays: [/ip4/%s/udp/4100/quic-v1/p2p/%s]", gate(p.relay), key.Peer())
	if s.options != "" {
		relays += ", " + s.options
	}
	s.options = relays
	s.reach = func(int, *loopback.Port) (string, string) { return "", "" }
	p.town = &town{world: newWorld(t, s), hub: hub}
	p.build()
	return p
}

// build makes the street, the NATs and the houses behind them: namespace i is a house,
// namespace nodes+i its NAT.
func (p *suburb) build() {
	t := p.t
	t.Cleanup(func() {
		for i := p.nodes; i <= p.relay; i++ {
			_ = exec.Command("ip", "netns", "del", space(p.hub, i)).Run()
		}
	})
	p.does("ip netns add %s", p.hub)
	p.does("ip -n %s link add br0 type bridge", p.hub)
	p.does("ip -n %s link set br0 up", p.hub)
	p.onStreet(p.relay, gate(p.relay))
	for i := range p.nodes {
		nat, own := space(p.hub, p.nodes+i), space(p.hub, i)
		p.onStreet(p.nodes+i, gate(i))
		p.does("ip netns add %s", own)
		p.does("ip -n %s link add lan0 type veth peer name eth0 netns %s", nat, own)
		p.does("ip -n %s addr add 10.88.%d.1/24 dev lan0", nat, i)
		p.does("ip -n %s link set lan0 up", nat)
		p.does("ip -n %s addr add 10.88.%d.2/24 dev eth0", own, i)
		p.does("ip -n %s link set eth0 up", own)
		p.does("ip -n %s link set lo up", own)
		p.does("ip -n %s route add default via 10.88.%d.1", own, i)
		p.does("ip netns exec %s sysctl -q net.ipv4.ip_forward=1", nat)
		p.rules(nat, "add table ip nat", "add chain ip nat out { type nat hook postrouting priority 100; }", "add rule ip nat out oifname eth0 masquerade",
			"add table ip guard", "add chain ip guard in { type filter hook input priority 0; policy drop; }", "add rule ip guard in iifname lan0 accept",
			"add rule ip guard in ct state established,related accept",
			"add chain ip guard through { type filter hook forward priority 0; policy drop; }", "add rule ip guard through iifname lan0 accept",
			"add rule ip guard through ct state established,related accept")
	}
	count := []string{"add table bridge faults", "add counter bridge faults direct {}", "add counter bridge faults carried {}",
		"add chain bridge faults count { type filter hook forward priority 0; }"}
	for _, rule := range []string{"ip saddr %[1]s counter name carried accept", "ip daddr %[1]s counter name carried accept"} {
		count = append(count, "add rule bridge faults count "+fmt.Sprintf(rule, gate(p.relay)))
	}
	p.rules(p.hub, append(count, "add rule bridge faults count ether type ip counter name direct")...)
}

// onStreet connects a new namespace to the bridge, under an address.
func (p *suburb) onStreet(i int, address string) {
	own := space(p.hub, i)
	p.does("ip netns add %s", own)
	p.does("ip -n %s link add port%d type veth peer name eth0 netns %s", p.hub, i, own)
	p.does("ip -n %s link set port%d master br0 up", p.hub, i)
	p.does("ip -n %s addr add %s/24 dev eth0", own, address)
	p.does("ip -n %s link set eth0 up", own)
	p.does("ip -n %s link set lo up", own)
}

// carries starts the relay.
func (p *suburb) carries() *exec.Cmd {
	p.t.Helper()
	log, err := os.Create(filepath.Join(p.dir, "relay.log"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("ip", "netns", "exec", space(p.hub, p.relay), program, "relay", p.spec, "--key", p.key)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// links are how many links of all nodes are up, and how many of them through the relay.
func (p *suburb) links() (up, through int) {
	for i := range p.nodes {
		s, err := p.ask(i)
		for _, n := range s.Neighbours {
			if err == nil && n.Connected {
				up++
			}
			if err == nil && n.Relayed {
				through++
			}
		}
	}
	return up, through
}

// Neighbours behind NATs find each other through the relay that the spec names, and the
// run goes through it where the spec wants no other way.
func TestBehindNATsThroughTheRelay(t *testing.T) {
	notShort(t)
	t.Parallel()
	p := newSuburb(t, script{nodes: 3, steps: 300, options: "relay_only: true"})
	p.carries()
	running := p.startAll()
	p.until("all links go through the relay", func() bool { up, through := p.links(); return up == 6 && through == 6 })
	p.ends(running...)
	p.world.check()
	if p.passed("carried") == 0 || p.passed("direct") != 0 {
		t.Errorf("%d packets went through the relay, %d past it", p.passed("carried"), p.passed("direct"))
	}
}

// NATs that keep ports are punched through: links then need the relay no more, and go on
// without it.
func TestNATsArePunchedThrough(t *testing.T) {
	notShort(t)
	t.Parallel()
	p := newSuburb(t, script{nodes: 3, steps: 6000})
	relay := p.carries()
	running := p.startAll()
	p.until("no link goes through the relay", func() bool { up, through := p.links(); return up == 6 && through == 0 || p.over() })
	_ = relay.Process.Kill() // the rest of the run, if there is one, goes without
	p.ends(running...)
	p.world.check()
	if p.passed("direct") == 0 {
		t.Error("nothing went past the relay")
	}
}
