package node

import "time"

// keepPace waits until the step that began at n.input has taken a whole number of paces: how long it took by itself,
// which follows from how many rows this participant has, is not seen by who receives what it releases. Steps without a
// release wait for nothing.
func (n *Node) keepPace() {
	pace := n.config.Pace
	if pace <= 0 || len(n.out.Releases) == 0 {
		return
	}
	spent := n.now() - n.input
	if spent > pace && !n.outOfPace {
		n.outOfPace = true
		n.config.Log.Warn("a step took longer than federation.pace, which shows in when its release leaves", "node", n.name(), "took", spent, "pace", pace)
	}
	time.Sleep((pace - spent%pace) % pace)
}
