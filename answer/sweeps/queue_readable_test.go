package sweeps

import (
	"testing"

	"github.com/hearsay-dp/hearsay/queue"
)

// Whoever gives work out where others can read it is told.
func TestReadableQueues(t *testing.T) {
	for listen, want := range map[string]bool{
		"": false, "127.0.0.1:4222": false, "[::1]:4222": false, "localhost:4222": false,
		"0.0.0.0:4222": true, ":4222": true, "192.0.2.7:4222": true, "queue.example:4222": true,
	} {
		f := QueueQuestion{Listen: listen}
		if got := f.Readable(); got != want {
			t.Errorf("%q: %v", listen, got)
		}
		if f.ServerQuestion = (ServerQuestion{queue.Server{Cert: "cert.pem"}}); f.Readable() {
			t.Errorf("%q is encrypted", listen)
		}
	}
}
