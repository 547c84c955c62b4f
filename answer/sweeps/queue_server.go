//go:build !race

package sweeps

import (
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/queue/server"
)

// keep starts a queue of this command and returns its address.
func (g *giver) keep(f *QueueQuestion, folder string) (queue.Server, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return queue.Server{}, err
	}
	// Jobs of an earlier queue wait for workers that may be gone. The stored cells determine the jobs.
	if err := os.RemoveAll(filepath.Join(whole, "jetstream")); err != nil {
		return queue.Server{}, fault.Wrap(err, "cannot clear the queue's folder", "choose another --out")
	}
	s, err := server.Start(server.Options{Folder: whole, Listen: f.Listen, Cert: f.Cert, Key: f.Key})
	if err != nil {
		return queue.Server{}, err
	}
	g.folder, g.stop = whole, s.Close
	g.server = ServerQuestion{queue.Server{URL: s.URL, Secret: s.Secret, CA: f.CA}}
	return queue.Server{URL: s.URL, Secret: s.Coordinator, CA: f.CA}, nil
}
