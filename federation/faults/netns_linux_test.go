package faults

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/loopback"
)

// A town is a world whose nodes live in network namespaces of their own, joined
// by a bridge in another one, where packets can be counted and dropped.
type town struct {
	*world
	hub      string
	dropping bool // drops was called
}

// towns numbers the towns of this process.
var towns atomic.Int64

// address is that of node i.
func address(i int) string { return fmt.Sprintf("10.99.0.%d", i+1) }

// newTown prepares a federation in namespaces, over "tcp" or "quic".
func newTown(t *testing.T, s script, transport string) *town {
	t.Helper()
	hub := inSpaces(t, &s)
	s.reach = func(i int, _ *loopback.Port) (string, string) {
		if transport == "quic" {
			return "/ip4/" + address(i) + "/udp/4100/quic-v1", ""
		}
		return "/ip4/" + address(i) + "/tcp/4100", ""
	}
	p := &town{world: newWorld(t, s), hub: hub}
	p.build()
	return p
}

// inSpaces has the nodes of a script run in namespaces, which belong to the hub that it
// names and are removed in the end.
func inSpaces(t *testing.T, s *script) (hub string) {
	t.Helper()
	needNamespaces(t)
	sweep()
	hub = fmt.Sprintf("hearsay-%d-%d", os.Getpid(), towns.Add(1))
	t.Cleanup(func() {
		for i := range s.nodes {
			_ = exec.Command("ip", "netns", "del", space(hub, i)).Run() // it may not have been made
		}
		_ = exec.Command("ip", "netns", "del", hub).Run()
	})
	s.wrap = func(i int, command []string) []string {
		return append([]string{"ip", "netns", "exec", space(hub, i)}, command...)
	}
	s.status = func(w *world, i int) (string, error) {
		text, err := exec.Command("ip", "netns", "exec", space(hub, i), program, "status", w.folder(i), "--json").Output()
		return string(text), err
	}
	return hub
}

func needNamespaces(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: network namespaces need root")
	}
	for _, tool := range []string{"ip", "nft"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: no %s", tool)
		}
	}
	if reason := probe(); reason != "" {
		t.Skipf("SKIPPED: this system makes no network namespaces: %s", reason)
	}
}

// probe makes a network namespace, once, and says why it could not.
var probe = sync.OnceValue(func() string {
	name := fmt.Sprintf("hearsay-%d-probe", os.Getpid())
	text, err := exec.Command("ip", "netns", "add", name).CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v: %s", err, text)
	}
	_ = exec.Command("ip", "netns", "del", name).Run()
	return ""
})

// sweep removes namespaces of tests that were killed.
func sweep() {
	names, _ := exec.Command("ip", "netns", "list").Output()
	for _, name := range regexp.MustCompile(`(?m)^hearsay-(\d+)-[\w-]+`).FindAllStringSubmatch(string(names), -1) {
		if _, err := os.Stat("/proc/" + name[1]); os.IsNotExist(err) {
			_ = exec.Command("ip", "netns", "del", name[0]).Run()
		}
	}
}

func space(hub string, i int) string { return fmt.Sprintf("%s-%d", hub, i) }

// does runs a command, given as words.
func (p *town) does(format string, values ...any) string {
	p.t.Helper()
	words := strings.Fields(fmt.Sprintf(format, values...))
	text, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s: %v: %s", strings.Join(words, " "), err, text)
	}
	return string(text)
}

// build makes the namespaces, the bridge, and counters of what passes between
// neighbours and between others.
func (p *town) build() {
	p.does("ip netns add %s", p.hub)
	p.does("ip -n %s link add br0 type bridge", p.hub)
	p.does("ip -n %s link set br0 up", p.hub)
	for i := range p.names {
		p.joins(i)
	}
	rules := []string{
		"add table bridge faults", "add counter bridge faults edges {}", "add counter bridge faults others {}", "add counter bridge faults lost {}",
		"add chain bridge faults count { type filter hook forward priority 0; }",
		"add chain bridge faults fate { type filter hook forward priority 10; }",
	}
	for u := range p.names {
		for _, v := range p.open(u).Neighbours() {
			rules = append(rules, fmt.Sprintf("add rule bridge faults count ip saddr %s ip daddr %s counter name edges accept", address(u), address(int(v))))
		}
	}
	p.nft(append(rules, "add rule bridge faults count ether type ip counter name others")...)
}

// joins makes the namespace of a node and connects it to the bridge.
func (p *town) joins(i int) { p.joinsAs(i, address(i)) }

// joinsAs is joins under another address.
func (p *town) joinsAs(i int, address string) {
	p.t.Helper()
	own := space(p.hub, i)
	p.does("ip netns add %s", own)
	p.does("ip -n %s link add port%d type veth peer name eth0 netns %s", p.hub, i, own)
	p.does("ip -n %s link set port%d master br0 up", p.hub, i)
	p.does("ip -n %s addr add %s/24 dev eth0", own, address)
	p.does("ip -n %s link set eth0 up", own)
	p.does("ip -n %s link set lo up", own)
}

// nft adds rules in the hub.
func (p *town) nft(rules ...string) {
	p.t.Helper()
	p.rules(p.hub, rules...)
}

// rules adds rules in a namespace.
func (p *town) rules(space string, rules ...string) {
	p.t.Helper()
	cmd := exec.Command("ip", "netns", "exec", space, "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(strings.Join(rules, "\n") + "\n")
	if text, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("nft: %v: %s", err, text)
	}
}

// drops drops packets for which a condition holds, until heal.
func (p *town) drops(condition string) {
	p.t.Helper()
	p.dropping = true
	p.nft("add rule bridge faults fate " + condition + " counter name lost drop")
}

func (p *town) heal() {
	p.t.Helper()
	p.nft("flush chain bridge faults fate")
}

// passed is how many packets were counted by a named counter.
func (p *town) passed(counter string) int {
	p.t.Helper()
	text := p.does("ip netns exec %s nft list counter bridge faults %s", p.hub, counter)
	found := regexp.MustCompile(`packets (\d+)`).FindStringSubmatch(text)
	if found == nil {
		p.t.Fatalf("nft says %q", text)
	}
	n, _ := strconv.Atoi(found[1]) // digits
	return n
}

// check is that of the world, and that nobody has talked outside of the edges.
func (p *town) check() {
	p.t.Helper()
	p.world.check()
	if inside, outside := p.passed("edges"), p.passed("others"); inside == 0 || outside > 0 {
		p.t.Errorf("%d packets passed along edges, %d elsewhere", inside, outside)
	}
	if p.dropping && p.passed("lost") == 0 {
		p.t.Error("no packet was dropped")
	}
}
