package faults

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// each runs a test as walk over TCP and as gossip over QUIC; -heavy all four. A run that is over before the test has seen it
// under way, as on a machine so busy that it takes longer to ask, is one of more steps the next time.
func each(t *testing.T, steps, rounds int, test func(t *testing.T, p *town) (inTime bool)) {
	t.Parallel()
	for _, transport := range []string{"tcp", "quic"} {
		for kind, s := range map[string]script{"walk": {nodes: 5, steps: steps}, "gossip": {nodes: 5, steps: rounds, gossip: true}} {
			if !*heavy && (kind == "walk") != (transport == "tcp") {
				continue
			}
			t.Run(kind+"/"+transport, func(t *testing.T) {
				needNamespaces(t)
				t.Parallel()
				for range 3 {
					if test(t, newTown(t, s, transport)) {
						return
					}
					s.steps *= 5
				}
				t.Errorf("a run of %d steps was over before it was seen under way", s.steps/5)
			})
		}
	}
}

// While the federation is in two parts the run stands; it ends once they can
// reach each other again.
func TestPartition(t *testing.T) {
	notShort(t)
	lasts := 3 * time.Second
	if *heavy {
		lasts = 60 * time.Second // links are noticed to be down
	}
	each(t, 1000, 200, func(t *testing.T, p *town) bool {
		running := p.startAll()
		if !p.underWay(0, 10) {
			return false
		}
		running[0].freeze(t, func() { // or a slow machine could end the run meanwhile
			p.drops("ip saddr { 10.99.0.1, 10.99.0.2 } ip daddr { 10.99.0.3, 10.99.0.4, 10.99.0.5 }")
			p.drops("ip daddr { 10.99.0.1, 10.99.0.2 } ip saddr { 10.99.0.3, 10.99.0.4, 10.99.0.5 }")
		})
		before := p.furthestOfAll()
		time.Sleep(lasts)
		now := p.furthestOfAll()
		if now >= p.steps || p.gossip && now > before+p.nodes { // in gossip no two neighbours are more than a round apart
			t.Errorf("in two parts the run went on from turn %d to %d", before, now)
		}
		p.heal()
		p.ends(running...)
		p.check()
		return true
	})
}

// A node whose cable is pulled out and put back takes part again.
func TestLinkDown(t *testing.T) {
	notShort(t)
	each(t, 600, 200, func(t *testing.T, p *town) bool {
		running := p.startAll()
		if !p.underWay(0, 10) {
			return false
		}
		for _, i := range []int{1, 3} {
			p.does("ip -n %s link set port%d down", p.hub, i)
			time.Sleep(time.Second)
			p.does("ip -n %s link set port%d up", p.hub, i)
		}
		p.ends(running...)
		p.check()
		return true
	})
}

// A fifth of all packets is lost, from the first on.
func TestLoss(t *testing.T) {
	notShort(t)
	each(t, 40, 15, func(t *testing.T, p *town) bool {
		p.drops("numgen random mod 100 < 20")
		p.ends(p.startAll()...)
		p.check()
		return true
	})
}

// Killed nodes, on a network that loses packets.
func TestKilledWithLoss(t *testing.T) {
	onlyHeavy(t)
	each(t, 200, 60, func(t *testing.T, p *town) bool {
		p.drops("numgen random mod 100 < 10")
		running := p.startAll()
		p.strike(running, (*process).kill, 8)
		p.ends(running...)
		p.check()
		return true
	})
}

// Slow connections from many addresses, more than there may be handshakes at a
// time, do not keep participants from finding each other.
func TestCrowd(t *testing.T) {
	onlyHeavy(t)
	t.Parallel()
	p := newTown(t, small, "tcp")
	var targets []string
	for i := range p.names {
		targets = append(targets, address(i)+":4100")
	}
	for k := range 8 {
		i := 100 + k
		p.joins(i)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", space(p.hub, i)).Run() })
		stranger := exec.Command("ip", "netns", "exec", space(p.hub, i), os.Args[0])
		stranger.Env = append(os.Environ(), dripTargets+"="+strings.Join(targets, ","))
		if err := stranger.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = stranger.Process.Kill()
			_ = stranger.Wait()
		})
	}
	running := p.startAll()
	p.strike(running, (*process).kill, 3)
	p.ends(running...)
	if p.passed("others") == 0 {
		t.Error("no stranger called")
	}
	p.world.check()
}
