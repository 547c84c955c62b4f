package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// federated is a spec with participants. Rows are made up in the declared shape or come from
// files.
type federated struct {
	f        *federation.Federation
	kept     float64        // share of rows held out for testing
	declared []int          // number of records of each participant
	files    map[int]string // files of some participants
	pool     *dataset.Block // rows that are distributed anew in each trial, in the sizes of declared
	pooled   string         // the file of the pool
	made     []World
	assumed  int  // rows assumed for each participant without a declared number; 0: all are declared
	drawn    bool // the constants of a weighted walk were computed from made-up rows
}

// usualRows is the default number of rows of a participant.
const usualRows = 100

func newFederated(ctx context.Context, s *spec.Spec, o *Options) (*federated, error) {
	whole, err := federation.WithConstants(ctx, s, func(u int) (dataset.Block, error) { return imagined(s, u, o) })
	if err != nil {
		return nil, err
	}
	f, err := federation.Open(ctx, whole, s.Participants[0].Name)
	if err != nil {
		return nil, err
	}
	f.Written(o.Written)
	v := &federated{f: f, kept: f.Spec.Data.Test.Share, files: map[int]string{}, drawn: whole != s}
	for _, p := range f.Spec.Participants {
		rows := p.Rows
		if rows == 0 {
			if v.assumed = o.Rows; v.assumed == 0 {
				v.assumed = usualRows
			}
			rows = v.assumed
		}
		v.declared = append(v.declared, rows)
	}
	if err := v.open(o); err != nil {
		return nil, err
	}
	return v, v.setWorlds(o)
}

// imagined returns the rows of a participant's file, or made-up rows of middling difficulty
// if it has no file.
func imagined(s *spec.Spec, u int, o *Options) (dataset.Block, error) {
	shape := experiment.PublicShape(s)
	if file := o.Files[s.Participants[u].Name]; file != "" {
		shard, err := shape.OpenShard(file, s.Data.Test.Share, s.Seed, step.NodeID(u))
		if err != nil {
			return dataset.Block{}, err
		}
		return shard.Train, nil
	}
	m, err := newMaker(shape, newWorld(shape, "middling", difficulties[1].skill, 0), s.Seed)
	if err != nil {
		return dataset.Block{}, err
	}
	return m.of(step.NodeID(u)).rows(cmp.Or(s.Participants[u].Rows, o.Rows, usualRows), stream(s.Seed, step.NodeID(u), trainTurn)), nil
}

// setWorlds chooses the worlds.
func (v *federated) setWorlds(o *Options) (err error) {
	counts := counts(v.f.Public().Objective.Model.Name())
	given := len(v.files) > 0 || v.pool != nil
	if given && v.kept == 0 && !counts {
		return fault.New("data.test: 0 keeps no rows of the files for testing", "rehearse with --set data.test=0.2, or without files")
	}
	if given && len(o.Difficulties) > 0 {
		return fault.New("--difficulty is of rows that are made up from nothing, and files are given", "leave one of both out")
	}
	switch {
	case v.pool != nil:
		v.made = []World{{Name: "the given rows", Words: fmt.Sprintf("The %d %ss of %s, shared out at random in each trial.", v.pool.Rows()/v.f.Spec.RecordRows(), v.f.Spec.RecordWord(), v.pooled)}}
	case len(v.files) == len(v.declared):
		v.made = []World{{Name: "the given rows", Words: "The rows of the given files."}}
	case len(v.files) > 0:
		const how = "Rows that are not given are drawn after those that are: one of them at random, moved by a fifth of a deviation; those to learn from after those, and those for testing after rows kept for testing"
		v.made = []World{{Name: "others alike", Words: how + "."},
			{Name: "others apart", Words: how + ", and the columns of every participant by half a deviation.", Apart: apart}}
	default:
		v.made, err = worlds(v.f.Shape(), counts, o.Difficulties)
	}
	return err
}

// open reads the files once, so that errors in them are reported at the start.
func (v *federated) open(o *Options) error {
	if o.Pool != "" && len(o.Files) > 0 {
		return fault.New("--data: one file for all and files of participants", "give either")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Files)) {
		f, err := v.f.As(name)
		if err != nil {
			return err
		}
		shard, err := f.Read(o.Files[name], v.kept)
		if err != nil {
			return err
		}
		if err := f.CheckRows(shard, o.Files[name]); err != nil {
			return err
		}
		v.files[int(f.Self)], v.declared[f.Self] = o.Files[name], shard.Records()
	}
	if o.Pool == "" {
		return nil
	}
	shard, err := v.f.Read(o.Pool, 0)
	if err != nil {
		return err
	}
	v.pool, v.pooled = &shard.Train, o.Pool
	return v.shareOut(o)
}

// shareOut sets the number of pool records of each participant. It is the declared number, or
// an equal part of the pool if the spec declares none.
func (v *federated) shareOut(o *Options) error {
	total, rows := 0, v.pool.Rows()/v.f.Spec.RecordRows()
	for _, n := range v.declared {
		total += n
	}
	if !v.f.Spec.Records() && o.Rows == 0 {
		for i := range v.declared {
			v.declared[i] = rows*(i+1)/len(v.declared) - rows*i/len(v.declared)
		}
		v.assumed, total = 0, rows
	}
	if least := slices.Min(v.declared); total > rows || least == 0 {
		return fault.New(fmt.Sprintf("%s: %d %ss are fewer than the %d that the participants have together", v.pooled, rows, v.f.Spec.RecordWord(), total),
			"give a file with more rows, --rows with fewer for each, or a spec whose participants declare fewer")
	}
	return nil
}

func (v *federated) names() []string            { return v.f.Names }
func (v *federated) worlds() []World            { return v.made }
func (v *federated) public() *experiment.Priced { return v.f.Public() }

// rows returns the source of a participant's rows, in words.
func (v *federated) rows(node int) string {
	if file := v.files[node]; file != "" {
		return file
	}
	if v.pool != nil {
		return v.pooled
	}
	return "made up"
}

func (v *federated) notes() (notes []string) {
	if v.assumed > 0 {
		notes = append(notes, fmt.Sprintf("The spec does not say how many rows participants have: %d were taken for each that has no file (--rows).", v.assumed))
	}
	if v.f.Spec.Data.Person != "" && v.pool == nil && len(v.files) < len(v.declared) {
		notes = append(notes, fmt.Sprintf("Of a made-up person there is one row, which is learnt from %d times: rows of a person that differ teach more.", v.f.Spec.RecordRows()))
	}
	if v.drawn {
		notes = append(notes, "Constants that participants have not shown yet were drawn for rows that they might have: plans are of the walk that follows from these.")
	}
	if note := family.EarlierNote(v.f.Spec); note != "" {
		notes = append(notes, note+" It knows nothing of rows that are made up, and helps them less.")
	}
	if v.pool == nil && len(v.files) < len(v.declared) {
		notes = append(notes, "Participants whose rows are made up are scored on further rows of their own kind, which nobody learns from.")
	}
	if v.pool != nil || len(v.files) > 0 {
		notes = append(notes, fmt.Sprintf("Participants with rows of a file are scored on the %.0f %% of their own rows that they keep for testing, others in each trial, and learn from the rest; who keeps none, on those of all.", 100*v.kept))
	}
	if len(v.files) > 0 && len(v.files) < len(v.declared) {
		notes = append(notes, "Rows that are drawn after given ones know nothing that these do not: who brought a file cannot gain from them what real participants might know. "+
			"Of these a “no” would not be known, and is shown as not clear.")
	}
	return notes
}

// round draws rows and distributes them to their nodes.
func (v *federated) round(ctx context.Context, world, trial int) (*round, error) {
	seed := v.f.Spec.Seed
	if trial > 0 {
		seed = experiment.TrialSeed(seed, trial)
	}
	train, test, err := v.draw(v.made[world], seed)
	if err != nil {
		return nil, err
	}
	shards := &dataset.Shards{Features: train[0].Features, Offsets: []int{0}}
	all := dataset.Block{Features: train[0].Features}
	r := &round{seed: experiment.TrialSeed(v.f.Spec.Seed, trial)}
	kind := v.f.Objective().Model
	for u := range train {
		shards.X, shards.Y = append(shards.X, train[u].X...), append(shards.Y, train[u].Y...)
		shards.Offsets = append(shards.Offsets, len(shards.Y))
		all.X, all.Y = append(all.X, test[u].X...), append(all.Y, test[u].Y...)
		r.test = append(r.test, examples(kind, test[u]))
	}
	if r.run, err = v.f.WithRows(ctx, shards, all); err != nil {
		return nil, err
	}
	for u := range train {
		r.train = append(r.train, r.run.Examples.Examples(step.NodeID(u)))
	}
	return r, nil
}

func examples(m model.Model, b dataset.Block) model.Examples {
	ex := model.Examples{Features: b.Features, X: b.X, Y: b.Y}
	ex.Norms = model.Norms(m, ex)
	return ex
}
