package federation

import (
	"crypto/rand"

	"github.com/hearsay-dp/hearsay/internal/family"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/pairing"
	"github.com/hearsay-dp/hearsay/node/secret"
)

// Machine returns the machine of this participant for its rows. It signs with key. Noise and routes
// come from the operating system's randomness and nowhere else.
func (f *Federation) Machine(shard *dataset.Shard, key identity.Key) family.Machine {
	return f.machine(examples(f.setup.Objective.Model, shard.Train), key, secret.NewNoise(), secret.NewRouter())
}

// shared returns the noise that this participant shares with its partners in this run, under a new
// key. A ledger that is continued supplies the noise of the run's first start instead.
func (f *Federation) shared(key identity.Key) *pairing.Noise {
	shared, err := pairing.New(rand.Reader, f.Hash, 0, f.Self)
	if err != nil {
		panic("federation: " + err.Error()) // crypto/rand never fails: it ends the program instead
	}
	shared.Identify(key, f.Peers)
	return shared
}

func (f *Federation) machine(ex model.Examples, key identity.Key, noise *secret.Noise, router *secret.Router) family.Machine {
	return f.setup.Algorithm.Machine(family.Participant{ID: f.Self, Neighbours: f.Neighbours(), Examples: ex, Noise: noise, Shared: f.shared(key), Router: router})
}

// examples converts rows to the examples of model m.
func examples(m model.Model, b dataset.Block) model.Examples {
	ex := model.Examples{Features: b.Features, X: b.X, Y: b.Y}
	ex.Norms = model.Norms(m, ex)
	return ex
}
