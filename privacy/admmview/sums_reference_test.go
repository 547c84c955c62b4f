package admmview

import (
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Sums bounds the loss of a node towards a server that sees, of every round, the participants and the sum of their changes, as
// secure sums show it, and no single change (002, Remark 8.10). Each round hides one contribution in the noise of all its
// participants. It costs about 4/(m+3) of a public one, and the part of it that others forget later. With m = n it is Curated.
// Participants are drawn, and Drawing bounds how well the draws represent all. Towards a server that sees each change the loss is
// Consensus.Local.
func (f Federated) Sums(s Step, d Drawing) (*walkpath.Sample, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	all, err := d.energies(1, func(r *rand.Rand, energies []float64) { energies[0] = f.drawn(s, r) })
	if err != nil {
		return nil, err
	}
	claim := s.claim("ADMM, secure sums",
		fmt.Sprintf("of %d rounds nothing is seen but the sum of the changes of %d of %d users, drawn uniformly, and who they are", f.Rounds, f.Sampled, f.Users),
		active, d.stands())
	claim.Gaussian = false // a mixture over who is drawn
	return d.sample(func(run int) float64 { return all[run][0] }, f.Rounds, claim), nil
}

// drawn draws rounds and plans for user 0.
func (f Federated) drawn(s Step, r *rand.Rand) float64 {
	users, rounds := r.Perm(f.Users), make([][]Turn, f.Rounds)
	for t := range rounds {
		for k := range f.Sampled {
			other := k + r.IntN(f.Users-k)
			users[k], users[other] = users[other], users[k]
			rounds[t] = append(rounds[t], Turn{Holder: users[k]})
		}
	}
	return RoundsEnergy(s, f.Users, 0, rounds)
}
