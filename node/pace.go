package node

import "time"

// keepPace waits until the step that began at n.input has taken a multiple of the pace. The step's own duration
// depends on the number of this participant's rows, so receivers of its releases must not see it. Steps without a
// release do not wait.
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
