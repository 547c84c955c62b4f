//go:build race

package sweeps

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
)

// keep returns an error. Builds with the race detector have no server, because it takes minutes to
// compile.
func (g *giver) keep(*QueueQuestion, string) (queue.Server, error) {
	return queue.Server{}, fault.New("a program with the race detector keeps no queue", "give --nats, or build it without -race")
}
