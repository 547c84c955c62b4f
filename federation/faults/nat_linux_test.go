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

// A suburb is a world whose nodes sit behind NATs, which let nothing in that was not
// asked for, and a relay on the street between them.
type suburb struct {
	*town
	homes int    // nodes behind each NAT
	key   string // file of the relay's
	relay int    // its number among the namespaces
}

// gate is where the street sees what comes from the k-th NAT.
func gate(k int) string { return fmt.Sprintf("5.5.5.%d", k+1) }

// newSuburb prepares a federation of nodes without addresses, so many behind each NAT.
func newSuburb(t *testing.T, homes int, s script) *suburb {
	t.Helper()
	hub := inSpaces(t, &s)
	key, err := identity.Generate(rand.Reader)
	p := &suburb{homes: homes, key: filepath.Join(t.TempDir(), "relay.key"), relay: 2 * s.nodes}
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
// namespace nodes+k the k-th NAT.
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
	p.joinsAs(p.relay, gate(p.relay))
	for k := 0; k*p.homes < p.nodes; k++ {
		p.nat(k)
	}
	for i := range p.nodes {
		k, own, last := i/p.homes, space(p.hub, i), 2+i%p.homes
		p.does("ip netns add %s", own)
		p.does("ip -n %s link add home%d type veth peer name eth0 netns %s", space(p.hub, p.nodes+k), last, own)
		p.does("ip -n %s link set home%d master lan0 up", space(p.hub, p.nodes+k), last)
		p.does("ip -n %s addr add 10.88.%d.%d/24 dev eth0", own, k, last)
		p.does("ip -n %s link set eth0 up", own)
		p.does("ip -n %s link set lo up", own)
		p.does("ip -n %s route add default via 10.88.%d.1", own, k)
	}
	count := []string{"add table bridge faults", "add counter bridge faults direct {}", "add counter bridge faults carried {}",
		"add chain bridge faults count { type filter hook forward priority 0; }"}
	for _, rule := range []string{"ip saddr %[1]s counter name carried accept", "ip daddr %[1]s counter name carried accept"} {
		count = append(count, "add rule bridge faults count "+fmt.Sprintf(rule, gate(p.relay)))
	}
	p.rules(p.hub, append(count, "add rule bridge faults count ether type ip counter name direct")...)
}

// nat makes the k-th NAT, on the street, with a bridge for the houses behind it.
func (p *suburb) nat(k int) {
	nat := space(p.hub, p.nodes+k)
	p.joinsAs(p.nodes+k, gate(k))
	p.does("ip -n %s link add lan0 type bridge", nat)
	p.does("ip -n %s addr add 10.88.%d.1/24 dev lan0", nat, k)
	p.does("ip -n %s link set lan0 up", nat)
	p.does("ip netns exec %s sysctl -q net.ipv4.ip_forward=1", nat)
	p.rules(nat, "add table ip nat", "add chain ip nat out { type nat hook postrouting priority 100; }", "add rule ip nat out oifname eth0 masquerade",
		"add table ip guard", "add chain ip guard in { type filter hook input priority 0; policy drop; }", "add rule ip guard in iifname lan0 accept",
		"add rule ip guard in ct state established,related accept",
		"add chain ip guard through { type filter hook forward priority 0; policy drop; }", "add rule ip guard through iifname lan0 accept",
		"add rule ip guard through ct state established,related accept")
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
	p := newSuburb(t, 1, script{nodes: 3, steps: 300, options: "relay_only: true"})
	p.carries()
	running := p.startAll()
	p.until("all links go through the relay", func() bool { up, through := p.links(); return up == 6 && through == 6 || p.over() })
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
	p := newSuburb(t, 1, script{nodes: 3, steps: 1_000_000})
	relay := p.carries()
	running := p.startAll()
	p.until("no link goes through the relay", func() bool { up, through := p.links(); return up == 6 && through == 0 })
	_ = relay.Process.Kill()
	before := p.furthest(0, 1, 2)
	p.until("the run goes on without the relay", func() bool { return p.furthest(0, 1, 2) > before+100 })
	for _, one := range running { // it has a million turns
		one.term()
		<-one.ended
	}
	p.verify()
	if p.passed("direct") == 0 {
		t.Error("nothing went past the relay")
	}
}

// Four machines, two behind each of two NATs, train together; each then predicts, and hands
// over a dossier that says what it gave away.
func TestFourMachinesBehindTwoNATs(t *testing.T) {
	notShort(t)
	t.Parallel()
	p := newSuburb(t, 2, script{nodes: 4, steps: 200})
	p.carries()
	p.ends(p.startAll()...)
	p.world.check()
	does := func(words ...string) {
		t.Helper()
		if text, err := exec.Command(program, words...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", words, err, text)
		}
	}
	for i := range p.names {
		board := p.file(i, "-board.html")
		does("predict", p.folder(i), "--data", p.file(i, ".csv"), "--out", p.file(i, "-predicted.csv"))
		does("dossier", p.folder(i), "--out", board, "--sign", p.file(i, ".key"))
		does("dossier", "verify", board, "--key", p.keys[i].Peer().String())
	}
}
