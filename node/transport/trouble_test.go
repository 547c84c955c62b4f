package transport

import (
	"testing"
	"time"
)

// A neighbour that nobody listens for is said to refuse the connection.
func TestTroubleIsNamed(t *testing.T) {
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")[:2]
	n, err := NewLibp2p(configs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, n)
	for limit := time.Now().Add(patience); n.Trouble(1) != "connection refused"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("the trouble is %q", n.Trouble(1))
		}
	}
}
