package federation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/internal/family"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/internal/visible"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// The files in a participant's folder.
const (
	LedgerFile    = "ledger.db"
	StatementFile = "statement.json"
	statementText = "statement.txt"
	ReportFile    = "report.json"
	ModelFile     = "model.json"
	PageFile      = "report.html"
	MetricsFile   = "metrics.json" // of the model on rows that this participant kept to itself
	specFile      = "spec.yaml"
	joinedFile    = "joined.json"
)

// Options are what a participant brings besides the spec.
type Options struct {
	Key    identity.Key
	Policy *policy.Policy
	From   Purse  // its budget book; the table's fingerprint is worked out from Data
	Data   string // its CSV file
	Dir    string // folder of its ledger and results, made if need be
	// NewTable goes on with a table that is not the one of the start before.
	NewTable bool
	Leave    node.Leave     // how the participant leaves the run (Federation.Leave)
	Tell     time.Duration  // for how long who leaves tells its neighbours at most; 0: federation.linger
	Listen   []ma.Multiaddr // nil: the addresses that the spec lists
	Status   string         // host:port of the health endpoint; "": none
	// StatusHosts are names besides this machine's own that the endpoint is asked under, such as a container's.
	StatusHosts []string
	Log         *slog.Logger
	Now         func() time.Time
	Say         func(what string) // each stage; may be nil

	// Running is told how the node can be asked once there is one; may be nil.
	Running func(status func() node.Status)

	plan *Plan
}

// Join takes part in the run: it checks the plan against the policy, reads the
// data, goes on from the ledger in Dir if there is one, and runs until the end
// of the run, of ctx or of the spec's deadline. Dir then holds the statement, the
// report, the page, and where the run has ended the model. The outcome is not nil where
// the node ran, whatever ended it.
func (f *Federation) Join(ctx context.Context, o Options) (*Outcome, error) {
	if err := f.checkFolder(o.Dir); err != nil {
		return nil, err
	}
	plan, err := f.consent(ctx, &o)
	if err != nil {
		return nil, err
	}
	shard, err := f.Read(o.Data, f.Spec.Data.Test.Share)
	if err != nil {
		return nil, err
	}
	if err := f.checkRows(shard, o.Data); err != nil {
		return nil, err
	}
	if o.From.Table, err = Fingerprint(o.Key, o.Data); err != nil {
		return nil, err
	}
	if shard.Train.Rows() > mostRows {
		return nil, fault.New(fmt.Sprintf("%s: %d rows to learn from are more than the %d that the price of the noise's grid is for", o.Data,
			shard.Train.Rows(), mostRows), "use fewer rows")
	}
	o.say(f.rows(shard))
	return f.takePart(ctx, &o, plan, shard)
}

// takePart runs the node until its run or ctx ends, and concludes.
func (f *Federation) takePart(ctx context.Context, o *Options, plan *Plan, shard *dataset.Shard) (*Outcome, error) {
	deadline, err := f.prepareDir(o)
	if err != nil {
		return nil, err
	}
	machine := f.Machine(shard, o.Key)
	status, err := f.run(ctx, o, machine, deadline)
	if status == nil {
		return nil, err
	}
	outcome, failed := f.conclude(o, plan, shard, machine, *status)
	if err == nil {
		err = failed
	}
	return outcome, err
}

// consent computes the plan and holds it against the policy.
func (f *Federation) consent(ctx context.Context, o *Options) (*Plan, error) {
	if o.Key.Peer() != f.Peer() {
		return nil, fault.New(fmt.Sprintf("the key is that of %s, and the spec lists %s for %s", o.Key.Peer(), f.Peer(), f.Name()),
			"give the key file of this participant, or have the spec changed for everybody")
	}
	if err := f.checkSigned(); err != nil {
		return nil, err
	}
	o.say("computing what joining would cost")
	plan, err := f.Plan(ctx, o.Policy.Sizes()...)
	o.plan = plan
	if err != nil || o.Leave != node.Remains {
		return plan, err
	}
	return plan, plan.Refusal(plan.Objections(o.Policy))
}

func (o *Options) say(what string) {
	if o.Say != nil {
		o.Say(what)
	}
}

// rows says what was read, with what an operator should look into.
func (f *Federation) rows(s *dataset.Shard) string {
	text := fmt.Sprintf("%d rows to learn from, %d kept for testing", s.Train.Rows(), s.Test.Rows())
	if s.Persons > 0 {
		text += fmt.Sprintf(", of %d persons", s.Persons)
	}
	return strings.Join(append([]string{text}, limited(s, f.shape.Persons)...), "; ")
}

// limited says which columns had values out of range, or none, and what became of them.
func limited(s *dataset.Shard, p dataset.Persons) (lines []string) {
	if text := s.Spare.Words(p); text != "" {
		lines = append(lines, text)
	}
	if s.Dropped > 0 {
		lines = append(lines, fmt.Sprintf("rows left out for a missing value: %d", s.Dropped))
	}
	for _, l := range s.Filled {
		lines = append(lines, fmt.Sprintf("column %s: missing values filled in as the spec says: %d", l.Column, l.Values))
	}
	for _, l := range s.Limited {
		lines = append(lines, fmt.Sprintf("column %s: %d values were out of its range and moved to its end", l.Column, l.Values))
	}
	return lines
}

// joined is what a folder keeps of the first start.
type joined struct {
	Participant string    `json:"participant"`
	Spec        string    `json:"spec"`
	Joined      time.Time `json:"joined"`
}

// checkFolder refuses the folder of another run before anything is computed.
func (f *Federation) checkFolder(dir string) error {
	var first joined
	if err := readJSON(filepath.Join(dir, joinedFile), &first); err != nil {
		return nil // prepareDir says what is wrong with it
	}
	if first.Spec != fmt.Sprintf("%x", f.Hash) || first.Participant != f.Name() {
		return f.otherRun(dir, first.Participant, first.Spec)
	}
	return nil
}

// otherRun is the error of a folder in which a participant has taken part in the run of another spec.
func (f *Federation) otherRun(dir, name, spec string) error {
	return fault.New(fmt.Sprintf("%s holds what %.63q released in the run of spec %.8s, and this is %s with spec %x", dir, name, spec, f.Name(), f.Hash[:4]),
		fmt.Sprintf("a changed spec is a new federation: give it a folder of its own with --dir %s, and count the losses of both", textfile.Quoted(fmt.Sprintf("%s-%x", filepath.Clean(dir), f.Hash[:4]))))
}

// prepareDir makes the folder with the resolved spec, and returns the time at
// which the run is over for this node, zero if never.
func (f *Federation) prepareDir(o *Options) (deadline time.Time, err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return deadline, fault.Wrap(err, "cannot make the folder of the ledger", "give a folder that can be written with --dir")
	}
	text, err := f.Spec.YAML()
	if err != nil {
		return deadline, err
	}
	path := filepath.Join(o.Dir, joinedFile)
	first := joined{Participant: f.Name(), Spec: fmt.Sprintf("%x", f.Hash), Joined: o.Now().UTC()}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := errors.Join(writeFile(filepath.Join(o.Dir, specFile), text), writeJSON(path, first)); err != nil {
			return deadline, fault.Wrap(err, "cannot write to "+o.Dir, "check that the folder can be written and is not full")
		}
	} else if err := readJSON(path, &first); err != nil {
		return deadline, fault.Wrap(err, path, "it says when this participant first joined; restore it from a copy")
	}
	if limit := f.Spec.Federation.Deadline; limit > 0 {
		deadline = first.Joined.Add(limit)
	}
	return deadline, nil
}

// run runs the daemon. A nil status says that it never began.
func (f *Federation) run(ctx context.Context, o *Options, m family.Machine, deadline time.Time) (*node.Status, error) {
	if !deadline.IsZero() {
		late := fault.New(fmt.Sprintf("the run has not ended within %v of joining", f.Spec.Federation.Deadline),
			"federation.deadline in the spec says so; a longer one is a new federation")
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, deadline.Sub(o.Now()), late)
		defer cancel()
	}
	n, listens, err := f.daemon(o, m)
	if err != nil {
		return nil, err
	}
	if note := visible.AlikeNote(f.Names); note != "" {
		o.Log.Warn(note)
	}
	o.Log.Info("listening", "addresses", listens)
	if o.Running != nil {
		o.Running(n.Status)
	}
	server, err := serve(o, n, listens)
	if err != nil {
		o.Log.Warn("no health endpoint", "error", err)
	}
	err = n.Run(ctx)
	server.stop()
	status := n.Status()
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = fault.Wrap(context.Cause(ctx), f.Name()+" stopped before the end of the run", "start it again with the same --dir to go on")
	}
	return &status, err
}

// daemon opens the ledger and the network and makes the node, with the addresses
// that it listens on.
func (f *Federation) daemon(o *Options, m family.Machine) (n *node.Node, listens []string, err error) {
	book, err := f.openLedger(o)
	if err != nil {
		return nil, nil, err
	}
	used, err := f.usesOf(book)
	if err != nil {
		return nil, nil, errors.Join(err, book.Close())
	}
	config, err := f.transport(o)
	if err != nil {
		return nil, nil, errors.Join(err, book.Close())
	}
	links, err := transport.NewLibp2p(config)
	if err != nil {
		return nil, nil, errors.Join(err, book.Close())
	}
	for _, address := range links.Addrs() {
		listens = append(listens, address.String())
	}
	n, err = node.New(node.Config{
		Self: f.Self, Names: f.Names, Neighbours: f.Neighbours(), Machine: m.Durable, Turns: step.Turn(f.setup.Algorithm.Turns()), Tokens: f.Spec.Algorithm.Tokens, Params: f.longest(), Introductions: f.introduced(),
		Spec: f.Hash, Fields: f.fields, Transport: links, Ledger: book, Table: o.From.Table, Tick: f.Spec.Federation.Tick, Linger: f.linger(o),
		Secret: o.Key.Derive("what neighbours remember of this node's ledger"), Grace: f.grace(), Log: o.Log, Now: o.Now,
		Silence: f.Spec.Federation.Silence, Pace: f.Spec.Federation.Pace, Gate: used.gate(f.mostUses(o, used)), Answer: f.answer,
		Leave: o.Leave, GoesOn: f.Spec.FollowsFailures(),
	})
	if err != nil {
		return nil, nil, errors.Join(err, links.Close(), book.Close())
	}
	return n, listens, nil
}

// longest is how many numbers a message has at most: a model, or a key that may be signed.
func (f *Federation) longest() int {
	if f.introduced() > 0 {
		return max(f.Params(), noise.SignedSize)
	}
	return max(f.Params(), noise.ShownSize)
}

// introduced is how many introductions go from neighbour to neighbour before the run: a key and a signature of all keys of
// everybody where secrets have a graph of their own.
func (f *Federation) introduced() int {
	sharer, ok := f.setup.Algorithm.(family.Sharer)
	if !ok || sharer.Secrets() == nil || sharer.Secrets() == f.setup.Graph {
		return 0
	}
	return 2 * len(f.Names)
}

// grace is how long a node that was started again waits for its neighbours to
// confirm that its ledger has forgotten nothing: for ever, unless the run does
// without those who are silent for longer.
func (f *Federation) grace() time.Duration {
	real := f.Spec.Federation
	if real.Unreachable == "around" {
		return max(real.Patience, real.Lease)
	}
	return real.Lease
}

// openLedger goes on with the ledger in the folder once all of it is verified, or
// makes one.
func (f *Federation) openLedger(o *Options) (*ledger.Ledger, error) {
	path := filepath.Join(o.Dir, LedgerFile)
	if _, err := os.Lstat(path); err == nil {
		book, err := ledger.Open(path)
		if err != nil {
			return nil, err
		}
		if owner := book.Federation(); owner.Spec != f.Hash || owner.ID != f.Self {
			err = f.otherRun(o.Dir, owner.Node, fmt.Sprintf("%x", owner.Spec))
		} else if err = f.sound(book); err == nil {
			err = errors.Join(o.checkLeft(book), o.checkTable(book))
		}
		return f.begun(o, book, err)
	}
	charged, err := f.Charge(o.plan, o.Policy, o.From, o.Now())
	if err != nil {
		return nil, err
	}
	book, err := ledger.Create(path, ledger.Federation{Name: f.Spec.Name, Spec: f.Hash, Node: f.Name(), ID: f.Self, Policy: o.Policy.Text, Book: charged.Mark})
	if err != nil {
		return nil, err
	}
	return f.begun(o, book, nil)
}

// begun is a run's ledger once it stands in the budget book, and in the folder what that says of other runs.
func (f *Federation) begun(o *Options, run *ledger.Ledger, err error) (*ledger.Ledger, error) {
	if err == nil && o.Leave != node.Remains { // it is charged already, and uses no more
		return run, nil
	}
	var charged Charged
	if err == nil {
		charged, err = f.charge(o.plan, o.Policy, o.From, run, o.Now())
	}
	if err == nil {
		err = writeJSON(filepath.Join(o.Dir, OtherRunsFile), charged.Others)
	}
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

func (f *Federation) transport(o *Options) (transport.Config, error) {
	listen, err := listenable(f.addresses[f.Self])
	if o.Listen != nil {
		listen = o.Listen
	}
	c := transport.Config{Self: f.Self, Key: o.Key, Listen: listen, MaxFrame: node.MaxFrame(f.longest())}
	behind := f.behind(int(f.Self))
	if behind {
		c.Relays, c.HolePunch = f.relays, !f.Spec.Federation.RelayOnly
		if c.HolePunch && o.Listen == nil {
			c.Listen, err = Addresses(anywhere)
		}
	}
	for _, v := range f.Neighbours() {
		n := transport.Neighbour{ID: v, Peer: f.Peers[v], Addrs: f.addresses[v]}
		if behind && f.behind(int(v)) {
			n.Addrs = f.throughRelays()
		}
		c.Neighbours = append(c.Neighbours, n)
	}
	return c, err
}
