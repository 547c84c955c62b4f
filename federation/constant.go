package federation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/weighted"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/node/secret"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// constantFile holds the constant that a participant of a weighted walk shows before the walk.
const constantFile = "constant.json"

// A Constant holds the value that one participant shows, drawn once. The value goes into the spec.
// The spec shows the same value to all, and participants compare it before the walk.
type Constant struct {
	Participant string             `json:"participant"`
	Federation  string             `json:"federation"`
	Constant    float64            `json:"constant"`
	Drawn       weighted.Constants `json:"drawn"`   // distribution of the noise
	Epsilon     float64            `json:"epsilon"` // loss of the constant alone towards everybody, in the spec's metric
	Again       bool               `json:"-"`       // the constant was drawn by an earlier call
}

// ShowConstant draws the constant of a participant for its data file, with noise from the operating
// system, and stores it in dir. If dir holds one already, ShowConstant returns that one, because
// another draw for the same data would reveal as much again. It draws nothing if the policy
// objects. A nil policy objects to nothing.
func ShowConstant(ctx context.Context, s *spec.Spec, name, data string, written textfile.Notation, dir string, own *policy.Policy) (*Constant, error) {
	if _, ok := s.Algorithm.Own.(*weighted.Keys); !ok {
		return nil, fault.New(fmt.Sprintf("algorithm.kind: participants of a %s show no constants", s.Algorithm.Kind), "they are for kind: weighted-walk")
	}
	id := s.Number(name)
	if id < 0 {
		return nil, s.NoParticipant(name)
	}
	h, err := experiment.PublicHoldings(ctx, s)
	if err != nil {
		return nil, err
	}
	release, err := weighted.NewRelease(h)
	if err != nil {
		return nil, err
	}
	m, err := family.Metric(&s.Privacy)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, constantFile)
	made := Constant{Participant: name, Federation: s.Name, Drawn: release.Constants, Epsilon: m.GaussianView(release.Mu * release.Mu)}
	if _, err := os.Lstat(path); err == nil {
		return shownBefore(path, made)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, path, "give a folder that can be read with --dir")
	}
	if err := refusal(s, name, release.Mu, own); err != nil {
		return nil, err
	}
	shape := experiment.PublicShape(h.Spec)
	shape.Notation = written.Or(shape.Notation)
	shard, err := shape.OpenShard(data, h.Spec.Data.Test.Share, s.Seed, step.NodeID(id))
	if err != nil {
		return nil, err
	}
	made.Constant = release.Draw(examples(h.Objective.Model, shard.Train), secret.NewRouter().Rand())
	if err := errors.Join(os.MkdirAll(dir, 0o700), writeJSON(path, made)); err != nil {
		return nil, fault.Wrap(err, "cannot write to "+dir, "check that the folder can be written and is not full")
	}
	return &made, nil
}

// refusal returns the objections of a policy to showing everybody a value with a Gaussian shift of
// mu, as an error. Without objections, or with a nil policy, it returns nil.
func refusal(s *spec.Spec, name string, mu float64, own *policy.Policy) error {
	if own == nil {
		return nil
	}
	epsilon := privacy.Metric{Delta: own.Delta}.GaussianView(mu * mu)
	towards := policy.Loss{Towards: "everybody", Epsilon: epsilon}
	unit := privacy.Participant
	if s.Records() {
		unit = privacy.Record
	}
	objections := own.Check(policy.Plan{
		Accountant: "constants", Status: privacy.Sound, Unit: unit, Delta: own.Delta, Neighbours: towards, Others: towards, Deviators: epsilon, Public: epsilon,
		Named: func(whom string) (float64, bool) {
			return epsilon, whom != name && slices.Contains(s.Names(), whom)
		},
		Coalition: func(int) float64 { return epsilon }, Sigma: math.Inf(1), Model: s.Model.Kind, Contributions: 1,
	})
	if len(objections) == 0 {
		return nil
	}
	var reasons []string
	for _, o := range objections {
		reasons = append(reasons, o.What)
	}
	return fault.New(fmt.Sprintf("%s shows no constant: %s", name, strings.Join(reasons, "; and ")),
		"a smaller algorithm.constants.epsilon, or a larger scale, shows less; the walk's loss comes on top of it")
}

// shownBefore returns the constant in the file path. It is an error if that constant belongs to
// another participant or was drawn from another distribution.
func shownBefore(path string, made Constant) (*Constant, error) {
	var kept Constant
	if err := readJSON(path, &kept); err != nil {
		return nil, fault.Wrap(err, path, "it holds what this participant has shown; restore it from a copy")
	}
	if kept.Participant != made.Participant || kept.Drawn != made.Drawn {
		return nil, fault.New(fmt.Sprintf("%s holds a constant that was drawn otherwise: by %+v for %s", path, kept.Drawn, kept.Participant),
			"every constant that is drawn for the same data tells as much again; use another folder if both may be told")
	}
	kept.Again = true
	return &kept, nil
}
