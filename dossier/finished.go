package dossier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// The files of a folder that dossiers read.
const (
	resultFile = "result.json"
	specFile   = "spec.yaml"
	joinedFile = "joined.json"
)

// Finished returns the dossier of a folder that hearsay run or hearsay node has written.
func Finished(ctx context.Context, dir string, o Options) (*Dossier, error) {
	for _, kind := range []struct {
		file string
		open func(context.Context, string, Options) (*Dossier, error)
	}{{resultFile, simulated}, {federation.StatementFile, joined}} {
		if _, err := os.Stat(filepath.Join(dir, kind.file)); !errors.Is(err, fs.ErrNotExist) {
			return kind.open(ctx, dir, o)
		}
	}
	return nil, fault.New(fmt.Sprintf("%s has neither %s nor %s", dir, resultFile, federation.StatementFile),
		"give a spec, a folder that hearsay run SPEC --out wrote, or that of a node that has stopped, such as hearsay-lyon")
}

// read decodes a JSON file of a folder.
func read(dir, file string, into any) error {
	text, err := regular.Read(filepath.Join(dir, file), regular.MostFile)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fault.Wrap(err, filepath.Join(dir, file)+" cannot be read", "the folder is damaged, or another release wrote it: run again")
	}
	return nil
}

// readSpec returns the resolved spec of a folder.
func readSpec(dir string) (*spec.Spec, error) {
	path := filepath.Join(dir, specFile)
	if _, err := os.Stat(path); err != nil {
		return nil, fault.Wrap(err, path, "the folder of a run holds its resolved spec")
	}
	return experiment.Load(path)
}

// simulated returns the dossier of a simulation's folder.
func simulated(ctx context.Context, dir string, o Options) (*Dossier, error) {
	var r report.Result
	if err := read(dir, resultFile, &r); err != nil {
		return nil, err
	}
	if len(r.Privacy.All()) == 0 {
		return nil, fault.New(filepath.Join(dir, resultFile)+" has no privacy loss", "the folder is damaged, or another release wrote it: run again")
	}
	s, err := readSpec(dir)
	if err != nil {
		return nil, err
	}
	return ofResult(ctx, s, &r, o)
}

// ofResult returns the dossier of a simulation of the resolved spec s with the result r.
func ofResult(ctx context.Context, s *spec.Spec, r *report.Result, o Options) (*Dossier, error) {
	text, err := experiment.RelativeTo(s, o.Folder).YAML()
	if err != nil {
		return nil, err
	}
	d := &Dossier{
		Format: Format, About: Simulated, Version: experiment.Version(), Name: r.Name, Kind: r.Algorithm, Model: r.Model,
		Target: s.Data.Target, Story: s.Story(), Count: r.Graph.Nodes, Looked: r.Graph.Nodes, Spec: string(text), Asks: []Ask{}, Mean: nan,
		Run: Run{Turns: int64(r.Steps), Contributions: s.Algorithm.Contributions, Hours: nan}, Compared: r.Baselines != nil, Others: notKnown,
	}
	d.introduce(s, o)
	d.Claim.Beyond = nan
	names := map[int]string{}
	if r.Privacy.Nodes != nil {
		for _, n := range r.Privacy.Nodes.Each {
			names[n.Node] = n.Name
		}
	}
	d.account(&r.Privacy, func(v int) string {
		if name, ok := names[v]; ok {
			return name
		}
		return fmt.Sprintf("node %d", v)
	})
	d.Sources = []string{
		fmt.Sprintf("Losses, scores and assumptions are those of %s. Who checks this page with --recompute runs the simulation again.", resultFile),
		"Who could reconstruct whom without the noise was worked out from " + specFile + ".",
	}
	if len(o.Asks) > 0 {
		d.Sources = append(d.Sources, "The pairs that were asked about were priced from "+specFile+" and its data.")
	}
	d.scores(r)
	if err := d.reopen(ctx, s, r, o); err != nil {
		return nil, err
	}
	d.order()
	return d, nil
}

// reopen adds the parts that need the spec and its data. If they cannot be opened it records the
// reason, or returns it if o.Asks is not empty.
func (d *Dossier) reopen(ctx context.Context, s *spec.Spec, r *report.Result, o Options) error {
	prepared, err := experiment.Open(ctx, s, o.Say)
	if err != nil {
		if ctx.Err() != nil || len(o.Asks) > 0 {
			return err
		}
		d.Without.Missing = "Not worked out: " + err.Error() + "."
		d.Trust = []string{"Each participant trusts its own machine, its key, and this program."}
		return nil
	}
	if noisy, err := prepared.Algorithm.WithNoise(r.Privacy.Sigma); err == nil {
		prepared.Algorithm = noisy
	}
	p := &experiment.Priced{Prepared: *prepared}
	d.Trust = trusted(p, &d.Claim)
	if err := d.expose(ctx, p, o); err != nil || len(o.Asks) == 0 {
		return err
	}
	priced, err := experiment.OpenForPairs(ctx, s, o.Say)
	if err != nil {
		return err
	}
	return d.askAll(ctx, priced, o)
}

// scores adds the results of the run to Outcome.
func (d *Dossier) scores(r *report.Result) {
	add := func(what, format string, values ...any) {
		d.Outcome = append(d.Outcome, Fact{what, fmt.Sprintf(format, values...)})
	}
	trials := fmt.Sprintf("mean of %d trials", len(r.Trials))
	if a := r.Final.TestAccuracy; a != nil {
		add("right on unseen rows", "%.1f %% (%s)", 100**a, trials)
	} else if r.Final.TestLoss.Finite() {
		add("loss on unseen rows", "%.4g (%s)", float64(r.Final.TestLoss), trials)
	}
	if class, rows, found := r.Final.Classification.Rarest(); rows > 0 {
		add("found of the rarest class, "+class, "%.4g of %.4g rows", found, rows)
		add("always the most frequent class", "%.1f %% right", 100*float64(r.Final.Classification.Majority))
	}
	if e := r.Estimate; e != nil {
		add("error of the "+e.Of, "%.4g", float64(e.Error))
	}
	if b := r.Baselines; b != nil {
		if b.Joined.Finite() {
			add(b.Measure+" of the run", "%.4g", float64(b.Joined))
		}
		if b.Alone != nil {
			add(b.Measure+" of a participant alone", "%.4g on average, %.4g to %.4g", float64(b.Alone.Mean), float64(b.Alone.Worst), float64(b.Alone.Best))
		}
		if b.WithoutNoise != nil {
			add(b.Measure+" without noise", "%.4g", float64(b.Of(b.WithoutNoise)))
		}
	}
}

// began is the record of the first start in a node's folder.
type began struct {
	Participant string `json:"participant"`
	Spec        string `json:"spec"`
}

// joined returns the dossier of a participant's folder. It contains the losses of that participant
// only.
func joined(ctx context.Context, dir string, o Options) (*Dossier, error) {
	var first began
	if err := read(dir, joinedFile, &first); err != nil {
		return nil, err
	}
	s, err := readSpec(dir)
	if err != nil {
		return nil, err
	}
	if !s.Federated() {
		return nil, fault.New(fmt.Sprintf("%s is not the folder of a node", dir), "give one that hearsay node wrote")
	}
	f, err := federation.Open(ctx, s, first.Participant)
	if err != nil {
		return nil, err
	}
	if hash := fmt.Sprintf("%x", f.Hash); hash != first.Spec {
		return nil, fault.New(fmt.Sprintf("%s is not the spec that %s joined: its hash is %s, and %s says %s", filepath.Join(dir, specFile), first.Participant, hash, joinedFile, first.Spec),
			"restore the folder from a copy")
	}
	path := filepath.Join(dir, federation.StatementFile)
	text, err := regular.Read(path, regular.MostFile)
	if err != nil {
		return nil, fault.Wrap(err, path+" cannot be read", "the folder is damaged: start the node again with the same --dir")
	}
	statement, err := federation.ReadStatement(text, f.Spec, f.Hash)
	if err != nil {
		return nil, fault.Wrap(err, path, fault.Hint(err))
	}
	return ofFacts(ctx, f.Spec, statement.Attested, o)
}

// ofFacts returns the dossier of the run of one participant of the resolved spec s, from the facts
// that the participant signed.
func ofFacts(ctx context.Context, s *spec.Spec, facts *federation.Attested, o Options) (*Dossier, error) {
	f, err := federation.Open(ctx, s, facts.Participant)
	if err != nil {
		return nil, err
	}
	if err := facts.Check(f.Spec, f.Hash); err != nil {
		return nil, err
	}
	plan, err := f.Plan(ctx, facts.Sizes...)
	if err != nil {
		return nil, err
	}
	d, err := begin(f.Public(), Joined, o)
	if err != nil {
		return nil, err
	}
	signed, err := signatures(f)
	if err != nil {
		return nil, err
	}
	d.Hash, d.Whose, d.Facts, d.Others = facts.Spec, facts.Participant, facts, facts.Others.String()
	d.Sources = []string{
		"Losses allowed are worked out from the spec, and losses spent from the uses of the data that the node's ledger holds. The node counted these when it last stopped, and signed the number.",
		"Who could reconstruct whom without the noise was worked out from " + specFile + ".",
		"Scores on the participant's own rows, by group too (hearsay node --by COLUMN), are in report.html. They are left out here: no accountant covers them.", signed,
	}
	d.take(f, plan.Accepted())
	statement := f.Stating(plan, facts.Contributed, facts.Late, facts.Releases)
	statement.Settle(facts.Ended, facts.Left)
	d.spent(statement)
	d.Looked, d.Trust = 1, trusted(f.Public(), &d.Claim)
	d.state(statement, &facts.Facts)
	return d, d.finish(ctx, f, o)
}

// spent sets the loss so far of each party from the statement.
func (d *Dossier) spent(s *federation.Statement) {
	var one, deviating Number
	for _, t := range s.Spent {
		one, deviating = max(one, Number(t.Epsilon)), max(deviating, Number(t.Deviating))
	}
	pools := s.Together
	for i := range d.Parties {
		switch p := &d.Parties[i]; {
		case p.If == "nothing is trusted of them":
			p.Spent = Number(s.SpentLocal)
		case p.If == everyoneFollows:
			if s.SpentPublic != nil {
				p.Spent = Number(s.SpentPublic.Epsilon)
			}
		case p.If == "it does not follow the protocol":
			p.Spent = deviating
		case p.Who == "any one other participant":
			p.Spent = one
		case len(pools) > 0:
			p.Spent, pools = Number(pools[0].Epsilon), pools[1:]
		}
	}
}

// state adds the state of the run to Outcome, and its warnings to Notes.
func (d *Dossier) state(s *federation.Statement, facts *federation.Facts) {
	stands := "not ended"
	if facts.Ended {
		stands = "ended"
	}
	d.Outcome = []Fact{
		{"first start", facts.Joined.UTC().Format(time.RFC3339)},
		{"uses of its data", fmt.Sprintf("%d of at most %d", s.Contributed, s.Contributions)},
		{"releases in its ledger", fmt.Sprint(s.Releases)},
		{"noise", s.Noise.Kind + "; " + s.Noise.Source},
		{"the run", stands},
		{"end of its ledger", fmt.Sprintf("%d entries, hash %s", facts.Ledger.Entries, facts.Ledger.Hash)},
	}
	if s.Late > 0 {
		unless := ""
		if !facts.Ended {
			unless = "; until the run has ended the last ones count as such"
		}
		d.Outcome = append(d.Outcome, Fact{"steps whose value may have come late",
			fmt.Sprintf("%d of at most %d: the others may have gone on without it, own noise alone protects it there, and spent counts that%s", s.Late, s.MostLate, unless)})
	}
	for i, table := range facts.Tables {
		what := "fingerprint of its table"
		if i > 0 {
			what = "fingerprint of the table that it went on with"
		}
		d.Outcome = append(d.Outcome, Fact{what, table + " (under its key: nobody else can compare it with a guess)"})
	}
	if facts.Disputed {
		d.Notes = append(d.Notes, "DISPUTED: participants contradict each other about how the run ended. Do not use the model.")
	}
	if s.Alarm != "" {
		d.Notes = append(d.Notes, "ALARM: "+s.Alarm)
	}
}
