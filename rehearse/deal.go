package rehearse

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// mostTests and allTests bound the made-up test rows of a participant and of all. They suffice to detect a
// hundredth of accuracy. Each participant gets fewer if there are many.
const mostTests, allTests = 1000, 200_000

// draw returns the training rows and the test rows of each participant.
func (v *federated) draw(w World, seed uint64) (train, test []dataset.Block, err error) {
	n := len(v.declared)
	train, test = make([]dataset.Block, n), make([]dataset.Block, n)
	if v.pool != nil {
		v.deal(train, test, seed)
		return train, test, nil
	}
	for u, file := range v.files {
		f, err := v.f.As(v.f.Names[u])
		if err != nil {
			return nil, nil, err
		}
		shard, err := f.ReadSplit(file, v.kept, seed)
		if err != nil {
			return nil, nil, err
		}
		train[u], test[u] = shard.Train, shard.Test
	}
	if v.f.Shape().Encoding != nil && len(v.files) < n {
		return nil, nil, fault.New("data.features: rows that are made up are no pictures, so that a rehearsal on them says nothing",
			"give rows: --data public.csv is shared out, or --data NAME=FILE for each participant")
	}
	m, err := newMaker(v.f.Shape(), w, seed)
	if err != nil {
		return nil, nil, err
	}
	looked := spaced(n, mostLooked)
	tests, known, unseen := max(50, min(mostTests, allTests/n)), v.known(train), v.known(test)
	for u := range train {
		if v.files[u] != "" {
			continue
		}
		p, learnt, tests := m.of(step.NodeID(u)), dataset.Learnt(v.declared[u], v.kept), tests
		if !slices.Contains(looked, u) {
			tests = 0 // these rows are not used for scoring
		}
		train[u], test[u] = v.persons(p.draw(known, learnt, stream(seed, step.NodeID(u), trainTurn))), p.draw(unseen, tests, stream(seed, step.NodeID(u), testTurn))
	}
	return train, test, nil
}

// known returns the rows in of that come from files. It returns nil if there are none.
func (v *federated) known(of []dataset.Block) *dataset.Block {
	var all dataset.Block
	for u := range of {
		if v.files[u] != "" {
			all.Features, all.X, all.Y = of[u].Features, append(all.X, of[u].X...), append(all.Y, of[u].Y...)
		}
	}
	if all.Rows() == 0 {
		return nil
	}
	return &all
}

// draw draws rows from the population, or near known rows if there are any.
func (p *population) draw(known *dataset.Block, n int, rng *rand.Rand) dataset.Block {
	if known == nil {
		return p.rows(n, rng)
	}
	return p.after(known, n, rng)
}

// persons returns made-up rows as a node trains on them if records are persons. Each made-up row stands for all
// rows of a person.
func (v *federated) persons(b dataset.Block) dataset.Block {
	each := v.f.Spec.RecordRows()
	if each == 1 {
		return b
	}
	all := dataset.Block{Features: b.Features}
	for i := range b.Rows() {
		for range each {
			all.X, all.Y = append(all.X, b.Row(i)...), append(all.Y, b.Y[i])
		}
	}
	return all
}

// deal distributes the pool. It gives each record at random to one participant. Records that remain, at most
// mostTests of them, are test rows for everyone.
func (v *federated) deal(train, test []dataset.Block, seed uint64) {
	each := v.f.Spec.RecordRows()
	order, at := stream(seed, everyone, poolTurn).Perm(v.pool.Rows()/each), 0
	take := func(n int) dataset.Block {
		b := dataset.Block{Features: v.pool.Features}
		for _, record := range order[at : at+n] {
			for i := record * each; i < (record+1)*each; i++ {
				b.X, b.Y = append(b.X, v.pool.Row(i)...), append(b.Y, v.pool.Y[i])
			}
		}
		at += n
		return b
	}
	for u, rows := range v.declared {
		learnt := dataset.Learnt(rows, v.kept)
		train[u], test[u] = take(learnt), take(rows-learnt)
	}
	rest := take(min(len(order)-at, mostTests))
	for u := range test {
		test[u].X, test[u].Y = append(slices.Clip(test[u].X), rest.X...), append(slices.Clip(test[u].Y), rest.Y...)
	}
}

// moved is the standard deviation between a drawn row and the known row it follows, in deviations of a column.
const moved = 0.2

// after draws rows near known ones. It picks a known row at random and adds noise and the shift of this
// participant to its numbers. Categories and labels stay unchanged.
func (p *population) after(known *dataset.Block, n int, rng *rand.Rand) dataset.Block {
	d := known.Features
	b := dataset.Block{Features: d, X: make([]float64, 0, n*d), Y: make([]float64, 0, n)}
	deviations := deviations(known)
	for range n {
		i := rng.IntN(known.Rows())
		for j, x := range known.Row(i) {
			if p.groups[j] < 0 {
				x = max(-1, min(1, x+float64(deviations[j]*(float64(moved*step.Normal(rng))+p.means[j]))))
			}
			b.X = append(b.X, x)
		}
		b.Y = append(b.Y, known.Y[i])
	}
	p.shape.Finish(&b)
	return b
}

// deviations returns the standard deviations of the columns.
func deviations(b *dataset.Block) []float64 {
	d, n := b.Features, float64(b.Rows())
	mean, square := make([]float64, d), make([]float64, d)
	for i := range b.Rows() {
		for j, x := range b.Row(i) {
			mean[j], square[j] = mean[j]+x/n, square[j]+x*x/n
		}
	}
	for j := range square {
		square[j] = math.Sqrt(max(0, square[j]-float64(mean[j]*mean[j])))
	}
	return square
}
